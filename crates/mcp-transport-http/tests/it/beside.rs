//! What belongs to no request.

use mcp_transport::{
    Delivery, Outbound, RawMessage, Receiver, Sender, TransportErrorKind, contract::patiently,
};
use mcp_types::Revision;

use crate::{
    WIRE,
    common::{Near, answered, in_session, legacy, ms, note, pair, text, undelivered},
};

/// Field report H-06: any success accepts a notification, whatever comes with it.
#[tokio::test]
async fn any_success_is_acceptance() {
    let (mut near, mut server) = in_session("s", Revision::V2025_06_18).await;
    for (status, body) in [(202, ""), (200, ""), (204, ""), (200, "thank you"), (200, "{\"odd\":true}")] {
        tokio::join!(near.send([note("notifications/cancelled").into()]), async {
            server.expect("notifications/cancelled").await.respond(status, &[], body).await;
        });
    }
    // The other one is of the stream that was refused.
    assert!(server.accepted() <= 2, "what comes with it is drained");
    // Had one been reported, it would come first.
    tokio::join!(near.send([note("notifications/last").into()]), async {
        server.expect("notifications/last").await.respond(500, &[], "").await;
    });
    let (message, _) = undelivered(near.beside().await);
    assert_eq!(message.method(), Some("notifications/last"));
}

#[tokio::test]
async fn what_is_refused_is_reported_and_the_link_goes_on() {
    let (mut near, mut server) = in_session("s", Revision::V2025_06_18).await;
    let reply = RawMessage::result("q1", "{}".into());
    tokio::join!(near.send([reply.clone().into(), note("notifications/cancelled").into()]), async {
        let first = server.next().await;
        assert_eq!(first.request.body, text(&reply));
        first.respond(400, &[], "no such request").await;
        server.next().await.accept().await;
    });
    let (message, error) = undelivered(near.beside().await);
    assert_eq!(message, reply);
    assert_eq!(error.http().unwrap().body_excerpt, "no such request");
    let call = near.start(legacy(2, "tools/list"));
    answered(call, server.next().await).await;
}

/// A server that never accepts a notification holds up neither what follows nor the link.
#[tokio::test]
async fn a_missing_acceptance_is_bounded() {
    let mut server = WIRE.serve().await;
    let http = WIRE.http(&server).accept_timeout(ms(1500));
    let mut near = Near::open(http).await;
    let stuck = async {
        let stuck = server.expect("notifications/stuck").await;
        server.expect("notifications/next").await.accept().await;
        stuck
    };
    let sending = near.send([note("notifications/stuck").into(), note("notifications/next").into()]);
    let ((), mut stuck) = tokio::join!(sending, stuck);
    let (message, error) = undelivered(near.beside().await);
    assert_eq!(message.method(), Some("notifications/stuck"));
    assert_eq!((error.kind(), error.delivery()), (TransportErrorKind::Timeout, Delivery::MaybeSent));
    stuck.gone().await;
}

#[tokio::test]
async fn after_the_close_nothing_is_sent_and_receiving_ends() {
    let (mut near, mut server) = pair().await;
    near.send([Outbound::Close]).await;
    for _ in 0..2 {
        let mut batch = [note("notifications/late").into()].into();
        let error = near.sender.send(&mut batch).await.unwrap_err();
        assert_eq!((error.delivery(), batch.len()), (Delivery::NeverSent, 1));
        let more = patiently(near.receiver.recv(&mut Vec::new())).await.expect("no hang");
        assert!(!more.unwrap());
    }
    assert!(server.try_next().is_none());
}

/// A receiving half whose sending half was dropped ends too.
#[tokio::test]
async fn a_link_without_its_sender_is_over() {
    let (near, _server) = pair().await;
    let Near { sender, mut receiver, .. } = near;
    drop(sender);
    assert!(!patiently(receiver.recv(&mut Vec::new())).await.expect("no hang").unwrap());
}
