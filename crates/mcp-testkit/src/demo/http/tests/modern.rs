use super::*;
use crate::demo::http::record::{Reading, Record};

fn meta() -> Value {
    json!({
        "progressToken": 7,
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "peer", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

fn call(tool: &str, arguments: &Value) -> String {
    request(1, "tools/call", &json!({ "name": tool, "arguments": arguments, "_meta": meta() })).to_string()
}

const FIELDS: [(&str, &str); 3] =
    [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "echo")];

#[tokio::test]
async fn an_answer_is_json_or_a_stream_as_it_needs() {
    let peer = Peer::of(Demo::new()).await;
    let echo = call("echo", &json!({ "message": "hello" }));
    let answer = peer.send(Method::POST, &FIELDS, echo.clone()).await;
    assert!(answer.headers().get("mcp-session-id").is_none());
    assert_eq!(reply(answer).await["result"]["content"][0]["text"], "hello");

    let fields = [FIELDS[0], FIELDS[1], ("mcp-name", "slow")];
    let slow = call("slow", &json!({ "steps": 2, "milliseconds": 1 }));
    let events = Stream::of(peer.send(Method::POST, &fields, slow).await).rest().await;
    assert!(events.iter().all(|event| event.id.is_none() && event.retry.is_none()));
    let messages: Vec<Value> = events.iter().map(Event::message).collect();
    let progress: Vec<_> = messages.iter().map(|message| message["params"]["progress"].as_f64()).collect();
    assert_eq!(progress, [Some(1.0), Some(2.0), None]);
    assert_eq!((&messages[2]["id"], &messages[2]["result"]["resultType"]), (&json!(1), &json!("complete")));

    let peer = Peer::of(Demo::new().streamed(true)).await;
    let messages = Stream::of(peer.send(Method::POST, &FIELDS, echo).await).rest().await;
    assert_eq!(messages.len(), 1);
}

#[tokio::test]
async fn fields_must_say_what_the_body_says() {
    let peer = Peer::of(Demo::new()).await;
    let echo = call("echo", &json!({ "message": "hello" }));
    for (name, value) in [
        ("mcp-protocol-version", ""),
        ("mcp-protocol-version", "2025-11-25"),
        ("mcp-protocol-version", "2027-01-01"),
        ("mcp-method", ""),
        ("mcp-method", "Tools/Call"),
        ("mcp-name", ""),
        ("mcp-name", "add"),
        ("mcp-name", "=?base64?!?="),
    ] {
        let mut fields = FIELDS.to_vec();
        fields.push((name, value));
        let answer = peer.send(Method::POST, &fields, echo.clone()).await;
        assert_eq!(answer.status(), StatusCode::BAD_REQUEST, "{name}: {value}");
        let reply = reply(answer).await;
        assert_eq!((&reply["id"], &reply["error"]["code"]), (&json!(1), &json!(-32020)), "{name}: {value}");
    }
    let encoded = [FIELDS[0], FIELDS[1], ("mcp-name", "=?base64?ZWNobw==?=")];
    assert_eq!(peer.send(Method::POST, &encoded, echo).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn errors_have_a_status_of_their_own() {
    let peer = Peer::of(Demo::new()).await;
    let mut unknown = meta();
    unknown["io.modelcontextprotocol/protocolVersion"] = json!("2027-01-01");
    for (method, params, version, status, code) in [
        ("no/such", json!({ "_meta": meta() }), "2026-07-28", StatusCode::NOT_FOUND, -32601),
        ("tools/list", json!({ "_meta": unknown }), "2027-01-01", StatusCode::BAD_REQUEST, -32022),
        ("tools/list", json!({ "cursor": "no", "_meta": meta() }), "2026-07-28", StatusCode::OK, -32602),
    ] {
        let fields = [("mcp-protocol-version", version), ("mcp-method", method)];
        let answer = peer.send(Method::POST, &fields, request(1, method, &params).to_string()).await;
        assert_eq!(answer.status(), status, "{method}");
        assert_eq!(reply(answer).await["error"]["code"], code, "{method}");
    }
    let fields = [FIELDS[0], FIELDS[1], ("mcp-name", "greet")];
    let answer = peer.send(Method::POST, &fields, call("greet", &json!({}))).await;
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    assert_eq!(reply(answer).await["error"]["code"], -32021);
}

/// How a client cancels: the server stops to work.
#[tokio::test]
async fn a_response_that_nobody_reads_ends_its_call() {
    let record = Record::new(0);
    let requests = vec![mcp_transport::RawMessage::request(
        1,
        "tools/call",
        Some(
            json!({ "name": "slow", "arguments": { "steps": 1000, "milliseconds": 60000 }, "_meta": meta() })
                .to_string()
                .into(),
        ),
    )];
    let held = exchange::start(
        Demo::new(),
        crate::demo::server::Surroundings::default(),
        mcp_types::Era::Modern,
        &Arc::default(),
        &record,
        requests,
    );
    let events = Reading::new(&record).holding(held.unwrap()).into_body();
    tokio::task::yield_now().await;
    assert!(!record.is_over());
    drop(events);
    patiently(record.begun()).await.unwrap();
    assert!(record.is_over());
}

#[tokio::test]
async fn there_are_no_sessions_where_only_the_modern_era_is() {
    let peer = Peer::of(Demo::modern()).await;
    for method in [Method::GET, Method::DELETE, Method::PUT] {
        let answer = peer.send(method, &[], "").await;
        assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED);
        assert_eq!(answer.headers()["allow"], "POST");
    }
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "p", "version": "1" } });
    let answer = peer.post(&request(1, "initialize", &params)).await;
    assert!(answer.headers().get("mcp-session-id").is_none());
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    assert_eq!(reply(answer).await["error"]["code"], -32022);
    let answer = peer.post(&request(1, "tools/list", &json!({}))).await;
    assert_eq!(reply(answer).await["error"]["code"], -32020);
}

