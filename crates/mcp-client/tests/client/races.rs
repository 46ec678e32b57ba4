//! What two threads do at the same time, and readers who keep up. On a real clock: limits are generous.

use std::{
    collections::VecDeque,
    future::{Future, pending},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use crate::common::{builder, legacy, ms, secs};
use mcp_client::{Client, ErrorKind, Remembered, State, Versions};
use mcp_testkit::script::Peer;
use mcp_transport::{
    ExchangeEnd, Exchanges, Inbound, Link, Origin, Outbound, OutboundMessage, RawMessage, Receiver, Sender,
    Single, Sink, TransportError, contract::FakePipe,
};
use mcp_transport_stdio::pipe;
use mcp_types::{Json, Request, Revision, ToolListChangedNotification};

const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}"#;
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}"#;

/// Exchanges whose response begins as late as the deadline of its call, and never goes on.
struct BeginsLate {
    /// Cloned into each exchange that lives.
    alive: Arc<()>,
}

impl Exchanges for BeginsLate {
    fn exchange(
        &self,
        out: OutboundMessage,
        sink: Sink,
    ) -> impl Future<Output = ExchangeEnd> + Send + 'static {
        let alive = Arc::clone(&self.alive);
        async move {
            let id = out.message.id().cloned().unwrap();
            if out.message.method() == Some("server/discover") {
                let message = RawMessage::result(id.clone(), DISCOVERED.into());
                sink.deliver(Inbound::Message { origin: Origin::Exchange(id), message });
                return ExchangeEnd::Complete;
            }
            tokio::time::sleep(ms(20)).await;
            sink.accepted();
            pending::<()>().await;
            drop(alive);
            ExchangeEnd::Complete
        }
    }
}

struct Silent;

impl Sender for Silent {
    async fn send(&mut self, batch: &mut VecDeque<Outbound>) -> Result<(), TransportError> {
        batch.clear();
        Ok(())
    }
}

impl Receiver for Silent {
    async fn recv(&mut self, _: &mut Vec<Inbound>) -> Result<bool, TransportError> {
        pending().await
    }
}

/// The response begins while the call expires: its exchange moves to a task, and must not live on there.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn an_exchange_that_begins_at_its_deadline_is_ended() {
    let alive = Arc::new(());
    let link = Link::exchanges(BeginsLate { alive: Arc::clone(&alive) }, Silent, Silent);
    let client = builder().connect(Single::new(link)).await.unwrap();
    let idle = Arc::strong_count(&alive);
    for _ in 0..30 {
        let calls: Vec<_> = (0..1000)
            .map(|_| {
                let client = client.clone();
                tokio::spawn(async move { client.call_tool("t").timeout(ms(20)).await.map(drop) })
            })
            .collect();
        for call in calls {
            assert_eq!(call.await.unwrap().unwrap_err().kind(), ErrorKind::Timeout);
        }
    }
    let begun = Instant::now();
    while Arc::strong_count(&alive) > idle && begun.elapsed() < secs(5) {
        tokio::time::sleep(ms(5)).await;
    }
    assert_eq!(Arc::strong_count(&alive) - idle, 0, "exchanges live on after their calls expired");
}

