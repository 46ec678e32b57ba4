//! The beginning and the end of a session, and the server's own stream.

use mcp_transport::{Inbound, Origin, Outbound, Receiver, contract::patiently};
use mcp_types::Revision;
use tokio::time::Instant;

use crate::{
    WIRE,
    common::{Near, answered, in_session, initialize, legacy, ms, pair, refuse_listening, text},
};

const REVISION: Revision = Revision::V2025_06_18;

/// Field report H-02: whatever the server says to the GET means that there is no stream; one attempt, and calls work.
#[tokio::test]
async fn any_refusal_of_the_stream_means_that_there_is_none() {
    for status in [400, 401, 403, 404, 405, 406, 500, 501, 200, 202] {
        let (mut near, mut server) = pair().await;
        initialize(&mut near, &mut server, Some("s"), REVISION).await;
        let refuse = async {
            server.expect("GET").await.respond(status, &[("content-type", "text/html")], "no").await;
            // Long enough for another attempt, were there one.
            tokio::time::sleep(ms(100)).await;
        };
        let mut into = Vec::new();
        tokio::select! {
            more = near.receiver.recv(&mut into) => panic!("{status}: {more:?} {into:?}"),
            () = refuse => {}
        }
        assert!(server.try_next().is_none(), "{status}");
        let call = near.start(legacy(2, "tools/list"));
        answered(call, server.next().await).await;
    }
}

/// Field report H-02: a stream that never says a byte, not even its head, delays nothing.
#[tokio::test]
async fn a_silent_stream_delays_nothing() {
    for begun in [false, true] {
        let (mut near, mut server) = pair().await;
        initialize(&mut near, &mut server, Some("s"), REVISION).await;
        let Near { exchanges, sender, mut receiver, closer } = near;
        let reading = tokio::spawn(async move { receiver.recv(&mut Vec::new()).await });
        let mut get = server.expect("GET").await;
        if begun {
            get.start_events(&[]).await.unwrap();
        }
        let near =
            Near { exchanges, sender, receiver: Near::open(WIRE.http(&server)).await.receiver, closer };
        let call = near.start(legacy(2, "tools/list"));
        answered(call, server.next().await).await;
        assert!(!reading.is_finished());
        reading.abort();
        get.gone().await;
    }
}

/// The server's own stream: messages beside, then taken up again behind the last event, after the wait that it asked for.
#[tokio::test]
async fn the_servers_stream_is_heard_and_taken_up_again() {
    let (mut near, mut server) = pair().await;
    initialize(&mut near, &mut server, Some("s"), REVISION).await;
    let message = r#"{"jsonrpc":"2.0","id":"q","method":"roots/list"}"#;
    let serve = async {
        let mut get = server.expect("GET").await;
        assert!(get.request.header("last-event-id").is_none());
        get.start_events(&[]).await.unwrap();
        get.chunk(format!("id: 7\nretry: 200\ndata: {message}\n\n")).await.unwrap();
        get.end().await;
        let ended = Instant::now();
        let mut again = server.expect("GET").await;
        assert!(ended.elapsed() >= ms(190), "{:?}", ended.elapsed());
        assert_eq!(again.request.header("last-event-id"), Some("7"));
        again.start_events(&[]).await.unwrap();
        again.event(message).await.unwrap();
        again
    };
    let receive = async {
        for _ in 0..2 {
            let Inbound::Message { origin, message: got } = near.beside().await else { panic!() };
            assert_eq!((origin, text(&got).as_str()), (Origin::Shared, message));
        }
    };
    let (mut again, ()) = tokio::join!(serve, receive);
    // Closing the link ends the stream.
    near.send([Outbound::Close]).await;
    assert!(!near.receiver.recv(&mut Vec::new()).await.unwrap());
    again.gone().await;
}

/// A new session on the same link has a stream of its own, and another id.
#[tokio::test]
async fn a_session_can_be_started_anew() {
    let (mut near, mut server) = in_session("first", REVISION).await;
    let call = near.start(legacy(2, "tools/list"));
    server.next().await.respond(404, &[], "").await;
    call.error().await;
    initialize(&mut near, &mut server, Some("second"), REVISION).await;
    refuse_listening(&mut near, &mut server).await;
    let call = near.start(legacy(3, "tools/list"));
    let exchange = server.next().await;
    assert_eq!(exchange.request.header("mcp-session-id"), Some("second"));
    answered(call, exchange).await;
}

/// Quirk 9: a server may ask before it answers `initialize`; the reply belongs to the session that it offered.
#[tokio::test]
async fn a_reply_in_mid_handshake_names_the_session() {
    let (mut near, mut server) = pair().await;
    let mut call = near.start(legacy(1, "initialize"));
    let mut exchange = server.next().await;
    exchange.start_events(&[("mcp-session-id", "s")]).await.unwrap();
    exchange.event(r#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#).await.unwrap();
    call.message().await;
    let pong = mcp_transport::RawMessage::result(0, "{}".into());
    tokio::join!(near.send([pong.into()]), async {
        let pong = server.next().await;
        assert_eq!(pong.request.header("mcp-session-id"), Some("s"));
        pong.accept().await;
    });
    exchange.result_event("{}").await.unwrap();
    call.message().await;
}

/// The end of a session is bounded, and never sent twice; advisory GHSA-9pj6-vhgr-3mwh: what was created is deleted.
#[tokio::test]
async fn a_session_is_ended_within_the_limit() {
    for (status, fails) in [(200, false), (204, false), (404, false), (405, false), (500, true)] {
        let (near, mut server) = in_session("s", REVISION).await;
        let (closed, ()) = tokio::join!(near.close(), async {
            server.expect("DELETE").await.respond(status, &[], "").await;
        });
        assert_eq!(closed.is_err(), fails, "{status}");
        assert!(server.try_next().is_none());
    }
    let mut server = WIRE.serve().await;
    let mut near = Near::open(WIRE.http(&server).close_timeout(ms(200))).await;
    initialize(&mut near, &mut server, Some("s"), REVISION).await;
    let (closed, stuck) = tokio::join!(near.close(), server.expect("DELETE"));
    assert_eq!(closed.unwrap_err().kind(), mcp_transport::TransportErrorKind::Timeout);
    drop(stuck);

    // Without a session there is nothing to end.
    let (mut near, mut server) = pair().await;
    initialize(&mut near, &mut server, None, REVISION).await;
    patiently(near.closer.take().unwrap().close()).await.expect("no hang").unwrap();
    tokio::task::yield_now().await;
    assert!(server.try_next().is_none());
}

/// Dropping the parts closes every connection, whatever is going on.
#[tokio::test]
async fn a_dropped_link_leaves_no_connection() {
    let (mut near, mut server) = pair().await;
    initialize(&mut near, &mut server, Some("s"), REVISION).await;
    let Near { exchanges, sender, mut receiver, closer } = near;
    let mut receiving = Box::pin(async move { receiver.recv(&mut Vec::new()).await });
    let mut get = tokio::select! {
        _ = &mut receiving => panic!(),
        get = server.expect("GET") => get,
    };
    get.start_events(&[]).await.unwrap();
    drop((exchanges, sender, closer, receiving));
    get.gone().await;
    patiently(async {
        while server.open() > 1 {
            tokio::time::sleep(ms(10)).await;
        }
    })
    .await
    .expect("the idle connection is closed too");
}
