//! Middleware around the HTTP client: a token that is fetched anew for each request, by a layer of `tower-http`, and a line
//! for each response.
//!
//! ```sh
//! cargo run --example tower_layer                                # the demo server, on a free port of loopback
//! cargo run --example tower_layer -- https://host.example/mcp    # or any other server
//! ```
//!
//! The seam is `Http::service`: any `tower_service::Service` from `http::Request` to `http::Response`. What must not be
//! followed, repeated or cached blindly is said there.

use std::{
    env,
    error::Error,
    sync::atomic::{AtomicU32, Ordering},
};

use http::{HeaderValue, Request, Response, header};
use mcp_client::Client;
use mcp_testkit::demo;
use mcp_transport_http::{Http, HttpClient, RequestBody, ResponseBody};
use tower::ServiceBuilder;
use tower_http::set_header::SetRequestHeaderLayer;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    if let Some(url) = env::args().nth(1) {
        return run(&url).await;
    }
    let server = demo::bind_http("127.0.0.1:0").await?;
    let outcome = run(&server.url()).await;
    server.shutdown().await;
    outcome
}

async fn run(url: &str) -> Result<(), Box<dyn Error>> {
    let service = ServiceBuilder::new()
        .map_response(|response: Response<ResponseBody>| {
            println!("response    {} {:?}", response.status(), response.headers().get(header::CONTENT_TYPE));
            response
        })
        .layer(SetRequestHeaderLayer::overriding(header::AUTHORIZATION, |_: &Request<RequestBody>| token()))
        .service(HttpClient::new());
    let client = Client::builder("tower-layer", env!("CARGO_PKG_VERSION"))
        .connect(Http::new(url)?.service(service))
        .await?;
    println!("negotiated  {}", client.revision());
    println!("tools       {}", client.list_tools().all().await?.len());
    client.close().await;
    Ok(())
}

/// Where an application asks its own source of tokens. Requests with different tokens never share a connection.
fn token() -> Option<HeaderValue> {
    static ISSUED: AtomicU32 = AtomicU32::new(0);
    let count = ISSUED.fetch_add(1, Ordering::Relaxed);
    let mut token = HeaderValue::try_from(format!("Bearer token-{}", count / 2)).ok()?;
    token.set_sensitive(true);
    Some(token)
}
