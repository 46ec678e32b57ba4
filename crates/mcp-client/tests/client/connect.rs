//! From a transport to a client: eras, revisions, limits.

use crate::common::{ALL, builder, connecting, ms, secs, tasks_left};
use mcp_client::{ErrorKind, NegotiationError, Remembered, State, Versions};
use mcp_testkit::script::{Peer, peer};
use mcp_transport::{Single, TransportErrorKind};
use mcp_types::{Era, Revision};
use serde_json::json;

const LEGACY: Revision = Revision::V2025_11_25;

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_found_by_its_answer_to_the_probe() {
    let (transport, mut peers) = connecting();
    let server = async {
        let mut peer = peers.next().await;
        let discover = peer.accept_modern(r#"{"tools":{}}"#).await;
        assert_eq!(
            discover.params_value(),
            json!({"_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": {"name": "test-client", "version": "1.2.3"},
                "io.modelcontextprotocol/clientCapabilities": {},
            }})
        );
        peer
    };
    let (client, mut peer) = tokio::join!(builder().connect(transport), server);
    let client = client.unwrap();
    assert_eq!((client.revision(), client.negotiated().era()), (Revision::V2026_07_28, Era::Modern));
    assert_eq!(client.negotiated().server_info.as_ref().unwrap().name, "scripted");
    assert_eq!(client.state(), State::Ready);
    // Quirk 8: no `initialize` to be safe, no `initialized` either.
    peer.expect_nothing(secs(1)).await;
}

