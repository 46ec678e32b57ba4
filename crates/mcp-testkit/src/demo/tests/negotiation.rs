use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::*;

const LEGACY: [Revision; 4] =
    [Revision::V2024_11_05, Revision::V2025_03_26, Revision::V2025_06_18, Revision::V2025_11_25];

fn initialize(version: &str) -> Value {
    json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "peer", "version": "1" } })
}

#[tokio::test]
async fn a_modern_request_needs_nothing_before_it() {
    let mut peer = Peer::modern();
    let result = peer.result("tools/list", json!({})).await;
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["cacheScope"], "public");
    assert!(result["ttlMs"].is_u64());
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "mcp-demo");
}

#[tokio::test]
async fn discovery_lists_every_revision_that_is_served() {
    let mut peer = Peer::modern();
    let result = peer.typed::<mcp_types::DiscoverRequest>(json!({})).await;
    let known: Vec<_> =
        result.supported_versions.iter().filter_map(mcp_types::ProtocolVersion::known).collect();
    assert_eq!(known.into_iter().rev().collect::<Vec<_>>(), Revision::ALL);
    assert_eq!(result.server_info().unwrap().name, "mcp-demo");
    assert!(result.capabilities.has("tools") && result.capabilities.has("completions"));
    assert!(result.ttl_ms.is_some());
}

#[tokio::test]
async fn every_legacy_revision_is_spoken_and_an_unknown_one_answered_with_the_newest() {
    for revision in LEGACY {
        let mut peer = Peer::start(Demo::new());
        let result = peer.typed::<mcp_types::InitializeRequest>(initialize(revision.as_str())).await;
        assert_eq!(result.protocol_version.known(), Some(revision));
        assert_eq!(result.server_info.title.is_some(), revision >= Revision::V2025_06_18);
        assert_eq!(result.capabilities.has("completions"), revision >= Revision::V2025_03_26);
    }
    for unknown in ["2026-07-28", "1999-12-31"] {
        let result = Peer::start(Demo::new()).result("initialize", initialize(unknown)).await;
        assert_eq!(result["protocolVersion"], "2025-11-25");
    }
    let result = Peer::start(Demo::of_revisions([Revision::V2024_11_05]))
        .result("initialize", initialize("2025-11-25"))
        .await;
    assert_eq!(result["protocolVersion"], "2024-11-05");
}

#[tokio::test]
async fn one_process_serves_both_eras() {
    let mut peer = Peer::legacy(Revision::V2025_06_18).await;
    assert!(peer.result("tools/list", json!({})).await.get("resultType").is_none());
    peer.meta = modern_meta(&json!({}));
    assert_eq!(peer.result("tools/list", json!({})).await["resultType"], "complete");
    peer.meta = json!({ "progressToken": 1 });
    assert!(peer.result("tools/list", json!({})).await.get("resultType").is_none());
    assert_eq!(peer.result("ping", json!({})).await, json!({}));
}

#[tokio::test]
async fn a_modern_request_without_its_metadata_is_malformed() {
    for key in ["protocolVersion", "clientCapabilities"] {
        for wrong in [None, Some(json!(7))] {
            let mut peer = Peer::modern();
            let key = format!("io.modelcontextprotocol/{key}");
            match wrong {
                None => drop(peer.meta.as_object_mut().unwrap().remove(&key)),
                Some(wrong) => peer.meta[&key] = wrong,
            }
            let error = peer.error("tools/list", json!({})).await;
            assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
            assert!(error.message.contains(&key), "{error}");
        }
    }
    let mut peer = Peer::modern();
    peer.meta["io.modelcontextprotocol/logLevel"] = json!("loud");
    assert_eq!(peer.error("tools/list", json!({})).await.code, ErrorCode::INVALID_PARAMS);
}

#[tokio::test]
async fn a_revision_that_is_not_served_is_refused_with_those_that_are() {
    for (demo, version) in [(Demo::new(), "2031-01-01"), (Demo::new(), "2025-11-25"), (Demo::modern(), "x")] {
        let served: Vec<_> = demo.revisions.clone();
        let mut peer = Peer::start(demo);
        peer.meta = modern_meta(&json!({}));
        peer.meta["io.modelcontextprotocol/protocolVersion"] = json!(version);
        for method in ["server/discover", "tools/list"] {
            let error = peer.error(method, json!({})).await;
            let data = error.unsupported_protocol_version().unwrap();
            assert_eq!(data.requested.as_str(), version);
            let supported: Vec<_> =
                data.supported.iter().filter_map(mcp_types::ProtocolVersion::known).collect();
            assert_eq!(supported, served);
        }
    }
}

