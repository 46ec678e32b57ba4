use mcp_types::{ElicitRequestParams, InputRequest, InputRequiredResult, jsonrpc::JsonRpcRequest};

use super::*;

fn greet() -> Value {
    json!({ "name": "greet", "arguments": { "greeting": "Good day" } })
}

fn request(message: RawMessage) -> JsonRpcRequest<Bytes> {
    match message {
        jsonrpc::JsonRpcMessage::Request(request) => request,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_modern_client_is_asked_in_a_round_of_its_own() {
    let mut peer = Peer::modern_with(&json!({ "elicitation": {} }));
    let first = peer.result("tools/call", greet()).await;
    assert!(first.get("ttlMs").is_none());
    assert!(first["_meta"]["io.modelcontextprotocol/serverInfo"].is_object());
    assert_eq!(first["resultType"], "input_required");
    let first: InputRequiredResult = serde_json::from_value(first).unwrap();
    let requests = first.input_requests.unwrap();
    let Some(InputRequest::Elicit(ElicitRequestParams::Form(form))) = requests.get("name") else {
        panic!("{requests:?}")
    };
    assert!(form.form().unwrap().is_required("name"));

    for (answer, expected) in [
        (json!({ "action": "accept", "content": { "name": "Ada" } }), "Good day, Ada!"),
        (json!({ "action": "decline" }), "Good day, whoever you are!"),
        (json!({ "action": "cancel" }), "The user gave no answer"),
        (json!({ "action": "accept", "content": {} }), "The form came back without a name"),
    ] {
        let mut retry = greet();
        retry["requestState"] = json!(first.request_state);
        retry["inputResponses"] = json!({ "name": answer, "other": 7 });
        let result = peer.typed::<mcp_types::CallToolRequest>(retry).await;
        assert_eq!(text(&result), expected);
    }

    let mut retry = greet();
    retry["requestState"] = json!(first.request_state);
    let again = peer.result("tools/call", retry.clone()).await;
    assert_eq!(again["resultType"], "input_required");
    retry["inputResponses"] = json!({ "name": 7 });
    assert_eq!(peer.error("tools/call", retry.clone()).await.code, ErrorCode::INVALID_PARAMS);
    retry["requestState"] = json!("forged");
    assert_eq!(peer.error("tools/call", retry).await.code, ErrorCode::INVALID_PARAMS);
}

#[tokio::test]
async fn a_modern_client_that_cannot_ask_is_told_what_it_lacks() {
    for capabilities in [json!({}), json!({ "elicitation": { "url": {} } })] {
        let mut peer = Peer::modern_with(&capabilities);
        let error = peer.error("tools/call", greet()).await;
        let data = error.missing_required_client_capability().unwrap();
        assert!(data.required_capabilities.has("elicitation.form"));
    }
}

#[tokio::test]
async fn a_legacy_client_is_asked_while_the_call_is_open() {
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
        let mut peer = Peer::legacy_with(revision, json!({ "elicitation": {} })).await;
        let call = peer.request("tools/call", greet()).await;
        let asked = request(peer.next().await);
        assert_eq!(asked.method, "elicitation/create");
        let params: ElicitRequestParams = serde_json::from_slice(&asked.params.unwrap()).unwrap();
        assert_eq!(params.message(), Some("What is your name?"));
        // The server goes on meanwhile.
        peer.result("tools/list", json!({})).await;
        let answer = json!({ "action": "accept", "content": { "name": "Ada" } });
        peer.send(&json!({ "jsonrpc": "2.0", "id": asked.id.as_i64(), "result": answer }).to_string()).await;
        let result = peer.reply(call).await.unwrap();
        assert_eq!(result["content"][0]["text"], "Good day, Ada!");

        let call = peer.request("tools/call", greet()).await;
        let asked = request(peer.next().await);
        let error = json!({ "code": -1, "message": "no one there" });
        peer.send(&json!({ "jsonrpc": "2.0", "id": asked.id.as_i64(), "error": error }).to_string()).await;
        let result = peer.reply(call).await.unwrap();
        assert_eq!(result["isError"], true);
        assert!(result["content"][0]["text"].as_str().unwrap().contains("no one there"));
    }
}

#[tokio::test]
async fn a_legacy_client_that_cannot_ask_is_not_asked() {
    let elicitation = json!({ "elicitation": {} });
    for (revision, capabilities) in [
        (Revision::V2025_11_25, json!({})),
        (Revision::V2025_11_25, json!({ "elicitation": { "url": {} } })),
        (Revision::V2025_03_26, elicitation.clone()),
        (Revision::V2024_11_05, elicitation),
    ] {
        let mut peer = Peer::legacy_with(revision, capabilities).await;
        let result = peer.tool("greet", json!({})).await;
        assert!(result.is_error() && text(&result).contains("cannot ask"));
    }
}

#[tokio::test]
async fn a_call_that_is_cancelled_takes_its_question_back() {
    let mut peer = Peer::legacy_with(Revision::V2025_11_25, json!({ "elicitation": {} })).await;
    let call = peer.request("tools/call", greet()).await;
    let asked = request(peer.next().await);
    peer.cancel(call).await;
    let (method, params) = notification(peer.next().await);
    assert_eq!(method, "notifications/cancelled");
    assert_eq!(params["requestId"].as_i64(), asked.id.as_i64());
    assert!(peer.end().await.is_empty());
}