/// Field report T-05: unset members are not on the wire.
#[tokio::test(start_paused = true)]
async fn a_legacy_server_is_initialized_on_the_same_process_after_an_answer() {
    // Field report P-08 a to c; quirks 3 and 18.
    for code in [-32601, -32602, -32600, -32000, 0] {
        let (transport, mut peers) = connecting();
        let server = async {
            let mut peer = peers.next().await;
            peer.expect("server/discover").await.reply_error(code, "what?");
            let initialize = peer.expect("initialize").await;
            assert_eq!(
                initialize.params(),
                r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test-client","version":"1.2.3"}}"#
            );
            // Quirk 17: another revision than asked for.
            initialize.reply(r#"{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#);
            peer.expect_notification("notifications/initialized").await;
            peer
        };
        let (client, _peer) = tokio::join!(builder().connect(transport), server);
        assert_eq!(client.unwrap().revision(), Revision::V2024_11_05);
        assert!(peers.try_next().is_none());
    }
}

/// Field report P-08 d; quirk 2: a silent server may be poisoned by the probe.
#[tokio::test(start_paused = true)]
async fn silence_leads_to_initialize_on_a_fresh_process() {
    let (transport, mut peers) = connecting();
    let server = async {
        let mut poisoned = peers.next().await;
        let _unanswered = poisoned.expect("server/discover").await;
        // An abandoned probe sends nothing; the old process is gone before the new one starts.
        poisoned.expect_end().await;
        let mut fresh = peers.next().await;
        fresh.expect("initialize").await.reply(initialized(LEGACY));
        fresh.expect_notification("notifications/initialized").await;
        fresh
    };
    let (client, _fresh) = tokio::join!(builder().probe_timeout(secs(10)).connect(transport), server);
    assert_eq!(client.unwrap().revision(), LEGACY);
}

/// Field report P-08 e.
#[tokio::test(start_paused = true)]
async fn death_on_the_probe_leads_to_initialize_on_a_fresh_process() {
    let (transport, mut peers) = connecting();
    let server = async {
        let mut dies = peers.next().await;
        dies.expect("server/discover").await;
        dies.cut();
        let mut fresh = peers.next().await;
        fresh.expect("initialize").await.reply(initialized(LEGACY));
        fresh.expect_notification("notifications/initialized").await;
        fresh
    };
    let (client, _fresh) = tokio::join!(builder().connect(transport), server);
    assert_eq!(client.unwrap().revision(), LEGACY);
}

#[tokio::test(start_paused = true)]
async fn a_link_that_cannot_be_made_again_is_used_on_after_silence_but_not_after_death() {
    let (transport, mut peers) = connecting();
    let server = async {
        let mut peer = peers.next().await;
        let late = peer.expect("server/discover").await;
        peer.expect("initialize").await.reply(initialized(LEGACY));
        peer.expect_notification("notifications/initialized").await;
        // Quirk 4: a late answer to the probe is dropped by its id.
        late.reply(r#"{"supportedVersions":["2026-07-28"],"capabilities":{}}"#);
        peer.expect("tools/list").await.reply(r#"{"tools":[]}"#);
        peer
    };
    let client = async {
        let client = builder().connect(transport.not_repeatable()).await.unwrap();
        assert!(client.list_tools().all().await.unwrap().is_empty());
        client
    };
    tokio::join!(client, server);

    let (transport, mut peers) = connecting();
    let server = async {
        let mut peer = peers.next().await;
        peer.expect("server/discover").await;
        peer.cut();
    };
    let (client, ()) = tokio::join!(builder().connect(transport.not_repeatable()), server);
    let error = client.unwrap_err();
    assert_eq!(error.transport().unwrap().kind(), TransportErrorKind::Closed, "{error}");
}

/// Quirks 5 and 6.
#[tokio::test(start_paused = true)]
async fn the_revision_is_chosen_from_the_list() {
    let (transport, mut peers) = connecting();
    let server = async {
        let mut peer = peers.next().await;
        let discover = peer.expect("server/discover").await;
        discover.reply(
            r#"{"resultType":"complete","supportedVersions":["2024-11-05","2025-06-18"],"capabilities":{}}"#,
        );
        let initialize = peer.expect("initialize").await.with_params(r#"{"protocolVersion":"2025-06-18"}"#);
        initialize.reply(initialized(Revision::V2025_06_18));
        peer.expect_notification("notifications/initialized").await;
    };
    let (client, ()) = tokio::join!(builder().connect(transport), server);
    assert_eq!(client.unwrap().revision(), Revision::V2025_06_18);
}

/// Field report P-08 f.
#[tokio::test(start_paused = true)]
async fn a_version_mismatch_is_retried_never_initialized() {
    let (transport, mut peers) = connecting();
    let server = async {
        let mut peer = peers.next().await;
        let data = r#"{"supported":["2026-07-28"],"requested":"2026-07-28"}"#;
        peer.expect("server/discover").await.reply_error_data(-32022, "no", data);
        peer.accept_modern("{}").await;
    };
    let (client, ()) = tokio::join!(builder().connect(transport), server);
    assert_eq!(client.unwrap().revision(), Revision::V2026_07_28);
}

/// Quirk 8: a pin to a legacy revision does not probe.
#[tokio::test(start_paused = true)]
async fn pins_and_floors() {
    let (transport, mut peers) = connecting();
    let server = async {
        let mut peer = peers.next().await;
        let initialize = peer.expect("initialize").await.with_params(r#"{"protocolVersion":"2025-03-26"}"#);
        initialize.reply(initialized(LEGACY));
        peer.expect_end().await;
    };
    let pinned = builder().versions(Versions::exactly(Revision::V2025_03_26)).connect(transport);
    let (client, ()) = tokio::join!(pinned, server);
    let error = client.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Negotiation);
    assert!(error.to_string().contains("2025-11-25"), "{error}");

    let (transport, mut peers) = connecting();
    let server = async {
        let mut peer = peers.next().await;
        peer.expect("server/discover").await.reply_error(-32601, "what?");
        peer.expect_end().await;
    };
    let floor = builder().versions(Versions::at_least(Revision::V2026_07_28)).connect(transport);
    let (client, ()) = tokio::join!(floor, server);
    assert_eq!(client.unwrap_err().rpc().unwrap().code.0, -32601);
}

#[tokio::test(start_paused = true)]
async fn a_remembered_modern_server_costs_no_round_trip() {
    let (transport, mut peers) = connecting();
    let (client, mut peer) = tokio::join!(builder().connect(transport), accept_modern(&mut peers));
    let client = client.unwrap();
    let text = serde_json::to_string(&client.remember()).unwrap();
    client.close().await;
    peer.expect_end().await;

    let remembered: Remembered = serde_json::from_str(&text).unwrap();
    let (transport, mut peers) = connecting();
    let client = builder().remembered(remembered).connect(transport).await.unwrap();
    assert_eq!(client.negotiated().server_info.as_ref().unwrap().name, "scripted");
    let mut peer = peers.next().await;
    let (tools, ()) = tokio::join!(client.list_tools().all(), async {
        peer.expect("tools/list").await.reply(r#"{"resultType":"complete","tools":[]}"#);
    });
    assert!(tools.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_remembered_legacy_server_is_probed_again_when_that_proves_wrong() {
    let (transport, mut peers) = connecting();
    let server = async {
        let mut peer = peers.next().await;
        let data = r#"{"supported":["2026-07-28"]}"#;
        peer.expect("initialize").await.reply_error_data(-32022, "modern only", data);
        peer.accept_modern("{}").await;
        peer
    };
    let remembered: Remembered = serde_json::from_str(r#"{"revision":"2025-11-25"}"#).unwrap();
    let (client, _peer) = tokio::join!(builder().remembered(remembered).connect(transport), server);
    assert_eq!(client.unwrap().revision(), Revision::V2026_07_28);
}

#[tokio::test(start_paused = true)]
async fn connecting_has_a_limit_and_says_what_it_waited_for() {
    let (transport, mut peers) = connecting();
    let server = async {
        let mut peer = peers.next().await;
        peer.send_frame("Server starting on stdio...");
        peer.expect("server/discover").await.reply_error(-32601, "what?");
        let _unanswered = peer.expect("initialize").await;
        peer.expect_end().await;
    };
    let begun = tokio::time::Instant::now();
    let (client, ()) = tokio::join!(builder().connect_timeout(secs(30)).connect(transport), server);
    let error = client.unwrap_err();
    assert_eq!((error.kind(), begun.elapsed().as_secs()), (ErrorKind::Timeout, 30));
    assert!(error.to_string().contains("initialize"), "{error}");
    // Field report S-04: what the server wrote instead is told.
    assert!(error.to_string().contains("Server starting on stdio"), "{error}");
}

/// A handshake that is answered with the modern revision leads to `server/discover`, whose answer then counts.
#[tokio::test(start_paused = true)]
async fn a_handshake_answered_with_the_modern_revision_is_discovered() {
    let (link, mut peer) = peer();
    let server = async {
        peer.expect("initialize").await.reply(initialized(Revision::V2026_07_28));
        peer.accept_modern(r#"{"prompts":{}}"#).await;
        peer.expect_nothing(secs(1)).await;
    };
    let remembered: Remembered = serde_json::from_str(r#"{"revision":"2025-11-25"}"#).unwrap();
    let (client, ()) = tokio::join!(builder().remembered(remembered).connect(Single::new(link)), server);
    let client = client.unwrap();
    assert_eq!(client.revision(), Revision::V2026_07_28);
    let capabilities = client.capabilities();
    assert!(capabilities.has("prompts") && !capabilities.has("tools"), "{:?}", client.negotiated());
}

/// DESIGN: connect is cancel-safe at every stage, and leaves no task.
#[tokio::test(start_paused = true)]
async fn a_connect_dropped_half_way_leaves_nothing() {
    let before = tasks_left().await;
    for stage in 0..3 {
        let (transport, mut peers) = connecting();
        let connecting = builder();
        let mut states = connecting.watch_state();
        let connect = tokio::spawn(connecting.connect(transport));
        let mut peer = peers.next().await;
        let discover = peer.expect("server/discover").await;
        if stage > 0 {
            discover.reply_error(-32601, "no");
            let initialize = peer.expect("initialize").await;
            if stage > 1 {
                initialize.reply(r#"{"protocolVersion":"1999-01-01"}"#);
                tokio::task::yield_now().await;
            }
        }
        assert!(states.wait_for(State::Connecting).await || stage > 1);
        connect.abort();
        let _ = connect.await;
        // Never `notifications/cancelled` for either request.
        peer.expect_end().await;
        assert!(states.wait_for(State::Closed).await);
        drop(peer);
        tokio::time::sleep(secs(60)).await;
        assert_eq!(tasks_left().await, before, "stage {stage}");
    }
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_no_initialize_result_is_an_error_of_its_own() {
    let (link, mut peer) = peer();
    let server = async {
        peer.expect("server/discover").await.reply(r#"{"hello":"world"}"#);
        peer.expect("initialize").await.reply(r#"{"hello":"world"}"#);
        peer.expect_end().await;
    };
    let (client, ()) = tokio::join!(builder().connect(Single::new(link)), server);
    let error = client.unwrap_err();
    assert_eq!((error.kind(), error.method()), (ErrorKind::InvalidResult, Some("initialize")));
    assert_eq!(error.raw_result().unwrap().as_str(), r#"{"hello":"world"}"#);
}

/// Quirks 9 and 10: the handshake is routed by kind, not by order; server requests are answered at once.
#[tokio::test(start_paused = true)]
async fn requests_and_notifications_during_the_handshake_are_routed() {
    let (link, mut peer) = peer();
    let server = async {
        peer.notify("window/logMessage", r#"{"type":3}"#);
        peer.request(1, "ping", "{}");
        peer.request(0, "roots/list", "{}");
        peer.send_frame(r#"[{"jsonrpc":"2.0","method":"notifications/x"}]"#);
        // Ours has the same id, 1, as the server's ping.
        let discover = peer.expect("server/discover").await;
        assert_eq!(peer.expect_response(1).await.result(), json!({}));
        assert_eq!(peer.expect_response(0).await.error().code.0, -32601);
        discover.reply_error(-32601, "no");
        let initialize = peer.expect("initialize").await;
        peer.notify("notifications/message", r#"{"level":"info","data":[null,1.5,"x"]}"#);
        initialize.reply(initialized(LEGACY));
        peer.expect_notification("notifications/initialized").await;
        peer
    };
    let (client, _peer) = tokio::join!(builder().connect(Single::new(link)), server);
    assert_eq!(client.unwrap().revision(), LEGACY);
}

#[tokio::test(start_paused = true)]
async fn states_are_seen_in_order() {
    let (transport, mut peers) = connecting();
    let connecting = builder();
    let mut states = connecting.watch_state();
    assert_eq!(states.get(), State::Disconnected);
    let seen = tokio::spawn(async move {
        let mut seen = vec![states.get()];
        while let Some(state) = states.changed().await {
            seen.push(state);
            if state == State::Closed {
                break;
            }
        }
        seen
    });
    let (client, peer) = tokio::join!(connecting.connect(transport), accept_modern(&mut peers));
    let client = client.unwrap();
    tokio::time::sleep(ms(10)).await;
    client.close().await;
    drop(peer);
    let seen = seen.await.unwrap();
    assert_eq!(seen.last(), Some(&State::Closed));
    let order = [State::Disconnected, State::Connecting, State::Ready, State::Closing, State::Closed];
    let places: Vec<_> =
        seen.iter().map(|state| order.iter().position(|known| known == state).unwrap()).collect();
    assert!(places.is_sorted() && places.contains(&2), "{seen:?}");
}

#[tokio::test(start_paused = true)]
async fn no_common_revision_names_what_the_server_offers() {
    let (transport, mut peers) = connecting();
    let server = async {
        let mut peer = peers.next().await;
        peer.expect("server/discover").await.reply_error(-32601, "no");
        peer.expect("initialize").await.reply(initialized_as("1999-01-01"));
        peer.expect_end().await;
    };
    let (client, ()) = tokio::join!(builder().connect(transport), server);
    let error = client.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Negotiation);
    let source = error.negotiation().unwrap();
    assert!(
        matches!(source, NegotiationError::NoCommonRevision { offered } if offered[0].as_str() == "1999-01-01")
    );
}

async fn accept_modern(peers: &mut crate::common::Peers) -> Peer {
    let mut peer = peers.next().await;
    peer.accept_modern(ALL).await;
    peer
}

fn initialized(revision: Revision) -> String {
    initialized_as(revision.as_str())
}

fn initialized_as(version: &str) -> String {
    format!(
        r#"{{"protocolVersion":"{version}","capabilities":{{"tools":{{}}}},"serverInfo":{{"name":"s","version":"1"}}}}"#
    )
}

/// Quirk 4: a modern server that is too slow for the probe refuses `initialize`, with any error; it is asked once more.
#[tokio::test(start_paused = true)]
async fn a_modern_server_that_was_too_slow_for_the_probe_is_asked_again() {
    let (transport, mut peers) = connecting();
    let server = async {
        let mut slow = peers.next().await;
        let _unanswered = slow.expect("server/discover").await;
        slow.expect_end().await;
        let mut fresh = peers.next().await;
        fresh.expect("initialize").await.reply_error(-32601, "modern only");
        fresh.accept_modern("{}").await;
        fresh
    };
    let (client, _fresh) = tokio::join!(builder().connect(transport), server);
    assert_eq!(client.unwrap().revision(), Revision::V2026_07_28);
}

/// An answer to the probe that cannot be read is an error of its own where nothing older is accepted.
#[tokio::test(start_paused = true)]
async fn an_unreadable_answer_to_the_probe_is_shown() {
    let (link, mut peer) = peer();
    let server = async {
        peer.expect("server/discover")
            .await
            .reply(r#"{"supportedVersions":["2026-07-28"],"capabilities":{},"instructions":[]}"#);
        peer.expect_end().await;
    };
    let pinned = builder().versions(Versions::exactly(Revision::V2026_07_28)).connect(Single::new(link));
    let (client, ()) = tokio::join!(pinned, server);
    let error = client.unwrap_err();
    assert_eq!((error.kind(), error.method()), (ErrorKind::InvalidResult, Some("server/discover")));
    assert!(error.raw_result().unwrap().as_str().contains("instructions"));
}
