//! Calls and their ends: results, errors, deadlines, cancellation, progress, lists.

use std::time::Duration;

use crate::common::{builder, connected, legacy, modern, ms, secs};
use mcp_client::{ErrorKind, Progress};
use mcp_types::{
    CallToolRequest, CallToolRequestParams, ContentBlock, Json, ListToolsRequest, PaginatedRequestParams,
    Request, RequestParams, Revision, UnsubscribeRequest, UnsubscribeRequestParams,
};
use serde_json::{Value, json};
use tokio::time::Instant;

/// Field reports T-01 and T-02; quirk 22.
#[tokio::test(start_paused = true)]
async fn results_are_decoded_by_method_and_keep_what_no_type_knows() {
    let (client, mut peer) = legacy().await;
    let server = async {
        peer.expect("tools/call").await.reply(
            r#"{"content":[{"type":"text","text":"a"},{"type":"hologram","x":1},{"type":"resource_link","uri":"f:/x","name":"n"}],"later":[1]}"#,
        );
        peer.expect("tools/call").await.reply(r#"{"structuredContent":{"a":1}}"#);
        let call = peer.expect("tools/call").await;
        let id = call.id().to_string();
        // Members in any order, unknown ones beside them.
        call.reply_frame(format!(
            r#"{{"x":{{}},"error":{{"data":7,"message":"m","code":0}},"id":{id},"jsonrpc":"2.0"}}"#
        ));
    };
    let calls = async {
        let result = client.call_tool("t").await.unwrap();
        assert_eq!(result.content.len(), 3);
        assert!(matches!(&result.content[1], ContentBlock::Unknown(_)), "{result:?}");
        let raw: Value = serde_json::from_slice(result.raw()).unwrap();
        assert_eq!(raw["later"], json!([1]));

        let result = client.call_tool("t").await.unwrap();
        assert!(result.content.is_empty());

        let error = client.call_tool("t").await.unwrap_err();
        // Quirk 18: 0 is a code.
        assert_eq!((error.kind(), error.rpc().unwrap().code.0), (ErrorKind::Rpc, 0));
        assert_eq!(error.to_string(), "tools/call: the server answered: m (code 0)");
        assert!(error.may_have_executed() && !error.is_retryable());
    };
    tokio::join!(server, calls);
}

/// Field report T-06.
#[tokio::test(start_paused = true)]
async fn digits_survive_in_arguments_and_results() {
    let (client, mut peer) = modern().await;
    let server = async {
        let call = peer.expect("tools/call").await;
        assert!(call.params().contains(r#""arguments":{"id":7960607143101464576}"#), "{}", call.params());
        call.reply(r#"{"resultType":"complete","content":[],"structuredContent":{"id":9007199254740993,"big":9223372036854775808}}"#);
    };
    let call = async {
        let args = json!({"id": 7_960_607_143_101_464_576_u64});
        let result = client.call_tool("t").args(&args).unwrap().await.unwrap();
        let structured = result.structured_content.as_ref().unwrap();
        assert_eq!(structured.as_str(), r#"{"id":9007199254740993,"big":9223372036854775808}"#);
    };
    tokio::join!(server, call);
}

/// Field report P-13, as far as a call that is not driven: typed errors, never an empty success.
#[tokio::test(start_paused = true)]
async fn results_of_another_type_are_errors_of_their_own() {
    let (client, mut peer) = modern().await;
    let server = async {
        peer.expect("tools/call").await.reply(r#"{"resultType":"input_required","requestState":"s"}"#);
        peer.expect("tools/call").await.reply(r#"{"resultType":"later","content":[]}"#);
        peer.expect("tools/call").await.reply(r#"{"resultType":"complete","content":7}"#);
        peer.expect("tools/call").await.reply("[]");
        peer.expect("tools/call").await.reply(r#"{"resultType":"complete","content":[{"a":tru}]}"#);
    };
    let calls = async {
        let error = client.call_tool("t").await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InputRequired);
        assert!(error.raw_result().unwrap().as_str().contains("requestState"));
        let error = client.call_tool("t").await.unwrap_err();
        assert_eq!((error.kind(), error.to_string().contains("`later`")), (ErrorKind::InvalidResult, true));
        for _ in 0..3 {
            let error = client.call_tool("t").await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidResult);
            assert!(error.may_have_executed());
        }
    };
    tokio::join!(server, calls);
}

/// Every modern request is stamped; the caller's own `_meta` stays.
#[tokio::test(start_paused = true)]
async fn modern_requests_carry_their_metadata() {
    let (client, mut peer) = modern().await;
    let server = async {
        let params = peer.expect("tools/call").await.params_value();
        let meta = &params["_meta"];
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(meta["io.modelcontextprotocol/clientInfo"]["name"], "test-client");
        assert_eq!(meta["traceparent"], "00-ab-cd-01");
        assert!(meta["progressToken"].is_i64());
    };
    let call = client
        .call_tool("t")
        .meta("traceparent", Json::encode("00-ab-cd-01").unwrap())
        .extend_on_progress()
        .total(secs(1));
    let ((), result) = tokio::join!(server, call.into_future());
    assert_eq!(result.unwrap_err().kind(), ErrorKind::Timeout);
}

/// What the peer's revision or capabilities lack is refused before it is sent.
#[tokio::test(start_paused = true)]
async fn unsupported_methods_are_refused_before_they_are_sent() {
    struct Frobnicate;
    impl Request for Frobnicate {
        const METHOD: &'static str = "acme/frobnicate";
        type Params = RequestParams;
        type Result = mcp_types::Empty;
    }

    let (client, mut peer) = modern().await;
    let error =
        client.request::<UnsubscribeRequest>(UnsubscribeRequestParams::new("file:///a")).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert!(error.to_string().contains("2026-07-28") && !error.may_have_executed(), "{error}");
    // The server's own method is not ours to send.
    let error = client.request::<mcp_types::ListRootsRequest>(RequestParams::new()).await.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let error =
        client.notify::<mcp_types::ToolListChangedNotification>(&mcp_types::NotificationParams::new());
    assert_eq!(error.unwrap_err().kind(), ErrorKind::Unsupported);
    // Quirk 21: a modern ping is a discover.
    let server = async {
        peer.expect("server/discover")
            .await
            .reply(r#"{"resultType":"complete","supportedVersions":[],"capabilities":{}}"#);
        // A method that the specification does not name is the user's own affair.
        peer.expect("acme/frobnicate").await.reply(r#"{"resultType":"complete"}"#);
    };
    let calls = async {
        client.ping().await.unwrap();
        client.request::<Frobnicate>(RequestParams::new()).await.unwrap();
    };
    tokio::join!(server, calls);

    let (link, mut peer) = mcp_testkit::script::peer();
    let connecting = builder().connect(mcp_transport::Single::new(link));
    let (client, _) = tokio::join!(connecting, peer.accept_legacy(Revision::V2025_06_18, "{}"));
    let client = client.unwrap();
    // Quirk 20.
    let error = client.list_tools().all().await.unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string()),
        (ErrorKind::Unsupported, "tools/list: the server did not declare the capability `tools`".to_owned())
    );
    let (pong, ()) = tokio::join!(client.ping(), async { peer.expect("ping").await.reply("{}") });
    pong.unwrap();
    peer.expect_nothing(secs(1)).await;
}

#[tokio::test(start_paused = true)]
async fn arguments_that_cannot_be_sent_are_refused() {
    let (client, mut peer) = legacy().await;
    let error = client.call_tool("t").args(&[1, 2]).err().unwrap();
    assert_eq!((error.kind(), error.may_have_executed()), (ErrorKind::InvalidArguments, false));
    assert_eq!(client.call_tool("t").args("text").err().unwrap().kind(), ErrorKind::InvalidArguments);
    peer.expect_nothing(secs(1)).await;
}

/// Field reports P-03 and P-04; quirk 16: a deadline on everything.
#[tokio::test(start_paused = true)]
async fn a_call_without_an_answer_ends_at_its_deadline_and_the_server_is_told_once() {
    for revision in [Revision::V2024_11_05, Revision::V2025_11_25, Revision::V2026_07_28] {
        let (client, mut peer) = connected(builder(), revision).await;
        let begun = Instant::now();
        let server = async {
            let call = peer.expect("tools/call").await;
            let id = call.id().to_string();
            peer.expect_notification("notifications/cancelled")
                .await
                .with_params(&format!(r#"{{"requestId":{id}}}"#));
            let reply = r#"{"resultType":"complete","content":[]}"#;
            call.reply(reply);
            call.reply(reply);
            call.reply_as("9999", reply);
            // Field report T-08: the id comes back as a string.
            let next = peer.expect("tools/call").await;
            let id = next.id().to_string();
            next.reply_as(&format!("\"{id}\""), reply);
            peer.expect_nothing(secs(600)).await;
        };
        let calls = async {
            let error = client.call_tool("t").timeout(ms(200)).await.unwrap_err();
            assert_eq!((error.kind(), begun.elapsed().as_millis() / 100), (ErrorKind::Timeout, 2));
            assert!(error.may_have_executed() && !error.is_retryable());
            client.call_tool("t").await.unwrap();
        };
        tokio::join!(server, calls);
    }
}

/// Default deadlines: 60 s for calls, 10 s for metadata, 10 min in total.
#[tokio::test(start_paused = true)]
async fn nothing_hangs_by_default() {
    let (client, _peer) = legacy().await;
    let begun = Instant::now();
    assert_eq!(client.call_tool("t").await.unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!(begun.elapsed().as_secs(), 60);
    assert_eq!(client.list_tools().all().await.unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!(begun.elapsed().as_secs(), 70);
    assert_eq!(client.ping().await.unwrap_err().kind(), ErrorKind::Timeout);
    assert_eq!(begun.elapsed().as_secs(), 80);
}

/// Field report P-04.
#[tokio::test(start_paused = true)]
async fn dropping_the_future_cancels_once() {
    let (client, mut peer) = legacy().await;
    for drop_before_it_left in [false, true] {
        let mut call = Box::pin(client.call_tool("t").into_future());
        let started = std::future::poll_fn(|cx| std::task::Poll::Ready(call.as_mut().poll(cx).is_pending()));
        assert!(started.await);
        if drop_before_it_left {
            drop(call);
            // Taken back: the server hears nothing at all.
            peer.expect_nothing(secs(1)).await;
            continue;
        }
        let id = peer.expect("tools/call").await.id().to_string();
        drop(call);
        peer.expect_notification("notifications/cancelled")
            .await
            .with_params(&format!(r#"{{"requestId":{id}}}"#));
        peer.expect_nothing(secs(1)).await;
    }
}

/// Field report P-07.
#[tokio::test(start_paused = true)]
async fn progress_extends_the_idle_limit_without_a_callback_but_not_the_total() {
    let (client, mut peer) = legacy().await;
    let server = async {
        let call = peer.expect("tools/call").await;
        for step in 1..=5 {
            tokio::time::sleep(ms(200)).await;
            call.progress(f64::from(step), None);
        }
        tokio::time::sleep(ms(200)).await;
        call.reply(r#"{"content":[]}"#);

        let endless = peer.expect("tools/call").await;
        for step in 1..100 {
            tokio::time::sleep(ms(200)).await;
            endless.progress(f64::from(step), None);
        }
    };
    let calls = async {
        client.call_tool("t").timeout(ms(300)).extend_on_progress().await.unwrap();
        let begun = Instant::now();
        let endless = client.call_tool("t").timeout(ms(300)).total(secs(5)).extend_on_progress().await;
        assert_eq!((endless.unwrap_err().kind(), begun.elapsed().as_secs()), (ErrorKind::Timeout, 5));
    };
    tokio::join!(server, calls);
}

#[tokio::test(start_paused = true)]
async fn progress_comes_in_order_and_before_the_result() {
    let (client, mut peer) = modern().await;
    let server = async {
        let call = peer.expect("tools/call").await;
        for step in 0..500 {
            call.progress(f64::from(step), Some(500.0));
        }
        call.reply(r#"{"resultType":"complete","content":[]}"#);
        // After the end: dropped.
        call.progress(9.0, None);
    };
    let reading = async {
        let mut call = client.call_tool("t").with_progress();
        let mut seen: Vec<Progress> = Vec::new();
        let progress = call.progress();
        while let Some(step) = progress.next().await {
            seen.push(step);
        }
        assert_eq!(seen.len(), 500);
        assert!(seen.iter().enumerate().all(|(at, step)| step.progress.to_string() == at.to_string()));
        assert_eq!((seen[0].total, seen[0].lost_before), (Some(500.0), 0));
        call.await.unwrap();
    };
    tokio::join!(server, reading);
}

/// DESIGN, full queues: 1,024 a call, then the oldest go and the loss is told. The reader is never held.
#[tokio::test(start_paused = true)]
async fn progress_that_nobody_takes_is_bounded_and_the_loss_is_told() {
    let (client, mut peer) = legacy().await;
    let mut call = client.call_tool("t").with_progress();
    let taken = tokio::sync::Notify::new();
    let server = async {
        let open = peer.expect("tools/call").await;
        open.progress(-1.0, None);
        taken.notified().await;
        let token = open.progress_token().unwrap();
        peer.flood(
            100_000,
            "notifications/progress",
            &format!(r#"{{"progressToken":{token},"progress":{{n}}}}"#),
        );
        open.reply(r#"{"content":[]}"#);
        peer.expect("ping").await.reply("{}");
    };
    let reading = async {
        let first = call.progress().next().await.unwrap();
        assert_eq!(first.progress.to_string(), "-1");
        taken.notify_one();
        // The reader is not held meanwhile.
        client.ping().await.unwrap();
        let progress = call.progress();
        let next = progress.next().await.unwrap();
        assert_eq!((next.lost_before, next.progress), (100_000 - 1024, f64::from(100_000 - 1024)));
        let mut rest = 0;
        while progress.next().await.is_some() {
            rest += 1;
        }
        assert_eq!(rest, 1023);
        call.await.unwrap();
    };
    tokio::join!(server, reading);
}

#[tokio::test(start_paused = true)]
async fn a_cancel_handle_ends_the_call_and_tells_the_server_why() {
    let (client, mut peer) = legacy().await;
    let call = client.call_tool("t").with_progress();
    let handle = call.cancel_handle();
    let server = async {
        peer.expect("tools/call").await;
        handle.cancel("user pressed escape");
        handle.cancel("again");
        let note = peer.expect_notification("notifications/cancelled").await;
        assert_eq!(note.params_value()["reason"], "user pressed escape");
        peer.expect_nothing(secs(1)).await;
    };
    let (result, ()) = tokio::join!(call.into_future(), server);
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    assert_eq!(error.to_string(), "tools/call: cancelled: user pressed escape");

    let call = client.call_tool("t").with_progress();
    call.cancel_handle().cancel("before it began");
    assert_eq!(call.await.unwrap_err().kind(), ErrorKind::Cancelled);
    peer.expect_nothing(secs(1)).await;
}

/// Field report T-04; expectations: lists are read whole.
#[tokio::test(start_paused = true)]
async fn lists_are_read_page_by_page_and_bad_items_are_reported() {
    let (client, mut peer) = legacy().await;
    let good = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let server = async {
        let first = peer.expect("tools/list").await;
        // Field report T-05: nothing that is not set.
        assert_eq!(first.params(), "null");
        // An empty text is a cursor.
        first.reply(format!(r#"{{"tools":[{},{{"name":"bad"}}],"nextCursor":""}}"#, good("a")));
        let second = peer.expect("tools/list").await.with_params(r#"{"cursor":""}"#);
        second.reply(format!(r#"{{"tools":[{}],"nextCursor":null,"_meta":null}}"#, good("b")));
        peer.expect("tools/list").await.with_params(r#"{"cursor":"x"}"#).reply(r#"{"tools":[]}"#);
    };
    let calls = async {
        let tools = client.list_tools().all().await.unwrap();
        assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((tools.rejected.len(), tools.rejected[0].index), (1, 1));
        assert!(tools.rejected[0].reason.contains("inputSchema"), "{:?}", tools.rejected);
        let page = client.list_tools().page(Some("x".into())).await.unwrap();
        assert!(page.tools.is_empty() && page.next_cursor.is_none());
    };
    tokio::join!(server, calls);
}

/// Field report C-01: the same cursor for ever, a cycle, an error on page two, a list that never ends in time.
#[tokio::test(start_paused = true)]
async fn listing_is_bounded() {
    let page = r#"{"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"again"}"#;
    let (client, mut peer) = legacy().await;
    let served = tokio::spawn(async move {
        let mut count = 0;
        loop {
            let request = peer.expect("tools/list").await;
            count += 1;
            match count {
                1..=51 => request.reply(page),
                52 => request.reply_error(-32602, "bad cursor"),
                _ => {
                    tokio::time::sleep(secs(4)).await;
                    request.reply(page);
                }
            }
            if count == 60 {
                return peer;
            }
        }
    });
    let error = client.list_tools().max_pages(50).all().await.unwrap_err();
    assert_eq!((error.kind(), error.method()), (ErrorKind::TooManyPages, Some("tools/list")));

    let mut stream = client.list_tools().stream();
    assert_eq!(stream.next().await.unwrap().unwrap().name, "a");
    assert_eq!(stream.next().await.unwrap().unwrap_err().rpc().unwrap().code.0, -32602);
    assert!(stream.next().await.is_none());

    let begun = Instant::now();
    let error = client.list_tools().total(secs(10)).all().await.unwrap_err();
    assert_eq!((error.kind(), begun.elapsed().as_secs()), (ErrorKind::Timeout, 10));
    served.abort();
}

#[tokio::test(start_paused = true)]
async fn calls_run_in_parallel_up_to_the_limit_and_waiting_counts() {
    let (client, mut peer) = connected(builder().max_calls(2), Revision::V2025_11_25).await;
    let calls: Vec<_> =
        (0..3).map(|_| tokio::spawn(client.call_tool("t").timeout(secs(5)).into_future())).collect();
    let (first, second) = (peer.expect("tools/call").await, peer.expect("tools/call").await);
    peer.expect_nothing(secs(1)).await;
    second.reply(r#"{"content":[]}"#);
    let third = peer.expect("tools/call").await;
    first.reply(r#"{"content":[]}"#);
    third.reply(r#"{"content":[]}"#);
    for call in calls {
        call.await.unwrap().unwrap();
    }
    let _held = (
        tokio::spawn(client.call_tool("t").into_future()),
        tokio::spawn(client.call_tool("t").into_future()),
    );
    tokio::task::yield_now().await;
    let error = client.call_tool("t").timeout(secs(5)).await.unwrap_err();
    assert_eq!(
        (error.kind(), error.may_have_executed(), error.is_retryable()),
        (ErrorKind::Timeout, false, true)
    );
}

/// A server that stops reading: what waits is bounded, calls end at their deadlines.
#[tokio::test(start_paused = true)]
async fn a_server_that_stops_reading_holds_no_caller_past_its_deadline() {
    let (client, mut peer) = connected(builder().max_queued_bytes(10_000), Revision::V2025_11_25).await;
    peer.stall();
    let args = json!({"text": "x".repeat(4000)});
    let calls: Vec<_> = (0..50)
        .map(|_| tokio::spawn(client.call_tool("t").args(&args).unwrap().timeout(secs(3)).into_future()))
        .collect();
    let begun = Instant::now();
    let mut never_sent = 0;
    for call in calls {
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Timeout);
        never_sent += usize::from(!error.may_have_executed());
    }
    assert!(begun.elapsed() <= Duration::from_secs(6), "{:?}", begun.elapsed());
    assert!(never_sent >= 40, "{never_sent}");
}

#[tokio::test(start_paused = true)]
async fn a_thousand_calls_each_get_their_own_answer() {
    let (client, peer) = legacy().await;
    let server = tokio::spawn(peer.serve(async |request| {
        let id = request.params_value()["arguments"]["n"].clone();
        request.reply(format!(r#"{{"content":[{{"type":"text","text":"{id}"}}]}}"#));
    }));
    let calls: Vec<_> = (0..1000)
        .map(|n| tokio::spawn(client.call_tool("t").args(&json!({"n": n})).unwrap().into_future()))
        .collect();
    for (n, call) in calls.into_iter().enumerate() {
        let result = call.await.unwrap().unwrap();
        let ContentBlock::Text(text) = &result.content[0] else { panic!() };
        assert_eq!(text.text, n.to_string());
    }
    server.abort();
}

/// A method by its types alone, beside the named calls.
#[tokio::test(start_paused = true)]
async fn any_method_can_be_called() {
    let (client, mut peer) = legacy().await;
    let server = async {
        peer.expect("tools/call").await.with_params(r#"{"name":"t"}"#).reply(r#"{"content":[]}"#);
        peer.expect("tools/list").await.reply(r#"{"tools":[]}"#);
    };
    let calls = async {
        client.request::<CallToolRequest>(CallToolRequestParams::new("t")).await.unwrap();
        client.request::<ListToolsRequest>(PaginatedRequestParams::new()).await.unwrap();
    };
    tokio::join!(server, calls);
}
