use super::*;

fn call(id: i64, tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": id } });
    request(id, "tools/call", &params)
}

fn asking() -> Value {
    json!({ "elicitation": {} })
}

#[tokio::test]
async fn every_revision_opens_a_session_and_ends_it() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.era() == mcp_types::Era::Legacy) {
        for streamed in [false, true] {
            let peer = Peer::in_session(Demo::new().streamed(streamed), revision, json!({})).await;
            let answer = peer.post(&call(2, "echo", &json!({ "message": "hello" }))).await;
            let message = if streamed {
                let mut stream = Stream::of(answer);
                let first = stream.next().await.unwrap();
                if revision >= Revision::V2025_11_25 {
                    assert_eq!((first.id.as_deref(), first.data.as_deref()), (Some("2-0"), Some("")));
                    stream.message().await
                } else {
                    first.message()
                }
            } else {
                reply(answer).await
            };
            assert_eq!(message["result"]["content"][0]["text"], "hello", "{revision}");
            assert_eq!(peer.send(Method::DELETE, &[], "").await.status(), StatusCode::NO_CONTENT);
            let gone = peer.post(&request(3, "tools/list", &json!({}))).await;
            assert_eq!(gone.status(), StatusCode::NOT_FOUND);
            assert_eq!(peer.send(Method::DELETE, &[], "").await.status(), StatusCode::NOT_FOUND);
        }
    }
}

#[tokio::test]
async fn a_user_is_asked_on_the_stream_of_the_call() {
    let peer = Peer::in_session(Demo::new(), Revision::V2025_06_18, asking()).await;
    let mut both = Vec::new();
    for id in [2, 3] {
        let mut stream = Stream::of(peer.post(&call(id, "greet", &json!({}))).await);
        let question = stream.message().await;
        assert_eq!(question["method"], "elicitation/create");
        both.push((stream, question["id"].clone()));
    }
    assert_ne!(both[0].1, both[1].1, "the ids of a session are used once");
    for ((mut stream, question), name) in both.into_iter().zip(["Ada", "Alan"]).rev() {
        let answer = json!({ "jsonrpc": "2.0", "id": question, "result": { "action": "accept", "content": { "name": name } } });
        assert_eq!(peer.post(&answer).await.status(), StatusCode::ACCEPTED);
        let text = format!("Hello, {name}!");
        assert_eq!(stream.message().await["result"]["content"][0]["text"], text);
        assert_eq!(stream.next().await, None);
        assert_eq!(peer.post(&answer).await.status(), StatusCode::BAD_REQUEST, "answered twice");
    }
}

/// The question of a cancelled call is taken back.
#[tokio::test]
async fn a_call_is_cancelled_by_a_notification() {
    let peer = Peer::in_session(Demo::new(), Revision::V2025_06_18, asking()).await;
    let mut stream = Stream::of(peer.post(&call(2, "greet", &json!({}))).await);
    let question = stream.message().await;
    let cancel =
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 2 } });
    assert_eq!(peer.post(&cancel).await.status(), StatusCode::ACCEPTED);
    let taken_back = stream.message().await;
    assert_eq!(taken_back["method"], "notifications/cancelled");
    assert_eq!(taken_back["params"]["requestId"], question["id"]);
    assert_eq!(stream.next().await, None, "there is no reply");
    assert_eq!(peer.post(&cancel).await.status(), StatusCode::ACCEPTED, "too late is no fault");
}

#[tokio::test]
async fn a_call_is_taken_up_again_behind_its_last_event() {
    let peer = Peer::in_session(Demo::new(), Revision::V2025_11_25, json!({})).await;
    let events = Stream::of(peer.post(&call(2, "disconnect", &json!({}))).await).rest().await;
    let [primed, before, retry] = &events[..] else { panic!("{events:?}") };
    assert_eq!(primed.data.as_deref(), Some(""));
    assert_eq!(before.message()["params"]["progress"].as_f64(), Some(1.0));
    assert_eq!((retry.retry.as_deref(), &retry.data), (Some("100"), &None));
    for (last, progress) in [(before, &[2.0][..]), (primed, &[1.0, 2.0])] {
        let last = last.id.as_deref().unwrap();
        let mut stream = Stream::of(peer.get(&[("last-event-id", last)]).await);
        assert_eq!(stream.next().await.unwrap().data.as_deref(), Some(""));
        for progress in progress {
            assert_eq!(stream.message().await["params"]["progress"].as_f64(), Some(*progress));
        }
        assert_eq!(stream.message().await["result"]["content"][0]["text"], "Here I am again");
        assert_eq!(stream.next().await, None);
    }
    for unknown in ["99-0", "2-77", "x", "2", "-1-0"] {
        let answer = peer.get(&[("last-event-id", unknown)]).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{unknown}");
    }
}

/// A connection that breaks is no cancellation: what was said meanwhile is not lost.
#[tokio::test]
async fn a_broken_connection_leaves_its_call_alone() {
    let peer = Peer::in_session(Demo::new(), Revision::V2025_06_18, json!({})).await;
    let mut stream =
        Stream::of(peer.post(&call(2, "slow", &json!({ "steps": 3, "milliseconds": 50 }))).await);
    let first = stream.next().await.unwrap();
    drop(stream);
    let rest = Stream::of(peer.get(&[("last-event-id", &first.id.unwrap())]).await).rest().await;
    assert_eq!(rest.last().unwrap().message()["result"]["content"][0]["text"], "3 steps done");
    assert_eq!(rest.len(), 3);
}

#[tokio::test]
async fn one_reader_has_what_belongs_to_no_request() {
    let peer = Peer::in_session(Demo::new(), Revision::V2025_11_25, json!({})).await;
    let mut stream = Stream::of(peer.get(&[]).await);
    assert_eq!(stream.next().await.unwrap().id.as_deref(), Some("0-0"));
    assert_eq!(peer.get(&[]).await.status(), StatusCode::CONFLICT);
    peer.post(&request(2, "resources/subscribe", &json!({ "uri": "demo:///counter" }))).await;
    peer.post(&call(3, "bump", &json!({}))).await;
    assert_eq!(stream.message().await["params"]["uri"], "demo:///counter");
    peer.send(Method::DELETE, &[], "").await;
    assert_eq!(stream.next().await, None, "it ends with the session");
}

#[tokio::test]
async fn a_batch_is_answered_in_the_one_revision_that_has_them() {
    let batch =
        json!([call(2, "echo", &json!({ "message": "a" })), call(3, "echo", &json!({ "message": "b" }))]);
    let peer = Peer::in_session(Demo::new(), Revision::V2025_03_26, json!({})).await;
    let events = Stream::of(peer.post(&batch).await).rest().await;
    let mut ids: Vec<_> = events.iter().map(|event| event.message()["id"].as_i64()).collect();
    ids.sort_unstable();
    assert_eq!(ids, [Some(2), Some(3)]);
    let peer = Peer::in_session(Demo::new(), Revision::V2025_06_18, json!({})).await;
    assert_eq!(peer.post(&batch).await.status(), StatusCode::BAD_REQUEST);
}