/// A stream of notifications that begins while the link ends, ends too.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_stream_that_begins_while_the_link_ends_ends_too() {
    let remembered: Remembered =
        serde_json::from_str(&format!(r#"{{"revision":"2026-07-28","discover":{DISCOVERED}}}"#)).unwrap();
    for _ in 0..300 {
        let (link, far) = FakePipe::link();
        let client = builder().remembered(remembered.clone()).connect(Single::new(link)).await.unwrap();
        let streams = tokio::spawn(async move {
            let open = || client.notifications::<ToolListChangedNotification>();
            for mut stream in (0..60).map(|_| open()).collect::<Vec<_>>() {
                let end = tokio::time::timeout(secs(10), stream.next()).await;
                assert!(end.expect("a stream hangs after the link ended").is_none());
            }
        });
        far.end();
        streams.await.unwrap();
    }
}

struct Ask;

impl Request for Ask {
    const METHOD: &'static str = "acme/ask";
    type Params = Json;
    type Result = Json;
}

/// A runtime that shuts down drops what is spawned on it there and then: no lock may be held across a spawn.
#[test]
fn a_runtime_ends_while_requests_come() {
    for round in 0..200 {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let (client, far) = runtime.block_on(async {
            let (link, mut far) = FakePipe::link();
            let served = builder()
                .versions(Versions::exactly(Revision::V2025_11_25))
                .on_request::<Ask, _>(|_, _| async { Ok(Json::from("yes")) });
            let accept = async {
                far.next_message().await;
                far.send_frame(INITIALIZED);
            };
            let (client, ()) = tokio::join!(served.connect(Single::new(link)), accept);
            (client, far)
        });
        let client = client.unwrap();
        let stop = Arc::new(AtomicBool::new(false));
        let flood = std::thread::spawn({
            let (speaker, stop) = (far.speaker(), Arc::clone(&stop));
            move || {
                for id in 0..50_000 {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    speaker.send_frame(format!(
                        r#"{{"jsonrpc":"2.0","id":{id},"method":"acme/ask","params":{{}}}}"#
                    ));
                    if id % 8 == 0 {
                        std::thread::yield_now();
                    }
                }
            }
        });
        std::thread::sleep(ms(1));
        let begun = Instant::now();
        runtime.shutdown_timeout(secs(10));
        let took = begun.elapsed();
        stop.store(true, Ordering::Relaxed);
        flood.join().unwrap();
        assert!(took < secs(9), "round {round}: a worker is deadlocked");
        drop(client);
    }
}

/// A server over bytes that answers a call with 10,000 notifications and its reply, in one write.
async fn flooding() -> Client {
    let (near, far) = tokio::io::duplex(4 << 20);
    let (reader, writer) = tokio::io::split(near);
    let link = Single::new(pipe(reader, writer));
    let (reader, writer) = tokio::io::split(far);
    let mut peer = Peer::over_bytes(reader, writer);
    let connecting = builder().versions(Versions::exactly(Revision::V2025_11_25)).connect(link);
    let (client, _) = tokio::join!(connecting, peer.accept_legacy(Revision::V2025_11_25, r#"{"tools":{}}"#));
    tokio::spawn(async move {
        let call = peer.expect("tools/call").await;
        let token = call.progress_token().unwrap();
        let mut lines: Vec<_> = (0..10_000)
            .map(|step| {
                let params = format!(r#"{{"progressToken":{token},"progress":{step}}}"#);
                format!(r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{params}}}"#)
            })
            .collect();
        lines.push(format!(r#"{{"jsonrpc":"2.0","id":{},"result":{{"content":[]}}}}"#, call.id()));
        lines.push(String::new());
        peer.send_bytes(lines.join("\n"));
        peer.expect_end().await;
    });
    client.unwrap()
}

/// Calls a server that reports 10,000 steps as fast as it can, and takes each as soon as it may.
async fn all_steps_come(client: &Client) {
    let mut call = client.call_tool("t").with_progress();
    let mut at = 0;
    while let Some(step) = call.progress().next().await {
        assert_eq!((step.progress.to_string(), step.lost_before), (at.to_string(), 0));
        at += 1;
    }
    assert_eq!(at, 10_000);
    call.await.unwrap();
}

/// All of it is there before the reader runs.
#[tokio::test(start_paused = true)]
async fn a_reader_who_keeps_up_loses_nothing_of_what_is_read_at_once() {
    let (client, mut peer) = legacy().await;
    let server = async {
        let call = peer.expect("tools/call").await;
        for step in 0..10_000 {
            call.progress(f64::from(step), None);
        }
        call.reply(r#"{"content":[]}"#);
    };
    tokio::join!(server, all_steps_come(&client));
}

#[tokio::test]
async fn a_reader_who_keeps_up_loses_nothing_on_one_thread() {
    for _ in 0..3 {
        let client = flooding().await;
        all_steps_come(&client).await;
        client.close().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_who_keeps_up_loses_nothing_on_two_threads() {
    for spawned in [false, true, true] {
        let client = flooding().await;
        if spawned {
            let reading = client.clone();
            tokio::spawn(async move { all_steps_come(&reading).await }).await.unwrap();
        } else {
            all_steps_come(&client).await;
        }
        client.close().await;
    }
}

/// A client that outlives its runtime is closed: nothing waits for an I/O task that is gone.
#[test]
fn a_client_that_outlives_its_runtime_is_closed() {
    let build = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (first, second) = (build(), build());
    let (client, _peer) = first.block_on(legacy());
    drop(first);
    second.block_on(async {
        let error = client.call_tool("t").await.unwrap_err();
        assert_eq!((error.kind(), error.may_have_executed()), (ErrorKind::Closed, false));
        client.close().await;
        assert_eq!(client.state(), State::Closed);
    });
}
