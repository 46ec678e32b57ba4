//! Every method by name: what goes out, what comes back, and that all of them end alike.

use std::{
    future::{Future, IntoFuture},
    pin::Pin,
};

use crate::common::{
    builder, connected, exited, in_time, legacy, modern, ms, over_exchanges, secs, tasks_left,
};
use mcp_client::{Client, Error, ErrorKind, State};
use mcp_transport::{
    Outbound,
    contract::{FakeExchange, FakeServer},
};
use mcp_types::{LoggingLevel, PromptReference, ResourceTemplateReference, Revision, SubscriptionFilter};
use serde_json::{Value, json};

type Done = Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;
type Make = fn(Client) -> Done;

fn done<T: Send + 'static>(call: impl Future<Output = Result<T, Error>> + Send + 'static) -> Done {
    Box::pin(async move { call.await.map(drop) })
}

/// Method, what its params hold beside `_meta`, a result, and the call.
fn common() -> Vec<(&'static str, Value, &'static str, Make)> {
    vec![
        ("tools/list", json!({}), r#"{"resultType":"complete","tools":[]}"#, |c| {
            done(async move { c.list_tools().all().await })
        }),
        (
            "tools/call",
            json!({"name": "t", "arguments": {"a": 1}}),
            r#"{"resultType":"complete","content":[]}"#,
            |c| done(c.call_tool("t").args(&json!({"a": 1})).unwrap().into_future()),
        ),
        ("resources/list", json!({}), r#"{"resultType":"complete","resources":[]}"#, |c| {
            done(async move { c.list_resources().all().await })
        }),
        (
            "resources/templates/list",
            json!({"cursor": "x"}),
            r#"{"resultType":"complete","resourceTemplates":[]}"#,
            |c| done(c.list_resource_templates().page(Some("x".into())).into_future()),
        ),
        ("resources/read", json!({"uri": "file:///a"}), r#"{"resultType":"complete","contents":[]}"#, |c| {
            done(c.read_resource("file:///a").into_future())
        }),
        ("prompts/list", json!({}), r#"{"resultType":"complete","prompts":[]}"#, |c| {
            done(async move { c.list_prompts().stream().next().await.transpose() })
        }),
        (
            "prompts/get",
            json!({"name": "p", "arguments": {"k": "v"}}),
            r#"{"resultType":"complete","messages":[]}"#,
            |c| done(c.get_prompt("p").arg("k", "v").into_future()),
        ),
        (
            "completion/complete",
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "k", "value": "v"}, "context": {"arguments": {"o": "x"}}}),
            r#"{"resultType":"complete","completion":{"values":["vv"]}}"#,
            |c| done(c.complete(PromptReference::new("p"), "k", "v").known("o", "x").into_future()),
        ),
    ]
}

fn legacy_only() -> Vec<(&'static str, Value, &'static str, Make)> {
    vec![
        ("ping", Value::Null, "{}", |c| done(async move { c.ping().await })),
        ("logging/setLevel", json!({"level": "warning"}), "{}", |c| {
            done(async move { c.set_log_level(LoggingLevel::Warning).await })
        }),
        ("resources/subscribe", json!({"uri": "u"}), "{}", |c| done(c.subscribe_resource("u").into_future())),
        ("resources/unsubscribe", json!({"uri": "u"}), "{}", |c| {
            done(c.unsubscribe_resource("u").into_future())
        }),
    ]
}

fn modern_only() -> Vec<(&'static str, Value, &'static str, Make)> {
    vec![(
        "server/discover",
        json!({}),
        r#"{"resultType":"complete","supportedVersions":[],"capabilities":{}}"#,
        |c| done(async move { c.ping().await }),
    )]
}

/// With the one that is open for as long as somebody listens, up to its acknowledgement.
fn ending(revision: Revision) -> Vec<(&'static str, Make)> {
    let mut methods: Vec<_> = of(revision).into_iter().map(|(method, _, _, make)| (method, make)).collect();
    if revision == Revision::V2026_07_28 {
        methods.push(("subscriptions/listen", |c| {
            done(c.listen(SubscriptionFilter::new()).timeout(secs(60)).into_future())
        }));
    }
    methods
}