#[tokio::test]
async fn methods_of_the_other_era_and_unknown_ones_do_not_exist() {
    let mut modern = Peer::modern();
    for method in ["ping", "initialize", "logging/setLevel", "resources/subscribe", "tasks/list", "foo/bar"] {
        assert_eq!(modern.error(method, json!({})).await.code, ErrorCode::METHOD_NOT_FOUND, "{method}");
    }
    let mut legacy = Peer::legacy(Revision::V2025_11_25).await;
    for method in ["server/discover", "subscriptions/listen", "roots/list", "tasks/list", "foo/bar"] {
        assert_eq!(legacy.error(method, json!({})).await.code, ErrorCode::METHOD_NOT_FOUND, "{method}");
    }
}

#[tokio::test]
async fn only_ping_is_answered_before_initialize() {
    for demo in [Demo::new(), Demo::legacy()] {
        let mut peer = Peer::start(demo);
        assert_eq!(peer.error("tools/list", json!({})).await.code, ErrorCode::INVALID_PARAMS);
        assert_eq!(peer.error("foo/bar", json!({})).await.code, ErrorCode::METHOD_NOT_FOUND);
        assert_eq!(peer.result("ping", json!({})).await, json!({}));
    }
}

/// Quirks 8 and 21.
#[tokio::test]
async fn a_modern_server_refuses_initialize_and_names_its_revisions() {
    let mut peer = Peer::start(Demo::modern());
    let error = peer.error("initialize", initialize("2025-11-25")).await;
    let data = error.unsupported_protocol_version().unwrap();
    assert_eq!(data.supported[0].known(), Some(Revision::V2026_07_28));
    assert_eq!(data.requested.known(), Some(Revision::V2025_11_25));
    assert_eq!(peer.error("tools/list", json!({})).await.code, ErrorCode::INVALID_PARAMS);
    assert_eq!(peer.error("ping", json!({})).await.code, ErrorCode::METHOD_NOT_FOUND);
}

/// Quirks 2 and 3.
#[tokio::test(start_paused = true)]
async fn a_legacy_server_does_not_answer_the_probe_and_serves_on() {
    let refused = |code| Some(ErrorCode(code));
    for (discover, code) in [
        (Discover::Answered, refused(-32601)),
        (Discover::Refused(ErrorCode::INVALID_PARAMS), refused(-32602)),
        (Discover::Refused(ErrorCode(0)), refused(0)),
        (Discover::Ignored, None),
    ] {
        let mut peer = Peer::start(Demo::legacy().discover(discover));
        peer.meta = modern_meta(&json!({}));
        match code {
            Some(code) => assert_eq!(peer.error("server/discover", json!({})).await.code, code),
            None => drop(peer.request("server/discover", json!({})).await),
        }
        peer.meta = json!({});
        let result = peer.result("initialize", initialize("2025-11-25")).await;
        assert_eq!(result["protocolVersion"], "2025-11-25");
        assert_eq!(peer.tool("echo", json!({ "message": "on" })).await.content.len(), 1);
    }
}

#[tokio::test]
async fn batches_are_answered_in_the_one_revision_that_has_them_and_junk_is_passed_over() {
    for (revision, answered) in
        [(Revision::V2025_03_26, vec![1, 2, 3, 4]), (Revision::V2025_06_18, vec![1, 4])]
    {
        let (near, far) = tokio::io::duplex(64 << 10);
        let (reader, writer) = tokio::io::split(far);
        let server = tokio::spawn(serve(mcp_transport_stdio::pipe(reader, writer)));
        let (mut reader, mut writer) = tokio::io::split(near);
        let request = |id: i64, method: &str, params: Value| json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let batch = json!([request(2, "ping", json!({})), request(3, "tools/list", json!({}))]);
        let lines = [
            request(1, "initialize", initialize(revision.as_str())).to_string(),
            "hello?".to_string(),
            batch.to_string(),
            request(4, "ping", json!({})).to_string(),
        ];
        writer.write_all((lines.join("\n") + "\n").as_bytes()).await.unwrap();
        writer.shutdown().await.unwrap();
        let mut replies = String::new();
        reader.read_to_string(&mut replies).await.unwrap();
        server.await.unwrap().unwrap();
        let ids: Vec<_> = replies
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].as_i64().unwrap())
            .collect();
        assert_eq!(ids, answered, "{revision}");
    }
}
