//! From end to end: the client against the demo server over HTTP, in every revision.

use std::future::{IntoFuture, ready};

use mcp_client::{Change, Client, ErrorKind, Versions};
use mcp_testkit::demo::{Demo, DemoHttp, Discover};
use mcp_transport_http::Http;
use mcp_types::{
    ElicitResult, Era, ErrorCode, Json, JsonObject, LoggingLevel, LoggingMessageNotification, Revision,
    SubscriptionFilter,
};
use serde_json::json;

use crate::common::{ms, secs};

async fn serve(demo: Demo) -> (DemoHttp, Http) {
    let server = demo.bind_http("127.0.0.1:0").await.unwrap();
    let http = Http::new(&server.url()).unwrap();
    (server, http)
}

fn builder() -> mcp_client::ClientBuilder {
    Client::builder("test", "1.0.0").connect_timeout(secs(8)).on_elicit(|_, _| {
        let content: JsonObject = [("name", Json::from("Ada"))].into_iter().collect();
        ready(Ok(ElicitResult::accept(content)))
    })
}

async fn count(client: &Client) -> usize {
    let args = json!({ "steps": 3, "milliseconds": 1 });
    let mut slow = client.call_tool("slow").args(&args).unwrap().with_progress();
    let mut reports = 0;
    while slow.progress().next().await.is_some() {
        reports += 1;
    }
    assert_eq!(slow.await.unwrap().text(), "3 steps done");
    reports
}

#[tokio::test]
async fn every_revision_is_found_and_spoken() {
    for revision in Revision::ALL {
        for (demo, versions) in [
            (Demo::new(), Versions::exactly(revision)),
            (Demo::of_revisions([revision]), Versions::auto()),
            (Demo::of_revisions([revision]).streamed(true), Versions::auto()),
        ] {
            let (server, http) = serve(demo).await;
            let client = builder().versions(versions).connect(http).await.unwrap();
            assert_eq!(client.revision(), revision);
            assert_eq!(client.list_tools().all().await.unwrap().len(), 9);
            let sum = client.call_tool("add").args(&json!({ "a": 2, "b": 40 })).unwrap().await.unwrap();
            assert_eq!(sum.text(), r#"{"sum":42}"#);
            assert!(client.call_tool("fail").await.unwrap().is_error());
            assert!(client.call_tool("fail_protocol").await.unwrap_err().rpc().is_some());
            assert_eq!(count(&client).await, 3);
            assert_eq!(client.call_tool("disconnect").await.unwrap().text(), "Here I am again");
            if revision >= Revision::V2025_06_18 {
                assert_eq!(client.call_tool("greet").await.unwrap().text(), "Hello, Ada!");
            }
            client.read_resource("demo:///readme.md").await.unwrap();
            client.ping().await.unwrap();
            client.close().await;
            server.shutdown().await;
        }
    }
}

#[tokio::test]
async fn a_client_of_both_eras_takes_the_newest() {
    let (_server, http) = serve(Demo::new()).await;
    let client = builder().connect(http).await.unwrap();
    assert_eq!(client.revision(), Revision::LATEST);
    client.close().await;
}

/// Quirk 7, from a server that keeps to its rules otherwise.
#[tokio::test]
async fn a_refused_probe_leads_to_the_handshake() {
    for code in [ErrorCode::METHOD_NOT_FOUND, ErrorCode::INVALID_PARAMS, ErrorCode(0)] {
        let (_server, http) = serve(Demo::legacy().discover(Discover::Refused(code))).await;
        let client = builder().connect(http).await.unwrap();
        assert_eq!(client.negotiated().era(), Era::Legacy);
        client.close().await;
    }
}

/// A dropped call is cancelled in the way of its era, and the client goes on.
#[tokio::test]
async fn calls_are_cancelled_and_expire() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let (_server, http) = serve(Demo::new()).await;
        let client = builder().versions(Versions::exactly(revision)).connect(http).await.unwrap();
        let slow = || client.call_tool("slow").args(&json!({ "steps": 1000, "milliseconds": 1000 })).unwrap();
        let mut dropped = Box::pin(slow().into_future());
        assert!(tokio::time::timeout(secs(1), &mut dropped).await.is_err());
        drop(dropped);
        let late = slow().timeout(std::time::Duration::from_millis(300)).await.unwrap_err();
        assert_eq!(late.kind(), ErrorKind::Timeout);
        assert_eq!(count(&client).await, 3);
        client.close().await;
    }
}

