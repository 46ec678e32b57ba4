//! Elicitation, sampling and roots: one set of handlers for both eras.

use std::{
    future::{IntoFuture, ready},
    sync::{Arc, Mutex},
};

use crate::common::{builder, connected, ms, over_exchanges, secs};
use mcp_client::{ClientBuilder, ErrorKind, RequestContext};
use mcp_types::{
    ClientCapabilities, CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult,
    ElicitationCapability, Json, JsonObject, Revision, Role, SamplingContent,
};
use serde_json::{Value, json};
use tokio::time::Instant;

pub(crate) const DONE: &str = r#"{"resultType":"complete","content":[]}"#;
pub(crate) const FORM: &str = r#"{"mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer","default":7}},"required":["name"]}}"#;

pub(crate) type Asked = Arc<Mutex<Vec<(ElicitRequestParams, RequestContext)>>>;

/// Answers every form with a name, says yes to every URL, and keeps what it was asked.
pub(crate) fn answering() -> (ClientBuilder, Asked) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&asked);
    let answering = builder()
        .on_elicit(move |params, context| {
            let answer = match &params {
                ElicitRequestParams::Form(_) => {
                    ElicitResult::accept([("name", Json::from("Ada"))].into_iter().collect::<JsonObject>())
                }
                _ => ElicitResult::accept(JsonObject::new()),
            };
            keep.lock().unwrap().push((params, context));
            ready(Ok(answer))
        })
        .on_sample(|params: CreateMessageRequestParams, _| {
            assert_eq!(params.max_tokens, 10);
            let text = SamplingContent::One(mcp_types::SamplingMessageContentBlock::Text(
                mcp_types::TextContent::new("hello"),
            ));
            ready(Ok(CreateMessageResult::new(Role::Assistant, text, "scripted-model")))
        })
        .roots(["file:///project"]);
    (answering, asked)
}

