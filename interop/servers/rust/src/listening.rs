use std::{error::Error, net::Ipv4Addr, sync::Arc};

use hyper::server::conn::http1;
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService,
    streamable_http_server::session::local::LocalSessionManager,
};
use tokio::net::TcpListener;

use crate::Contract;

/// Serves sessions of the legacy era, and requests of the modern one, until the process ends.
pub(crate) async fn listen(contract: Contract, port: u16) -> Result<(), Box<dyn Error>> {
    let sessions = Arc::<LocalSessionManager>::default();
    let service = StreamableHttpService::new(
        move || Ok(contract.clone()),
        sessions,
        StreamableHttpServerConfig::default(),
    );
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    loop {
        let (stream, _) = listener.accept().await?;
        let service = TowerToHyperService::new(service.clone());
        // However it ends, the client is gone.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}
