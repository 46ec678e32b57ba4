use super::*;

/// Members and values that the demo server writes, and the first revision that has them.
const SINCE: [(&str, Revision); 17] = [
    (r#""annotations""#, Revision::V2025_03_26),
    (r#""audio""#, Revision::V2025_03_26),
    (r#""completions""#, Revision::V2025_03_26),
    (r#""message":"step"#, Revision::V2025_03_26),
    (r#""resource_link""#, Revision::V2025_06_18),
    (r#""title""#, Revision::V2025_06_18),
    (r#""outputSchema""#, Revision::V2025_06_18),
    (r#""structuredContent""#, Revision::V2025_06_18),
    (r#""description":"A server of every"#, Revision::V2025_11_25),
    (r#""resultType""#, Revision::V2026_07_28),
    (r#""ttlMs""#, Revision::V2026_07_28),
    (r#""cacheScope""#, Revision::V2026_07_28),
    (r#""_meta""#, Revision::V2026_07_28),
    (r#""supportedVersions""#, Revision::V2026_07_28),
    (r#""inputRequests""#, Revision::V2026_07_28),
    (r#""requestState""#, Revision::V2026_07_28),
    (r#""io.modelcontextprotocol/"#, Revision::V2026_07_28),
];

/// Everything that the server can say.
async fn tour(peer: &mut Peer, era: Era) -> String {
    let tool = |name: &str, arguments: Value| ("tools/call", json!({ "name": name, "arguments": arguments }));
    let mut requests = vec![
        ("tools/list", json!({})),
        ("tools/list", json!({ "cursor": "tools@3" })),
        ("tools/list", json!({ "cursor": "tools@6" })),
        ("resources/list", json!({})),
        ("resources/templates/list", json!({})),
        ("resources/read", json!({ "uri": "demo:///readme.md" })),
        ("prompts/list", json!({})),
        ("prompts/get", json!({ "name": "hello" })),
        tool("echo", json!({ "message": "x", "structured": true })),
        tool("add", json!({ "a": 1, "b": 2 })),
        tool("contents", json!({})),
        tool("slow", json!({ "steps": 1, "milliseconds": 0 })),
        tool("fail", json!({})),
        tool("greet", json!({})),
    ];
    requests.push(match era {
        Era::Modern => ("server/discover", json!({})),
        Era::Legacy => (
            "initialize",
            json!({ "protocolVersion": peer.meta["was"], "capabilities": {}, "clientInfo": { "name": "p", "version": "1" } }),
        ),
    });
    let mut said = String::new();
    for (method, params) in requests {
        let id = peer.request(method, params).await;
        loop {
            let message = peer.next().await;
            said.push_str(std::str::from_utf8(&message.to_vec()).unwrap());
            if message.id().is_some() {
                assert!(
                    matches!(&message, RawMessage::Response(reply) if reply.outcome.is_ok() && reply.id == Some(id.into())),
                    "{method}: {message:?}"
                );
                break;
            }
        }
    }
    said
}

/// Also shows that the tour finds each of them where it may be.
#[tokio::test(start_paused = true)]
async fn no_revision_is_sent_what_it_does_not_have() {
    for revision in Revision::ALL {
        let mut peer = match revision.era() {
            Era::Legacy => Peer::legacy(revision).await,
            Era::Modern => Peer::modern_with(&json!({ "elicitation": {} })),
        };
        peer.meta["progressToken"] = json!(1);
        peer.meta["was"] = json!(revision.as_str());
        let said = tour(&mut peer, revision.era()).await;
        for (what, since) in SINCE {
            assert_eq!(said.contains(what), revision >= since, "{what} in {revision}");
        }
    }
}
