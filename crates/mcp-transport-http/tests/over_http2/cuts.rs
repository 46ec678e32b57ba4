//! A connection that is cut at every boundary of a frame.

use mcp_transport::{Delivery, ExchangeEnd, TransportErrorKind, contract::patiently};
use mcp_transport_http::{Http, HttpClient, HttpVersion};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
};

use crate::{
    WIRE,
    common::{Near, modern},
};

const PREFACE: usize = 24;

/// Passes `most` frames on, and says how many there were, and of which types.
async fn pass(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, start: usize, most: usize) -> Vec<u8> {
    let mut types = Vec::new();
    let mut start = vec![0; start];
    if from.read_exact(&mut start).await.is_err() || to.write_all(&start).await.is_err() {
        return types;
    }
    while types.len() < most {
        let mut frame = vec![0; 9];
        if from.read_exact(&mut frame).await.is_err() {
            break;
        }
        let length = u32::from_be_bytes([0, frame[0], frame[1], frame[2]]) as usize;
        frame.resize(9 + length, 0);
        if from.read_exact(&mut frame[9..]).await.is_err() || to.write_all(&frame).await.is_err() {
            break;
        }
        types.push(frame[3]);
    }
    types
}

/// Listens for one connection to `server`, which is cut after so many frames of either side.
async fn relay(server: std::net::SocketAddr, of_client: usize, of_server: usize) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (near, _) = listener.accept().await.unwrap();
        // Any other finds nobody.
        drop(listener);
        let far = TcpStream::connect(server).await.unwrap();
        let (near_read, near_write) = near.into_split();
        let (far_read, far_write) = far.into_split();
        tokio::select! {
            _ = pass(near_read, far_write, PREFACE, of_client) => {}
            _ = pass(far_read, near_write, 0, of_server) => {}
        }
    });
    url
}

/// One call, answered with a stream of three events, on such a connection.
async fn call(of_client: usize, of_server: usize) -> (usize, ExchangeEnd) {
    let mut server = WIRE.serve().await;
    let url = relay(server.address(), of_client, of_server).await;
    tokio::spawn(async move {
        let mut exchange = server.next().await;
        let note = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{}}"#;
        exchange.start_events(&[]).await.unwrap();
        for _ in 0..2 {
            let _ = exchange.event(note).await;
            tokio::task::yield_now().await;
        }
        let _ = exchange.result_event("{}").await;
        exchange.end().await;
        std::future::pending::<()>().await;
    });
    let service = HttpClient::new().version(HttpVersion::Http2);
    let near = Near::open(Http::new(&url).unwrap().service(service)).await;
    let (seen, end) = patiently(near.start(modern(1, "tools/call")).all()).await.expect("no hang");
    let entries = seen.iter().filter(|seen| matches!(seen, crate::common::Seen::Entry(_)));
    (entries.count(), end)
}

/// What came is delivered, and the call ends at once, with the evidence that it may have run.
#[tokio::test]
async fn a_connection_cut_at_any_frame_ends_its_call() {
    const ALL: usize = usize::MAX;
    let mut failures = 0;
    let cuts = (0..8).map(|frames| (frames, ALL)).chain((0..12).map(|frames| (ALL, frames)));
    for (of_client, of_server) in cuts {
        let (entries, end) = call(of_client, of_server).await;
        match end {
            ExchangeEnd::Complete => assert_eq!(entries, 3, "{of_client} {of_server}"),
            ExchangeEnd::Failed(error) => {
                failures += 1;
                assert!(entries < 3, "a reply that came is no failure: {of_client} {of_server} {error:?}");
                let seen = (error.kind(), error.delivery());
                let lost = [TransportErrorKind::Closed, TransportErrorKind::Io].contains(&seen.0);
                // The cut may fall into the handshake, before the request, or while another try finds nobody.
                let never = seen.1 == Delivery::NeverSent;
                assert!(
                    never || (lost && seen.1 == Delivery::MaybeSent),
                    "{of_client} {of_server} {error:?}"
                );
            }
            end => panic!("{end:?}"),
        }
    }
    assert!(failures > 6, "the cuts were felt: {failures}");
}
