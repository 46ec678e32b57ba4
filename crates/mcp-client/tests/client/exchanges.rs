//! A transport with one exchange a request, before there is one: what the client owes HTTP.

use crate::common::{builder, modern, ms, over_exchanges, secs, tasks_left};
use mcp_client::{ErrorKind, State};
use mcp_transport::{
    Connect, Delivery, HttpFailure, Link, Outbound, RawMessage, Single, TransportError, TransportErrorKind,
    contract::{CloserState, FakeExchanges},
};
use mcp_types::{Json, JsonRpcError, Request, Revision};
use tokio::time::Instant;

const DONE: &str = r#"{"resultType":"complete","content":[]}"#;
const MODERN: Revision = Revision::V2026_07_28;
const LEGACY: Revision = Revision::V2025_11_25;

struct Ask;

impl Request for Ask {
    const METHOD: &'static str = "acme/ask";
    type Params = Json;
    type Result = Json;
}

fn http(status: u16) -> TransportError {
    let mut failure = HttpFailure::default();
    failure.status = status;
    TransportError::new(TransportErrorKind::Http, Delivery::Refused, "refused").with_http(failure)
}

/// Programs leave out what drives exchanges where no transport has any: one that has them after all must be told so.
#[tokio::test(start_paused = true)]
async fn exchanges_of_a_transport_that_declares_none_are_refused() {
    struct Undeclared(Single);

    impl Connect for Undeclared {
        const EXCHANGES: bool = false;

        async fn connect(&self) -> Result<Link, TransportError> {
            self.0.connect().await
        }
    }

    let (link, mut server) = FakeExchanges::link();
    let error = builder().connect(Undeclared(Single::new(link))).await.unwrap_err();
    assert_eq!(error.transport().unwrap().kind(), TransportErrorKind::Configuration, "{error}");
    assert!(error.to_string().contains("Connect::EXCHANGES"), "{error}");
    assert!(!error.may_have_executed(), "{error}");
    assert_eq!(server.beside.closer(), CloserState::Dropped);
    assert!(server.try_next_exchange().is_none());
    assert_eq!(tasks_left().await, 0);
}

#[tokio::test(start_paused = true)]
async fn each_request_is_an_exchange_of_its_own() {
    let (client, mut server) = over_exchanges(builder(), MODERN).await;
    let call = |name: &str| tokio::spawn(client.call_tool(name).header("x-tenant", "t").into_future());
    let (a, b) = (call("a"), call("b"));
    let (mut first, mut second) = (server.next_exchange().await, server.next_exchange().await);
    assert_eq!(first.header("x-tenant"), Some("t"));
    second.reply(DONE);
    b.await.unwrap().unwrap();
    first.reply_error(-32602, "no such tool");
    assert_eq!(a.await.unwrap().unwrap_err().rpc().unwrap().code.0, -32602);
}

