//! What the tests of the client share.

use std::{future::IntoFuture, time::Duration};

use mcp_client::{Client, ClientBuilder};
use mcp_testkit::script::{Peer, connector, peer};
use mcp_transport::{
    Delivery, Single, TransportError, TransportErrorKind,
    contract::{FakeExchanges, FakeServer, patiently},
};
use mcp_types::Revision;

pub(crate) const ALL: &str = r#"{"tools":{"listChanged":true},"resources":{"subscribe":true},"prompts":{},"completions":{},"logging":{}}"#;

pub(crate) fn builder() -> ClientBuilder {
    Client::builder("test-client", "1.2.3")
}

pub(crate) const fn secs(n: u64) -> Duration {
    Duration::from_secs(n)
}

pub(crate) const fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

/// A client that speaks `revision` with a scripted peer which declares every capability.
pub(crate) async fn connected(builder: ClientBuilder, revision: Revision) -> (Client, Peer) {
    let (link, mut peer) = peer();
    let accept = async {
        match revision {
            Revision::V2026_07_28 => drop(peer.accept_modern(ALL).await),
            legacy => drop(peer.accept_legacy(legacy, ALL).await),
        }
    };
    let (client, ()) = tokio::join!(builder.connect(Single::new(link)), accept);
    (client.expect("a connection"), peer)
}

pub(crate) async fn legacy() -> (Client, Peer) {
    connected(builder(), Revision::V2025_11_25).await
}

pub(crate) async fn modern() -> (Client, Peer) {
    connected(builder(), Revision::V2026_07_28).await
}

/// A client over exchanges that speaks `revision`, beside the far end.
pub(crate) async fn over_exchanges(builder: ClientBuilder, revision: Revision) -> (Client, FakeServer) {
    let (link, mut server) = FakeExchanges::link();
    let accept = async {
        let mut probe = server.expect("server/discover").await;
        if revision == Revision::V2026_07_28 {
            probe.reply(format!(
                r#"{{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{ALL},"ttlMs":0,"cacheScope":"private"}}"#
            ));
            return;
        }
        probe.reply_error(-32601, "no");
        let mut initialize = server.expect("initialize").await;
        initialize.reply(format!(
            r#"{{"protocolVersion":"{revision}","capabilities":{ALL},"serverInfo":{{"name":"s","version":"1"}}}}"#
        ));
        let _settled = server.next_beside().await;
        let _initialized = server.next_beside().await;
    };
    let (client, ()) = tokio::join!(builder.connect(Single::new(link)), accept);
    (client.expect("a connection"), server)
}

/// What `future` gives. Panics when it hangs, past every deadline of the client.
pub(crate) async fn in_time<F: IntoFuture>(future: F) -> F::Output {
    patiently(future.into_future()).await.expect("it hangs")
}

/// What a transport says when its process has ended.
pub(crate) fn exited() -> TransportError {
    TransportError::new(TransportErrorKind::Exited, Delivery::MaybeSent, "exited")
}

/// How many tasks live on this runtime, once those that are about to end have ended.
pub(crate) async fn tasks_left() -> usize {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
    tokio::runtime::Handle::current().metrics().num_alive_tasks()
}

pub(crate) use mcp_testkit::script::{Peers, Scripted};

pub(crate) fn connecting() -> (Scripted, Peers) {
    connector()
}