pub(crate) fn input(requests: &str, state: Option<&str>) -> String {
    let state = state.map(|state| format!(r#","requestState":{state}"#)).unwrap_or_default();
    format!(r#"{{"resultType":"input_required","inputRequests":{requests}{state}}}"#)
}

/// Capabilities follow from the handlers, in the way of the era.
#[tokio::test(start_paused = true)]
async fn capabilities_follow_from_the_handlers() {
    let (link, mut peer) = mcp_testkit::script::peer();
    let connecting = answering().0.connect(mcp_transport::Single::new(link));
    let (client, discover) = tokio::join!(connecting, peer.accept_modern("{}"));
    client.unwrap();
    let expected = json!({"roots": {}, "sampling": {}, "elicitation": {"form": {}, "url": {}}});
    assert_eq!(discover.params_value()["_meta"]["io.modelcontextprotocol/clientCapabilities"], expected);

    let (link, mut peer) = mcp_testkit::script::peer();
    let connecting = answering().0.connect(mcp_transport::Single::new(link));
    let (client, initialize) = tokio::join!(connecting, peer.accept_legacy(Revision::V2025_11_25, "{}"));
    client.unwrap();
    let expected =
        json!({"roots": {"listChanged": true}, "sampling": {}, "elicitation": {"form": {}, "url": {}}});
    assert_eq!(initialize.params_value()["capabilities"], expected);
}

/// Legacy servers ask by requests; the same handlers answer.
#[tokio::test(start_paused = true)]
async fn legacy_requests_are_answered_by_the_same_handlers() {
    let (answering, asked) = answering();
    let (client, mut peer) = connected(answering, Revision::V2025_11_25).await;
    peer.request(0, "elicitation/create", FORM);
    assert_eq!(
        peer.expect_response(0).await.result(),
        json!({"action": "accept", "content": {"name": "Ada", "age": 7}})
    );
    peer.request(1, "roots/list", "{}");
    assert_eq!(peer.expect_response(1).await.result(), json!({"roots": [{"uri": "file:///project"}]}));
    peer.request(2, "sampling/createMessage", r#"{"messages":[],"maxTokens":10}"#);
    assert_eq!(peer.expect_response(2).await.result()["content"]["text"], "hello");
    // Tools in sampling were not declared.
    peer.request(3, "sampling/createMessage", r#"{"messages":[],"maxTokens":10,"tools":[]}"#);
    assert_eq!(peer.expect_response(3).await.error().code.0, -32602);
    // A URL that must not be opened never reaches the handler.
    peer.request(
        4,
        "elicitation/create",
        r#"{"mode":"url","message":"m","url":"file:///etc/passwd","elicitationId":"e"}"#,
    );
    assert_eq!(peer.expect_response(4).await.error().code.0, -32602);
    peer.request(
        5,
        "elicitation/create",
        r#"{"mode":"url","message":"m","url":"https://example.com","elicitationId":"e"}"#,
    );
    assert_eq!(peer.expect_response(5).await.result()["action"], "accept");
    assert_eq!(asked.lock().unwrap().len(), 2);

    client.set_roots(["file:///other", "file:///more"]).unwrap();
    peer.expect_notification("notifications/roots/list_changed").await;
    peer.request(6, "roots/list", "{}");
    assert_eq!(peer.expect_response(6).await.result()["roots"][1]["uri"], "file:///more");
}

/// An answer that does not fit the form is an error to the server, not a wrong value.
#[tokio::test(start_paused = true)]
async fn answers_that_do_not_fit_the_form_are_not_sent() {
    let wrong = builder().on_elicit(|_, _| ready(Ok(ElicitResult::accept(JsonObject::new()))));
    let (_client, mut peer) = connected(wrong, Revision::V2025_06_18).await;
    peer.request(0, "elicitation/create", FORM);
    assert!(peer.expect_response(0).await.error().message.contains("`name` is required"));
}

/// DESIGN, deadlines: the clock stands still while a person answers, in both eras.
#[tokio::test(start_paused = true)]
async fn deadlines_pause_while_a_person_answers() {
    let slow = || {
        builder().on_elicit(|_, _| async {
            tokio::time::sleep(secs(1000)).await;
            Ok(ElicitResult::decline())
        })
    };
    let (client, mut peer) = connected(slow(), Revision::V2025_11_25).await;
    let server = async {
        let call = peer.expect("tools/call").await;
        tokio::time::sleep(secs(2)).await;
        peer.request(0, "elicitation/create", FORM);
        peer.expect_response(0).await;
        tokio::time::sleep(secs(2)).await;
        call.reply(r#"{"content":[]}"#);
        peer.expect("tools/call").await;
    };
    let calls = async {
        client.call_tool("t").timeout(secs(5)).total(secs(5)).await.unwrap();
        // And runs again after.
        let begun = Instant::now();
        assert_eq!(client.call_tool("t").timeout(secs(5)).await.unwrap_err().kind(), ErrorKind::Timeout);
        assert_eq!(begun.elapsed().as_secs(), 5);
    };
    tokio::join!(server, calls);

    let (client, mut peer) = connected(slow(), Revision::V2026_07_28).await;
    let server = async {
        let ask = input(&format!(r#"{{"k":{{"method":"elicitation/create","params":{FORM}}}}}"#), None);
        for _ in 0..2 {
            let call = peer.expect("tools/call").await;
            tokio::time::sleep(secs(2)).await;
            call.reply(&ask);
        }
        peer.expect("tools/call").await;
        peer.expect_notification("notifications/cancelled").await;
    };
    let begun = Instant::now();
    // The total limit is of all rounds.
    let (result, ()) = tokio::join!(client.call_tool("t").total(secs(5)).into_future(), server);
    assert_eq!((result.unwrap_err().kind(), begun.elapsed().as_secs()), (ErrorKind::Timeout, 2 * 1002 + 1));
}

/// Over exchanges a legacy request says which call it belongs to, and pauses that one alone.
#[tokio::test(start_paused = true)]
async fn over_exchanges_a_request_belongs_to_its_call() {
    let asked = Arc::new(Mutex::new(None));
    let keep = Arc::clone(&asked);
    let slow = builder().on_elicit(move |_, context: RequestContext| {
        *keep.lock().unwrap() = context.call.clone();
        async {
            tokio::time::sleep(secs(100)).await;
            Ok(ElicitResult::decline())
        }
    });
    let (client, mut server) = over_exchanges(slow, Revision::V2025_11_25).await;
    let call = |name: &str| tokio::spawn(client.call_tool(name).timeout(secs(5)).into_future());
    let (asking, other) = (call("a"), call("b"));
    let (mut first, _second) = (server.next_exchange().await, server.next_exchange().await);
    first.request("q", "elicitation/create", FORM);
    assert_eq!(other.await.unwrap().unwrap_err().kind(), ErrorKind::Timeout);
    tokio::time::sleep(secs(96)).await;
    first.reply(r#"{"content":[]}"#);
    asking.await.unwrap().unwrap();
    let call = asked.lock().unwrap().clone().unwrap();
    assert_eq!((call.id.as_ref(), call.method.as_ref()), (Some(first.id()), "tools/call"));
}

/// A capability can be narrowed for one call, and the log level asked for.
#[tokio::test(start_paused = true)]
async fn a_call_can_declare_less_and_ask_for_logs() {
    let (client, mut peer) = connected(answering().0, Revision::V2026_07_28).await;
    let meta = |params: Value| params["_meta"].clone();
    let server = async {
        let first = meta(peer.expect("tools/call").await.params_value());
        assert_eq!(first["io.modelcontextprotocol/clientCapabilities"], json!({}));
        assert_eq!(first["io.modelcontextprotocol/logLevel"], "debug");
        peer.expect_notification("notifications/cancelled").await;
        let second = meta(peer.expect("tools/call").await.params_value());
        assert_eq!(second["io.modelcontextprotocol/logLevel"], "warning");
    };
    let calls = async {
        let narrowed = client.call_tool("t").capabilities(&ClientCapabilities::new()).unwrap();
        let _ = narrowed.log_level(&mcp_types::LoggingLevel::Debug).timeout(ms(10)).await;
        client.set_log_level(mcp_types::LoggingLevel::Warning).await.unwrap();
        let _ = client.call_tool("t").timeout(ms(10)).await;
    };
    tokio::join!(server, calls);
}

/// A mode that was not declared is refused, whatever the handler would say.
#[tokio::test(start_paused = true)]
async fn a_mode_that_was_not_declared_is_refused() {
    let accept = |_, _| ready(Ok(ElicitResult::accept(JsonObject::new())));
    let form = ElicitationCapability::new().with_form(JsonObject::new());
    let form_only = ClientCapabilities::new().with_elicitation(form);
    let url = r#"{"mode":"url","message":"m","url":"https://example.com","elicitationId":"e"}"#;
    let form = r#"{"message":"m","requestedSchema":{"type":"object","properties":{}}}"#;
    let form_only = builder().capabilities(form_only).on_elicit(accept);
    for (client, urls) in [(form_only, false), (builder().on_elicit(accept), true)] {
        let (_client, mut peer) = connected(client, Revision::V2025_11_25).await;
        peer.request(1, "elicitation/create", form);
        assert_eq!(peer.expect_response(1).await.result()["action"], "accept");
        peer.request(2, "elicitation/create", url);
        let answer = peer.expect_response(2).await;
        if urls {
            assert_eq!(answer.result()["action"], "accept");
        } else {
            assert_eq!(answer.error().code.0, -32602);
        }
    }
}