/// A server request in mid-stream is answered beside the exchange.
#[tokio::test(start_paused = true)]
async fn a_server_request_in_mid_stream_is_answered_beside_it() {
    let answering =
        builder().on_request::<Ask, _>(|_, _| async { Ok::<_, JsonRpcError>(Json::encode(&"yes").unwrap()) });
    let (client, mut server) = over_exchanges(answering, LEGACY).await;
    let call = tokio::spawn(client.call_tool("t").into_future());
    let mut exchange = server.expect("tools/call").await;
    exchange.request("q1", "acme/ask", r#"{"a":1}"#);
    let Some(Outbound::Message(answer)) = server.next_beside().await else { panic!() };
    assert_eq!(
        String::from_utf8(answer.message.to_vec()).unwrap(),
        r#"{"jsonrpc":"2.0","id":"q1","result":"yes"}"#
    );
    exchange.reply(r#"{"content":[]}"#);
    call.await.unwrap().unwrap();
}

/// A call with a handle that nobody polls goes on.
#[tokio::test(start_paused = true)]
async fn a_call_that_nobody_polls_goes_on_once_it_was_started() {
    let (client, mut server) = over_exchanges(builder(), MODERN).await;
    let mut call = client.call_tool("t").with_progress();
    let first = async {
        let mut exchange = server.expect("tools/call").await;
        let params: serde_json::Value = serde_json::from_str(exchange.params().unwrap()).unwrap();
        let token = params["_meta"]["progressToken"].clone();
        let progress = move |at: u32| format!(r#"{{"progressToken":{token},"progress":{at}}}"#);
        exchange.notify("notifications/progress", progress(1));
        (exchange, progress)
    };
    let ((mut exchange, progress), step) = tokio::join!(first, async { call.progress().next().await });
    assert_eq!(step.unwrap().progress.to_string(), "1");
    // Nobody polls `call` now.
    exchange.notify("notifications/progress", progress(2));
    exchange.reply(DONE);
    exchange.taken().await;
    assert_eq!(call.progress().next().await.unwrap().progress.to_string(), "2");
    call.await.unwrap();
}

/// A plain call that was accepted but not answered yet moves to a task too.
#[tokio::test(start_paused = true)]
async fn an_accepted_call_goes_on_while_its_caller_does_something_else() {
    let (client, mut server) = over_exchanges(builder(), MODERN).await;
    let mut call = Box::pin(client.call_tool("t").into_future());
    let polled = async {
        tokio::select! {
            _ = &mut call => panic!("not yet"),
            () = tokio::time::sleep(ms(10)) => {}
        }
    };
    let (mut exchange, ()) = tokio::join!(
        async {
            let mut exchange = server.expect("tools/call").await;
            exchange.accept();
            exchange
        },
        polled
    );
    exchange.reply(DONE);
    exchange.taken().await;
    call.await.unwrap();
}

/// Field report P-04, modern HTTP: closing the exchange is the cancellation, no notification. Before the headers came,
/// and after.
#[tokio::test(start_paused = true)]
async fn deadline_and_drop_end_the_exchange() {
    for (revision, notified) in [(MODERN, false), (LEGACY, true)] {
        for accepted in [false, true] {
            for dropped in [false, true] {
                let (client, mut server) = over_exchanges(builder(), revision).await;
                let call = tokio::spawn(client.call_tool("t").timeout(secs(2)).into_future());
                let mut exchange = server.expect("tools/call").await;
                if accepted {
                    exchange.accept();
                    tokio::time::sleep(ms(10)).await;
                }
                if dropped {
                    call.abort();
                } else {
                    assert_eq!(call.await.unwrap().unwrap_err().kind(), ErrorKind::Timeout);
                }
                exchange.abandoned().await;
                let mut told = 0;
                while let Some(out) = server.beside.try_next() {
                    told += usize::from(is_cancelled(&out));
                }
                assert_eq!(told, usize::from(notified), "{revision} accepted {accepted} dropped {dropped}");
            }
        }
    }
}

fn is_cancelled(out: &Outbound) -> bool {
    matches!(out, Outbound::Message(out) if out.message.method() == Some("notifications/cancelled"))
}

/// A stream that ends without its reply fails that call at once, and no other.
#[tokio::test(start_paused = true)]
async fn an_exchange_without_a_reply_fails_its_call() {
    let (client, mut server) = over_exchanges(builder(), MODERN).await;
    let call = tokio::spawn(client.call_tool("t").into_future());
    let mut exchange = server.expect("tools/call").await;
    let begun = Instant::now();
    exchange.complete();
    let error = call.await.unwrap().unwrap_err();
    assert_eq!((error.kind(), begun.elapsed()), (ErrorKind::Transport, ms(0)));
    assert!(error.may_have_executed() && !error.is_retryable());

    let call = tokio::spawn(client.call_tool("t").into_future());
    server.expect("tools/call").await.fail(http(503));
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error.http().unwrap().status, 503);
    assert!(!error.may_have_executed() && error.is_retryable());
    assert_eq!(client.state(), State::Ready);
}

/// Advisory CVE-2026-25536: a call is never resolved from another call's exchange.
#[tokio::test(start_paused = true)]
async fn a_reply_in_another_exchange_is_foreign() {
    let (client, mut server) = over_exchanges(builder(), MODERN).await;
    let call = |name: &str| tokio::spawn(client.call_tool(name).into_future());
    let (a, b) = (call("a"), call("b"));
    let (mut first, mut second) = (server.next_exchange().await, server.next_exchange().await);
    first.send(RawMessage::result(
        second.id().clone(),
        r#"{"resultType":"complete","content":[{"type":"text","text":"stolen"}]}"#.into(),
    ));
    first.reply(DONE);
    second.reply(DONE);
    assert!(a.await.unwrap().unwrap().content.is_empty());
    assert!(b.await.unwrap().unwrap().content.is_empty());
}

/// DESIGN, probing over HTTP: silence decides nothing, 401 and a challenge decide nothing, other refusals lead to
/// `initialize`.
#[tokio::test(start_paused = true)]
async fn over_exchanges_only_a_refusal_means_legacy() {
    async fn probe_answered(error: Option<TransportError>) -> Result<Revision, mcp_client::Error> {
        let (link, mut server) = FakeExchanges::link();
        let serve = async {
            let mut probe = server.expect("server/discover").await;
            match error {
                Some(error) => probe.fail(error),
                None => probe.hang(),
            }
            if let Ok(mut initialize) = tokio::time::timeout(secs(1000), server.next_exchange()).await {
                initialize.reply(r#"{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"s","version":"1"}}"#);
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            client = builder().connect(Single::new(link)) => client.map(|client| client.revision()),
            () = serve => panic!("the client neither gave up nor went on"),
        }
    }
    let mut challenged = HttpFailure::default();
    challenged.status = 403;
    challenged.www_authenticate = vec!["Bearer".into()];
    let challenged =
        TransportError::new(TransportErrorKind::Http, Delivery::Refused, "refused").with_http(challenged);
    let lost = TransportError::new(TransportErrorKind::Connect, Delivery::NeverSent, "connection refused");
    for status in [400, 403, 404, 405] {
        assert_eq!(probe_answered(Some(http(status))).await.unwrap(), Revision::V2025_06_18, "{status}");
    }
    for error in [http(401), http(500), challenged, lost] {
        let failed = probe_answered(Some(error)).await.unwrap_err();
        assert_eq!(failed.kind(), ErrorKind::Transport);
    }
    assert_eq!(probe_answered(None).await.unwrap_err().kind(), ErrorKind::Timeout);
}

/// A transport that is found only after a request failed turns the link into a pipe; negotiation starts again.
#[tokio::test(start_paused = true)]
async fn a_replaced_link_is_negotiated_anew() {
    let (link, mut server) = FakeExchanges::link();
    let (pipe, mut peer) = mcp_testkit::script::peer();
    let serve = async {
        server.expect("server/discover").await.replace(pipe);
        peer.accept_legacy(Revision::V2024_11_05, r#"{"tools":{}}"#).await;
        peer.expect("tools/call").await.reply(r#"{"content":[]}"#);
    };
    let calls = async {
        let client = builder().connect(Single::new(link)).await.unwrap();
        assert_eq!(client.revision(), Revision::V2024_11_05);
        client.call_tool("t").await.unwrap();
        client
    };
    tokio::join!(serve, calls);
}

/// A stuck close: the half beside the exchanges hangs in its send, and so does the closer for a while.
#[tokio::test(start_paused = true)]
async fn a_stuck_close_is_bounded_and_ends_every_exchange() {
    let before = tasks_left().await;
    let (client, mut server) = over_exchanges(builder(), LEGACY).await;
    let mut call = client.call_tool("t").with_progress();
    let handle = call.cancel_handle();
    tokio::select! {
        _ = call.progress().next() => panic!("no progress was sent"),
        () = tokio::time::sleep(ms(10)) => {}
    }
    let exchange = server.expect("tools/call").await;
    server.beside.stop_reading();
    let begun = Instant::now();
    client.close().await;
    assert!(begun.elapsed() < secs(60), "{:?}", begun.elapsed());
    exchange.abandoned().await;
    server.beside.closer_is(CloserState::Closed).await;
    drop((handle, call, client, server, exchange));
    assert_eq!(tasks_left().await, before);
}

/// The same calls over a pipe and over exchanges give the same.
#[tokio::test(start_paused = true)]
async fn a_pipe_and_exchanges_look_alike() {
    let (client, mut peer) = modern().await;
    let (over_pipe, ()) = tokio::join!(client.call_tool("t").into_future(), async {
        peer.expect("tools/call").await.reply(DONE);
    });
    let (client, mut server) = over_exchanges(builder(), MODERN).await;
    let (over_exchange, ()) = tokio::join!(client.call_tool("t").into_future(), async {
        server.expect("tools/call").await.reply(DONE);
    });
    assert_eq!(over_pipe.unwrap().raw(), over_exchange.unwrap().raw());
}

/// A server that answers but never ends its stream: the exchange lingers for a moment, no longer.
#[tokio::test(start_paused = true)]
async fn an_exchange_that_goes_on_after_its_reply_is_ended() {
    let (client, mut server) = over_exchanges(builder(), MODERN).await;
    for accepted_before in [true, false] {
        let call = tokio::spawn(client.call_tool("t").into_future());
        let mut exchange = server.expect("tools/call").await;
        if accepted_before {
            exchange.accept();
            tokio::time::sleep(ms(10)).await;
        }
        exchange.send(RawMessage::result(exchange.id().clone(), DONE.into()));
        call.await.unwrap().unwrap();
        let begun = Instant::now();
        exchange.abandoned().await;
        assert!(begun.elapsed() <= secs(10), "{:?}", begun.elapsed());
    }
}

/// The same for many of them: what is left of an exchange after its reply does not pile up.
#[tokio::test(start_paused = true)]
async fn exchanges_that_never_end_do_not_pile_up() {
    let (client, mut server) = over_exchanges(builder(), MODERN).await;
    let before = tasks_left().await;
    let mut kept = Vec::new();
    for _ in 0..200 {
        let call = tokio::spawn(client.call_tool("t").into_future());
        let mut exchange = server.expect("tools/call").await;
        exchange.send(RawMessage::result(exchange.id().clone(), DONE.into()));
        exchange.hang();
        call.await.unwrap().unwrap();
        kept.push(exchange);
    }
    tokio::time::sleep(secs(100)).await;
    assert_eq!(kept.iter().filter(|exchange| exchange.is_open()).count(), 0);
    assert_eq!(tasks_left().await, before);
}

/// A call that was cancelled before it began is neither sent nor told of, also where a cancel is a message beside.
#[tokio::test(start_paused = true)]
async fn a_call_cancelled_before_it_began_is_not_heard_of() {
    for revision in [LEGACY, MODERN] {
        let (client, mut server) = over_exchanges(builder(), revision).await;
        let call = client.call_tool("t").with_progress();
        call.cancel_handle().cancel("before it began");
        let error = call.await.unwrap_err();
        assert_eq!((error.kind(), error.may_have_executed()), (ErrorKind::Cancelled, false));
        tokio::time::sleep(secs(1)).await;
        assert!(server.try_next_exchange().is_none(), "{revision}");
        assert!(!server.beside.try_next().is_some_and(|out| is_cancelled(&out)), "{revision}");
    }
}

/// Progress belongs to the exchange that it comes in.
#[tokio::test(start_paused = true)]
async fn another_exchange_reports_no_progress() {
    let (client, mut server) = over_exchanges(builder(), MODERN).await;
    let mut call = client.call_tool("a").with_progress();
    let steps = tokio::spawn(async move { call.progress().next().await.unwrap().progress.to_string() });
    let mut own = server.expect("tools/call").await;
    let params: serde_json::Value = serde_json::from_str(own.params().unwrap()).unwrap();
    let token = &params["_meta"]["progressToken"];
    let progress = |at: u32| format!(r#"{{"progressToken":{token},"progress":{at}}}"#);
    let _other = tokio::spawn(client.call_tool("b").into_future());
    let mut other = server.expect("tools/call").await;
    other.notify("notifications/progress", progress(1));
    other.taken().await;
    own.notify("notifications/progress", progress(2));
    assert_eq!(steps.await.unwrap(), "2");
}

/// A refusal that the same request would meet again is not to be retried.
#[tokio::test(start_paused = true)]
async fn only_passing_refusals_are_retryable() {
    let (client, mut server) = over_exchanges(builder(), MODERN).await;
    for (status, retryable) in [(400, false), (401, false), (404, false), (429, true), (503, true)] {
        let call = tokio::spawn(client.call_tool("t").into_future());
        server.expect("tools/call").await.fail(http(status));
        let error = call.await.unwrap().unwrap_err();
        assert_eq!((error.is_retryable(), error.may_have_executed()), (retryable, false), "{status}");
    }
}