fn of(revision: Revision) -> Vec<(&'static str, Value, &'static str, Make)> {
    let mut methods = common();
    methods.extend(if revision == Revision::V2026_07_28 { modern_only() } else { legacy_only() });
    methods
}

const BOTH: [Revision; 2] = [Revision::V2025_11_25, Revision::V2026_07_28];

#[tokio::test(start_paused = true)]
async fn every_method_goes_out_and_comes_back() {
    for revision in BOTH {
        let (client, mut peer) = connected(builder(), revision).await;
        for (method, params, result, make) in of(revision) {
            let server = async {
                let request = peer.expect(method).await;
                let mut sent = request.params_value();
                if let Some(members) = sent.as_object_mut() {
                    members.remove("_meta");
                }
                let nothing = |value: &Value| value.is_null() || *value == json!({});
                assert!(sent == params || (nothing(&sent) && nothing(&params)), "{method}: {sent}");
                request.reply(result);
            };
            let (outcome, ()) = tokio::join!(make(client.clone()), server);
            outcome.unwrap_or_else(|error| panic!("{method}: {error}"));
        }
    }
}

/// Dropped, expired, aborted and closed calls behave alike on all methods: exactly one cancel, nothing left.
#[tokio::test(start_paused = true)]
async fn every_method_ends_alike() {
    for revision in BOTH {
        for (method, make) in ending(revision) {
            // Expired.
            let (client, mut peer) = connected(builder(), revision).await;
            let (outcome, ()) = tokio::join!(make(client.clone()), async {
                let id = peer.expect(method).await.id().to_string();
                peer.expect_notification("notifications/cancelled")
                    .await
                    .with_params(&format!(r#"{{"requestId":{id}}}"#));
                peer.expect_nothing(secs(1000)).await;
            });
            let error = outcome.unwrap_err();
            assert_eq!((error.kind(), error.method()), (ErrorKind::Timeout, Some(method)), "{revision}");

            // Aborted, which is dropped in another task.
            let call = tokio::spawn(make(client.clone()));
            let id = peer.expect(method).await.id().to_string();
            call.abort();
            peer.expect_notification("notifications/cancelled")
                .await
                .with_params(&format!(r#"{{"requestId":{id}}}"#));
            peer.expect_nothing(secs(1000)).await;

            // Refused.
            let (outcome, ()) = tokio::join!(make(client.clone()), async {
                peer.expect(method).await.reply_error(-32602, "no");
            });
            assert_eq!(outcome.unwrap_err().rpc().unwrap().code.0, -32602);

            // Closed.
            let call = tokio::spawn(make(client.clone()));
            peer.expect(method).await;
            client.close_within(secs(0)).await;
            let error = call.await.unwrap().unwrap_err();
            assert_eq!((error.kind(), error.may_have_executed()), (ErrorKind::Closed, true), "{method}");
            let error = make(client.clone()).await.unwrap_err();
            assert_eq!((error.kind(), error.may_have_executed()), (ErrorKind::Closed, false), "{method}");

            // Lost.
            let (client, mut peer) = connected(builder(), revision).await;
            let call = tokio::spawn(make(client.clone()));
            peer.expect(method).await;
            peer.fail(exited());
            assert_eq!(call.await.unwrap().unwrap_err().kind(), ErrorKind::Transport, "{method}");
        }
    }
}

/// The server is told in the way of the era: by the end of the exchange alone, or by one message beside.
async fn told_once(revision: Revision, exchange: &FakeExchange, server: &mut FakeServer) {
    exchange.abandoned().await;
    tokio::time::sleep(secs(100)).await;
    let mut told = 0;
    while let Some(out) = server.beside.try_next() {
        if let Outbound::Message(out) = out {
            assert_eq!(out.message.method(), Some("notifications/cancelled"));
            told += 1;
        }
    }
    let expected = usize::from(revision != Revision::V2026_07_28);
    assert_eq!(told, expected, "{revision} {}", exchange.method());
    assert!(server.try_next_exchange().is_none());
}

/// The same over exchanges, before the response began and after.
#[tokio::test(start_paused = true)]
async fn every_method_ends_alike_over_exchanges() {
    let before = tasks_left().await;
    for (revision, accepted) in BOTH.into_iter().flat_map(|revision| [(revision, false), (revision, true)]) {
        for (method, make) in ending(revision) {
            let what = format!("{revision} {method} accepted: {accepted}");
            let (client, mut server) = over_exchanges(builder(), revision).await;
            let start = async |server: &mut FakeServer| {
                let call = tokio::spawn(make(client.clone()));
                let mut exchange = server.expect(method).await;
                if accepted {
                    exchange.accept();
                    tokio::time::sleep(ms(10)).await;
                }
                (call, exchange)
            };

            // Expired.
            let (call, exchange) = start(&mut server).await;
            let error = in_time(call).await.unwrap().unwrap_err();
            assert_eq!((error.kind(), error.method()), (ErrorKind::Timeout, Some(method)), "{what}");
            assert!(error.may_have_executed(), "{what}");
            told_once(revision, &exchange, &mut server).await;

            // Aborted.
            let (call, exchange) = start(&mut server).await;
            call.abort();
            told_once(revision, &exchange, &mut server).await;

            // Refused.
            let (call, mut exchange) = start(&mut server).await;
            exchange.reply_error(-32602, "no");
            assert_eq!(call.await.unwrap().unwrap_err().rpc().unwrap().code.0, -32602, "{what}");

            // Its exchange lost, or ended without a reply: no other call is concerned.
            for lost in [true, false] {
                let (call, mut exchange) = start(&mut server).await;
                if lost {
                    exchange.fail(exited());
                } else {
                    exchange.complete();
                }
                let error = in_time(call).await.unwrap().unwrap_err();
                assert_eq!((error.kind(), error.method()), (ErrorKind::Transport, Some(method)), "{what}");
                assert!(error.may_have_executed(), "{what}");
                assert_eq!(client.state(), State::Ready, "{what}");
            }

            // Closed.
            let (call, exchange) = start(&mut server).await;
            client.close_within(secs(0)).await;
            let error = in_time(call).await.unwrap().unwrap_err();
            assert_eq!((error.kind(), error.may_have_executed()), (ErrorKind::Closed, true), "{what}");
            assert!(exchange.is_abandoned(), "{what}");
            let error = make(client.clone()).await.unwrap_err();
            assert_eq!((error.kind(), error.may_have_executed()), (ErrorKind::Closed, false), "{what}");

            drop((client, server, exchange));
            assert_eq!(tasks_left().await, before, "{what}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn methods_of_the_other_era_are_refused() {
    let (client, mut peer) = modern().await;
    for call in [
        client.subscribe_resource("u").into_future().await.map(drop),
        client.unsubscribe_resource("u").await.map(drop),
    ] {
        assert_eq!(call.unwrap_err().kind(), ErrorKind::Unsupported);
    }
    // In the modern era the level goes with each request; nothing is sent now.
    client.set_log_level(LoggingLevel::Debug).await.unwrap();
    peer.expect_nothing(secs(1)).await;

    let (client, mut peer) = legacy().await;
    let templates = client.complete(ResourceTemplateReference::new("file:///{x}"), "x", "a");
    let (completed, ()) = tokio::join!(templates.into_future(), async {
        let request = peer.expect("completion/complete").await;
        assert_eq!(request.params_value()["ref"], json!({"type": "ref/resource", "uri": "file:///{x}"}));
        request.reply(r#"{"completion":{"values":["aa","ab"],"total":2,"hasMore":false}}"#);
    });
    assert_eq!(completed.unwrap().completion.values.to_vec(), ["aa", "ab"]);
}