/// Notifications of the modern era have nobody to go to.
#[tokio::test]
async fn a_notification_is_accepted() {
    let peer = Peer::of(Demo::new()).await;
    let note = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": 1 } });
    let answer = peer.send(Method::POST, &FIELDS[..1], note.to_string()).await;
    assert_eq!(answer.status(), StatusCode::ACCEPTED);
}

#[tokio::test]
async fn annotated_arguments_are_mirrored() {
    let peer = Peer::of(Demo::new()).await;
    let mut meta = meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({ "elicitation": {} });
    let greet = |arguments: Value| {
        let params = json!({ "name": "greet", "arguments": arguments, "_meta": meta });
        request(1, "tools/call", &params).to_string()
    };
    let field = |value| ("mcp-param-greeting", value);
    for (arguments, fields, code) in [
        (json!({ "greeting": "Moin" }), &[field("Moin")][..], None),
        (json!({ "greeting": "Grüezi" }), &[field("=?base64?R3LDvGV6aQ==?=")], None),
        (json!({}), &[], None),
        (json!({ "greeting": "Moin" }), &[], Some(-32020)),
        (json!({ "greeting": "Moin" }), &[field("Hello")], Some(-32020)),
        (json!({ "greeting": "Moin" }), &[field("=?base64?!?=")], Some(-32020)),
        (json!({}), &[field("Moin")], Some(-32020)),
    ] {
        let mut all = vec![FIELDS[0], FIELDS[1], ("mcp-name", "greet")];
        all.extend_from_slice(fields);
        let reply = reply(peer.send(Method::POST, &all, greet(arguments.clone())).await).await;
        assert_eq!(reply["error"]["code"].as_i64(), code, "{arguments} {fields:?}: {reply}");
    }
}

#[tokio::test]
async fn a_change_is_told_to_those_who_listen() {
    let peer = Peer::of(Demo::new()).await;
    let filter = json!({ "resourceSubscriptions": ["demo:///counter"] });
    let listen = request(9, "subscriptions/listen", &json!({ "notifications": filter, "_meta": meta() }));
    let fields = [FIELDS[0], ("mcp-method", "subscriptions/listen")];
    let mut stream = Stream::of(peer.send(Method::POST, &fields, listen.to_string()).await);
    assert_eq!(stream.message().await["params"]["notifications"], filter);
    let fields = [FIELDS[0], FIELDS[1], ("mcp-name", "bump")];
    peer.send(Method::POST, &fields, call("bump", &json!({}))).await;
    assert_eq!(stream.message().await["params"]["uri"], "demo:///counter");
}