#[tokio::test]
async fn log_messages_come_on_the_stream_of_their_call() {
    for revision in [Revision::V2025_06_18, Revision::V2026_07_28] {
        let (_server, http) = serve(Demo::new()).await;
        let (heard, mut logs) = tokio::sync::mpsc::unbounded_channel();
        let builder = builder().versions(Versions::exactly(revision));
        let builder = builder.on_notification::<LoggingMessageNotification, _>(move |log, _| {
            let _ = heard.send(log.data.as_str().to_owned());
            ready(())
        });
        let client = builder.connect(http).await.unwrap();
        client.set_log_level(LoggingLevel::Info).await.unwrap();
        count(&client).await;
        assert_eq!(logs.recv().await.as_deref(), Some(r#""3 steps to go""#));
        client.close().await;
    }
}

#[tokio::test]
async fn hundreds_of_calls_at_once() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let (_server, http) = serve(Demo::new()).await;
        let client = builder().versions(Versions::exactly(revision)).connect(http).await.unwrap();
        let mut calls = tokio::task::JoinSet::new();
        for n in 0..300 {
            let client = client.clone();
            calls.spawn(async move {
                let args = json!({ "message": format!("number {n}") });
                let result = client.call_tool("echo").args(&args).unwrap().await.unwrap();
                assert_eq!(result.text(), format!("number {n}"));
            });
        }
        while let Some(call) = calls.join_next().await {
            call.unwrap();
        }
        client.close().await;
    }
}

/// In the legacy era on the server's own stream, in the modern one on a stream of the subscription.
#[tokio::test]
async fn changes_are_heard() {
    for revision in [Revision::V2025_03_26, Revision::V2025_11_25, Revision::V2026_07_28] {
        let (_server, http) = serve(Demo::new()).await;
        let client = builder().versions(Versions::exactly(revision)).connect(http).await.unwrap();
        let filter = SubscriptionFilter::new().with_resource_subscriptions(["demo:///counter".to_owned()]);
        let mut subscription = client.listen(filter).await.unwrap();
        assert!(subscription.is_complete());
        for _ in 0..2 {
            client.call_tool("bump").await.unwrap();
            let change = tokio::time::timeout(secs(8), subscription.next()).await.unwrap().unwrap();
            let Some(Change::ResourceUpdated(updated)) = change else { panic!("{change:?}") };
            assert_eq!(updated.uri, "demo:///counter");
        }
        drop(subscription);
        client.close().await;
    }
}

/// The arguments that a tool's schema says travel in header fields too, whether the tools were listed before or not.
#[tokio::test]
async fn annotated_arguments_travel_in_header_fields() {
    for listed in [false, true] {
        let (_server, http) = serve(Demo::new()).await;
        let client = builder().connect(http).await.unwrap();
        if listed {
            client.list_tools().all().await.unwrap();
        }
        let args = json!({ "greeting": "Grüezi" });
        let greeted = client.call_tool("greet").args(&args).unwrap().await.unwrap();
        assert_eq!(greeted.text(), "Grüezi, Ada!");
        client.close().await;
    }
}

/// The transport of 2024-11-05 is found where Streamable HTTP is refused, whichever revision the server speaks over it.
#[tokio::test]
async fn http_sse_is_found_in_every_revision() {
    for revision in Revision::ALL {
        let server = Demo::of_revisions([revision]).bind_http("127.0.0.1:0").await.unwrap();
        let client = builder().connect(Http::new(&server.sse_url()).unwrap()).await.unwrap();
        assert_eq!(client.revision(), revision);
        assert_eq!(client.list_tools().all().await.unwrap().len(), 9);
        assert_eq!(count(&client).await, 3);
        if revision >= Revision::V2025_06_18 {
            assert_eq!(client.call_tool("greet").await.unwrap().text(), "Hello, Ada!");
        }
        client.close().await;
    }
}

/// Field report H-01: a server that is restarted, between calls and beside subscriptions; every legacy revision over this
/// transport.
#[tokio::test]
async fn a_restarted_server_is_used_again() {
    for revision in [Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25] {
        let (server, http) = serve(Demo::of_revisions([revision])).await;
        let address = server.local_addr().to_string();
        let client = builder().connect(http).await.unwrap();
        let args = json!({ "a": 2, "b": 40 });
        client.call_tool("add").args(&args).unwrap().await.unwrap();
        server.shutdown().await;
        let again = Demo::of_revisions([revision]).bind_http(&address).await.unwrap();
        // Until the client has seen that its idle connections ended: a call that meets the end may have run.
        tokio::time::sleep(ms(50)).await;
        let sums: Vec<_> = (0..20)
            .map(|_| tokio::spawn(client.call_tool("add").args(&args).unwrap().into_future()))
            .collect();
        for sum in sums {
            assert_eq!(sum.await.unwrap().unwrap().text(), r#"{"sum":42}"#);
        }
        assert_eq!(count(&client).await, 3);
        client.close().await;
        again.shutdown().await;
    }
}
