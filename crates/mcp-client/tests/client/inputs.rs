//! Elicitation, sampling and roots: one set of handlers for both eras; multi round-trip requests.

use std::{
    future::{IntoFuture, ready},
    sync::{Arc, Mutex},
};

use crate::common::{builder, connected, modern, ms, over_exchanges, secs};
use mcp_client::{ClientBuilder, ErrorKind, InputRequired, RequestContext, Round};
use mcp_types::{
    CreateMessageRequestParams, CreateMessageResult, ElicitRequestParams, ElicitResult, Json, JsonObject,
    JsonRpcError, Revision, Role, SamplingContent,
};
use serde_json::{Value, json};
use tokio::time::Instant;

const DONE: &str = r#"{"resultType":"complete","content":[]}"#;
const FORM: &str = r#"{"mode":"form","message":"Name?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"},"age":{"type":"integer","default":7}},"required":["name"]}}"#;

type Asked = Arc<Mutex<Vec<(ElicitRequestParams, RequestContext)>>>;

/// Answers every form with a name, says yes to every URL, and keeps what it was asked.
fn answering() -> (ClientBuilder, Asked) {
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

fn input(requests: &str, state: Option<&str>) -> String {
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

#[tokio::test(start_paused = true)]
async fn a_modern_call_is_driven_through_its_rounds() {
    let (answering, asked) = answering();
    let (client, mut peer) = connected(answering, Revision::V2026_07_28).await;
    let server = async {
        let first = peer.expect("tools/call").await;
        first.reply(input(
            &format!(
                r#"{{"who":{{"method":"elicitation/create","params":{FORM}}},"what":{{"method":"sampling/createMessage","params":{{"messages":[],"maxTokens":10}}}},"where":{{"method":"roots/list"}}}}"#
            ),
            Some(r#""opaque\u002fstate""#),
        ));
        let second = peer.expect("tools/call").await;
        assert_ne!(first.id(), second.id());
        // Field report P-13: the state goes back byte for byte.
        assert!(second.params().contains(r#""requestState":"opaque\u002fstate""#), "{}", second.params());
        let mut params = second.params_value();
        assert_eq!(
            params["inputResponses"]["who"],
            json!({"action": "accept", "content": {"name": "Ada", "age": 7}})
        );
        assert_eq!(params["inputResponses"]["what"]["model"], "scripted-model");
        assert_eq!(params["inputResponses"]["where"], json!({"roots": [{"uri": "file:///project"}]}));
        let members = params.as_object_mut().unwrap();
        members.remove("inputResponses");
        members.remove("requestState");
        assert_eq!(params, first.params_value());
        second.reply(r#"{"resultType":"complete","content":[{"type":"text","text":"hi Ada"}]}"#);
    };
    let args = json!({"x": 1});
    let (result, ()) = tokio::join!(client.call_tool("greet").args(&args).unwrap().into_future(), server);
    assert_eq!(result.unwrap().content[0].as_text().unwrap(), "hi Ada");
    let asked = asked.lock().unwrap();
    let call = asked[0].1.call.as_ref().unwrap();
    assert_eq!((call.method.as_ref(), asked[0].1.id.is_none()), ("tools/call", true));
    assert!(call.params.as_ref().unwrap().as_str().contains(r#""name":"greet""#));
}

/// Field report P-13: a state without requests is retried at once, with a new id and no responses; every method that may.
#[tokio::test(start_paused = true)]
async fn a_state_alone_is_retried_at_once() {
    let (client, mut peer) = modern().await;
    let server = async {
        for (method, done) in [
            ("tools/call", DONE),
            ("prompts/get", r#"{"resultType":"complete","messages":[]}"#),
            ("resources/read", r#"{"resultType":"complete","contents":[]}"#),
        ] {
            peer.expect(method).await.reply(r#"{"resultType":"input_required","requestState":"s"}"#);
            let again = peer.expect(method).await;
            let params = again.params_value();
            assert_eq!((params["requestState"].as_str(), params.get("inputResponses")), (Some("s"), None));
            again.reply(r#"{"resultType":"input_required","inputRequests":{}}"#);
            let third = peer.expect(method).await;
            let params = third.params_value();
            assert_eq!((params.get("requestState"), &params["inputResponses"]), (None, &json!({})));
            third.reply(done);
        }
    };
    let calls = async {
        client.call_tool("t").await.unwrap();
        client.get_prompt("p").arg("a", "b").await.unwrap();
        client.read_resource("file:///a").await.unwrap();
    };
    tokio::join!(server, calls);
}

/// Field report P-13: a result that comes on the last round is returned; one round more is an error with what came.
#[tokio::test(start_paused = true)]
async fn rounds_are_bounded_and_the_last_one_counts() {
    let (client, mut peer) = modern().await;
    for (rounds, limit, ends) in [(3, 3, true), (3, 2, false), (1, 1, true), (2, 1, false)] {
        let server = async {
            for round in 1..=limit {
                let call = peer.expect("tools/call").await;
                if round == rounds {
                    call.reply(DONE);
                } else {
                    call.reply(r#"{"resultType":"input_required","requestState":"s"}"#);
                }
            }
        };
        let (result, ()) = tokio::join!(client.call_tool("t").max_rounds(limit).into_future(), server);
        match result {
            Ok(_) => assert!(ends, "{rounds} {limit}"),
            Err(error) => {
                assert!(!ends && error.kind() == ErrorKind::InputRequired, "{error}");
                assert!(error.raw_result().unwrap().as_str().contains("requestState"));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_answered_ends_the_call_with_what_was_asked() {
    let refusing =
        builder().on_elicit(|_, _| ready(Err(JsonRpcError::new(mcp_types::ErrorCode(-1), "no user here"))));
    let (client, mut peer) = connected(refusing, Revision::V2026_07_28).await;
    let server = async {
        let ask = |method: &str| input(&format!(r#"{{"k":{{"method":"{method}","params":{FORM}}}}}"#), None);
        peer.expect("tools/call").await.reply(ask("elicitation/create"));
        peer.expect("tools/call").await.reply(ask("roots/list"));
        peer.expect("tools/call").await.reply(ask("later/one"));
        peer.expect("tools/call").await.reply(r#"{"resultType":"input_required","inputRequests":[]}"#);
        peer.expect("tools/call").await.reply(r#"{"resultType":"input_required","inputRequests":{"k":7}}"#);
    };
    let calls = async {
        for (kind, says) in [
            (ErrorKind::InputRequired, "no user here"),
            (ErrorKind::InputRequired, "no handler"),
            (ErrorKind::InputRequired, "no handler"),
            (ErrorKind::InvalidResult, "does not fit"),
            (ErrorKind::InvalidResult, "does not fit"),
        ] {
            let error = client.call_tool("t").await.unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.to_string().contains(says), "{error}");
        }
    };
    tokio::join!(server, calls);
}

/// By hand: the raw requirement, stored, and resumed by another client.
#[tokio::test(start_paused = true)]
async fn a_round_by_hand_can_be_resumed_elsewhere() {
    let (client, mut peer) = modern().await;
    let server = async {
        peer.expect("tools/call").await.reply(input(
            &format!(r#"{{"who":{{"method":"elicitation/create","params":{FORM}}}}}"#),
            Some("\"s\""),
        ));
    };
    let (round, ()) = tokio::join!(client.call_tool("t").once().into_future(), server);
    let Round::InputRequired(required) = round.unwrap() else { panic!("complete") };
    let stored = serde_json::to_string(&required).unwrap();

    let (client, mut peer) = modern().await;
    let required: InputRequired = serde_json::from_str(&stored).unwrap();
    let requests = required.requests.unwrap();
    assert_eq!(requests.get("who").unwrap().method(), "elicitation/create");
    let answer = ElicitResult::accept([("name", Json::from("Ada"))].into_iter().collect::<JsonObject>());
    let responses = [("who", Json::encode(&answer).unwrap())].into_iter().collect();
    let server = async {
        let call = peer.expect("tools/call").await;
        let params = call.params_value();
        assert_eq!(params["inputResponses"]["who"]["content"]["name"], "Ada");
        assert_eq!(params["requestState"], "s");
        call.reply(DONE);
    };
    let resumed = client.call_tool("t").resume(Some(responses), required.state).once();
    let (round, ()) = tokio::join!(resumed.into_future(), server);
    assert!(matches!(round.unwrap(), Round::Complete(_)));
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

/// Cancelling between two rounds: no request is open, the handler is dropped, nothing more is sent.
#[tokio::test(start_paused = true)]
async fn a_call_can_be_cancelled_while_its_handler_answers() {
    let stuck = builder().on_elicit(|_, _| std::future::pending());
    let (client, mut peer) = connected(stuck, Revision::V2026_07_28).await;
    let mut call = client.call_tool("t").with_progress();
    let handle = call.cancel_handle();
    let server = async {
        let request = peer.expect("tools/call").await;
        request.progress(1.0, None);
        request.reply(input(&format!(r#"{{"k":{{"method":"elicitation/create","params":{FORM}}}}}"#), None));
        tokio::time::sleep(ms(50)).await;
        handle.cancel("enough");
        peer.expect_nothing(secs(1)).await;
    };
    let reading = async {
        assert!(call.progress().next().await.is_some());
        assert!(call.progress().next().await.is_none());
        call.await.unwrap_err()
    };
    let ((), error) = tokio::join!(server, reading);
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}

/// Progress of all rounds comes in one stream.
#[tokio::test(start_paused = true)]
async fn progress_goes_on_over_the_rounds() {
    let (client, mut peer) = modern().await;
    let server = async {
        let first = peer.expect("tools/call").await;
        first.progress(1.0, None);
        first.reply(r#"{"resultType":"input_required","requestState":"s"}"#);
        let second = peer.expect("tools/call").await;
        second.progress(2.0, None);
        second.reply(DONE);
    };
    let reading = async {
        let mut call = client.call_tool("t").with_progress();
        let mut seen = Vec::new();
        while let Some(step) = call.progress().next().await {
            seen.push(step.progress.to_string());
        }
        assert_eq!(seen, ["1", "2"]);
        call.await.unwrap();
    };
    tokio::join!(server, reading);
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
        let narrowed = client.call_tool("t").capabilities(&mcp_types::ClientCapabilities::new()).unwrap();
        let _ = narrowed.log_level(&mcp_types::LoggingLevel::Debug).timeout(ms(10)).await;
        client.set_log_level(mcp_types::LoggingLevel::Warning).await.unwrap();
        let _ = client.call_tool("t").timeout(ms(10)).await;
    };
    tokio::join!(server, calls);
}
