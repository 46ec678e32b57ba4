//! Multi round-trip requests: the server asks in its result, and the call goes on with the answers.

use std::{
    future::{Future, IntoFuture, pending, ready},
    pin::Pin,
    sync::Arc,
};

use crate::{
    common::{builder, connected, exited, in_time, modern, ms, over_exchanges, secs},
    inputs::{DONE, FORM, answering, input},
};
use mcp_client::{Client, ClientBuilder, Error, ErrorKind, InputRequired, Round};
use mcp_types::{ElicitResult, Json, JsonObject, JsonRpcError, Revision};
use serde_json::json;
use tokio::time::Instant;

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

/// Cancelling between two rounds: no request is open, the handler is dropped, nothing more is sent.
#[tokio::test(start_paused = true)]
async fn a_call_can_be_cancelled_while_its_handler_answers() {
    let stuck = builder().on_elicit(|_, _| pending());
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

type Make = fn(&Client) -> Pin<Box<dyn Future<Output = Result<(), Error>> + Send>>;

/// Every method that may ask.
const ASKING: [(&str, Make); 3] = [
    ("tools/call", |client| {
        let call = client.call_tool("t").total(secs(20)).into_future();
        Box::pin(async { call.await.map(drop) })
    }),
    ("prompts/get", |client| {
        let call = client.get_prompt("p").total(secs(20)).into_future();
        Box::pin(async { call.await.map(drop) })
    }),
    ("resources/read", |client| {
        let call = client.read_resource("file:///a").total(secs(20)).into_future();
        Box::pin(async { call.await.map(drop) })
    }),
];

fn asks() -> String {
    input(&format!(r#"{{"q":{{"method":"elicitation/create","params":{FORM}}}}}"#), None)
}

/// A handler that never answers, and what it holds as long as it lives.
fn stuck() -> (ClientBuilder, Arc<()>) {
    let held = Arc::new(());
    let holds = Arc::clone(&held);
    let stuck = builder().on_elicit(move |_, _| {
        let holds = Arc::clone(&holds);
        async move {
            pending::<()>().await;
            drop(holds);
            Ok(ElicitResult::decline())
        }
    });
    (stuck, held)
}

/// How a call ends whose handler answers: no request is open then, and its clock stands still.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Ends {
    Aborted,
    Closed,
    Lost,
}

const ENDS: [Ends; 3] = [Ends::Aborted, Ends::Closed, Ends::Lost];

async fn ended(
    ends: Ends,
    method: &str,
    client: &Client,
    lose: impl FnOnce(),
    call: tokio::task::JoinHandle<Result<(), Error>>,
) {
    tokio::time::sleep(secs(1000)).await;
    assert!(!call.is_finished(), "{method}: the clock runs while a person answers");
    let begun = Instant::now();
    let kind = match ends {
        Ends::Aborted => {
            call.abort();
            assert!(call.await.unwrap_err().is_cancelled());
            return;
        }
        Ends::Closed => {
            in_time(client.close_within(secs(0))).await;
            ErrorKind::Closed
        }
        Ends::Lost => {
            lose();
            ErrorKind::Transport
        }
    };
    let error = in_time(call).await.unwrap().unwrap_err();
    assert_eq!((error.kind(), error.method()), (kind, Some(method)));
    assert!(error.may_have_executed(), "{method} {ends:?}");
    assert!(ends == Ends::Closed || begun.elapsed() == ms(0), "{method}: only after {:?}", begun.elapsed());
}

/// The end of its caller, of the client and of the server end a call whose handler answers, and the handler with it.
#[tokio::test(start_paused = true)]
async fn every_method_ends_alike_while_its_handler_answers() {
    for (method, make) in ASKING {
        for ends in ENDS {
            let (stuck, held) = stuck();
            let (client, mut peer) = connected(stuck, Revision::V2026_07_28).await;
            let idle = Arc::strong_count(&held);
            let call = tokio::spawn(make(&client));
            peer.expect(method).await.reply(asks());
            tokio::time::sleep(ms(10)).await;
            assert_eq!(Arc::strong_count(&held), idle + 1, "{method}: the handler runs");
            ended(ends, method, &client, || peer.fail(exited()), call).await;
            assert!(Arc::strong_count(&held) <= idle, "{method} {ends:?}: the handler lives on");
            if ends == Ends::Aborted {
                peer.expect_nothing(secs(1)).await;
            }
        }
    }
}

/// The same where each round is an exchange of its own, which is over while the handler answers.
#[tokio::test(start_paused = true)]
async fn every_method_ends_alike_while_its_handler_answers_over_exchanges() {
    for (method, make) in ASKING {
        for ends in ENDS {
            let (stuck, held) = stuck();
            let (client, mut server) = over_exchanges(stuck, Revision::V2026_07_28).await;
            let idle = Arc::strong_count(&held);
            let call = tokio::spawn(make(&client));
            let mut exchange = server.expect(method).await;
            exchange.reply(asks());
            tokio::time::sleep(ms(10)).await;
            assert_eq!(Arc::strong_count(&held), idle + 1, "{method}: the handler runs");
            ended(ends, method, &client, || server.beside.fail(exited()), call).await;
            assert!(Arc::strong_count(&held) <= idle, "{method} {ends:?}: the handler lives on");
            assert!(!exchange.is_open() && server.try_next_exchange().is_none(), "{method} {ends:?}");
        }
    }
}

/// A call between two rounds is a call in flight: a close in order lets it finish.
#[tokio::test(start_paused = true)]
async fn close_lets_a_call_between_rounds_finish() {
    let user = builder().on_elicit(|_, _| async {
        tokio::time::sleep(secs(1)).await;
        Ok(ElicitResult::decline())
    });
    let (client, mut peer) = connected(user, Revision::V2026_07_28).await;
    let call = tokio::spawn(client.call_tool("t").into_future());
    peer.expect("tools/call").await.reply(asks());
    tokio::time::sleep(ms(10)).await;
    let begun = Instant::now();
    let server = async {
        peer.expect("tools/call").await.reply(DONE);
        peer.expect_end().await;
    };
    let (call, (), ()) = tokio::join!(in_time(call), client.close_within(secs(60)), server);
    call.unwrap().unwrap();
    assert!(begun.elapsed() < secs(50), "{:?}", begun.elapsed());
}

/// In the legacy era there are no rounds: `resultType` is a member like any other.
#[tokio::test(start_paused = true)]
async fn a_legacy_server_cannot_have_a_call_repeated() {
    let (client, mut peer) = crate::common::legacy().await;
    let server = async {
        for result in [
            r#"{"resultType":"input_required","requestState":"s"}"#,
            r#"{"resultType":"later","content":[]}"#,
        ] {
            peer.expect("tools/call").await.reply(result);
        }
        peer.expect_nothing(secs(60)).await;
    };
    let calls = async {
        client.call_tool("t").await.unwrap();
        client.call_tool("t").await.unwrap();
    };
    tokio::join!(server, calls);
}
