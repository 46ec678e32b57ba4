//! Calls and their results: decoded by method, refused before they are sent, errors that say what happened.

use std::future::IntoFuture;

use crate::common::{builder, legacy, modern, secs};
use mcp_client::ErrorKind;
use mcp_types::{
    CallToolRequest, CallToolRequestParams, ContentBlock, Json, ListToolsRequest, PaginatedRequestParams,
    Request, RequestParams, Revision, UnsubscribeRequest, UnsubscribeRequestParams,
};
use serde_json::{Value, json};

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

/// Field report P-13: unknown and misplaced types are typed errors, never an empty success.
#[tokio::test(start_paused = true)]
async fn results_of_another_type_are_errors_of_their_own() {
    let (client, mut peer) = modern().await;
    let server = async {
        peer.expect("tools/list").await.reply(r#"{"resultType":"input_required","requestState":"s"}"#);
        peer.expect("tools/call").await.reply(r#"{"resultType":"later","content":[]}"#);
        peer.expect("tools/call").await.reply(r#"{"resultType":"complete","content":7}"#);
        peer.expect("tools/call").await.reply("[]");
        peer.expect("tools/call").await.reply(r#"{"resultType":"complete","content":[{"a":tru}]}"#);
    };
    let calls = async {
        let error = client.list_tools().all().await.unwrap_err();
        assert_eq!(
            (error.kind(), error.to_string().contains("`input_required`")),
            (ErrorKind::InvalidResult, true)
        );
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

/// A tool's own failure is a result; an error when asked. Structured results are decoded by the caller's type.
#[tokio::test(start_paused = true)]
async fn a_result_is_structured_or_says_why_not() {
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Weather {
        celsius: f64,
    }

    let (client, mut peer) = modern().await;
    let server = async {
        for result in [
            r#"{"resultType":"complete","content":[],"structuredContent":{"celsius":7.5}}"#,
            r#"{"resultType":"complete","content":[{"type":"text","text":"no such city"}],"isError":true}"#,
            r#"{"resultType":"complete","content":[]}"#,
            r#"{"resultType":"complete","content":[],"structuredContent":[7.5]}"#,
        ] {
            peer.expect("tools/call").await.reply(result);
        }
    };
    let calls = async {
        let weather: Weather = client.call_tool("t").await.unwrap().structured().unwrap();
        assert_eq!(weather, Weather { celsius: 7.5 });
        let failed = client.call_tool("t").await.unwrap();
        assert!(failed.is_error());
        assert_eq!(failed.structured::<Weather>().unwrap_err().kind(), ErrorKind::Tool);
        let error = failed.into_success().unwrap_err();
        assert_eq!(error.to_string(), "tools/call: the tool failed: no such city");
        for _ in 0..2 {
            let error = client.call_tool("t").await.unwrap().structured::<Vec<String>>().unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidResult);
        }
    };
    tokio::join!(server, calls);
}

/// `_meta` of the caller's own params is filled in, also where it is null; never written twice. Field report T-05.
#[tokio::test(start_paused = true)]
async fn metadata_replaces_a_null() {
    struct Frobnicate;
    impl Request for Frobnicate {
        const METHOD: &'static str = "acme/frobnicate";
        type Params = Json;
        type Result = Json;
    }

    let (client, mut peer) = modern().await;
    let server = async {
        let request = peer.expect("acme/frobnicate").await;
        assert_eq!(request.params().matches("\"_meta\"").count(), 1, "{}", request.params());
        let params = request.params_value();
        assert_eq!(params["_meta"]["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        assert_eq!(params["a"], 1);
        request.reply("{}");
    };
    let params = Json::from_text(r#"{"_meta":null,"a":1}"#).unwrap();
    let (result, ()) = tokio::join!(client.request::<Frobnicate>(params).into_future(), server);
    result.unwrap();
}

/// What may have been done is not to be done again without a thought: only reads are, after an error inside the server.
#[tokio::test(start_paused = true)]
async fn an_internal_error_is_retryable_for_reads_alone() {
    let (client, mut peer) = legacy().await;
    let server = async {
        for method in ["tools/call", "tools/list", "resources/read"] {
            peer.expect(method).await.reply_error(-32603, "internal");
        }
    };
    let calls = async {
        let error = client.call_tool("pay").await.unwrap_err();
        assert!(error.may_have_executed() && !error.is_retryable());
        assert!(client.list_tools().all().await.unwrap_err().is_retryable());
        assert!(client.read_resource("file:///a").await.unwrap_err().is_retryable());
    };
    tokio::join!(server, calls);
}
