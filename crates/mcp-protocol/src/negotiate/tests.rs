use mcp_types::Json;

use super::*;

fn versions(list: &[&str]) -> Vec<ProtocolVersion> {
    list.iter().map(|text| ProtocolVersion::from(*text)).collect()
}

fn error(code: i64) -> JsonRpcError {
    JsonRpcError::new(mcp_types::ErrorCode(code), "no")
}

fn unsupported(supported: &[&str]) -> JsonRpcError {
    let data = serde_json::json!({ "supported": supported, "requested": "2026-07-28" });
    error(-32022).with_data(Json::encode(&data).unwrap())
}

fn auto() -> Negotiation {
    let (negotiation, step) = Negotiation::start(Versions::auto(), None);
    assert_eq!(step, Step::Probe { revision: Revision::V2026_07_28, on: On::Current });
    negotiation
}

const HANDSHAKE: Step = Step::Handshake { revision: Revision::V2025_11_25, on: On::Current };
const FRESH_HANDSHAKE: Step = Step::Handshake { revision: Revision::V2025_11_25, on: On::Fresh };

/// Field report P-08; quirks 2, 3 and 18.
#[test]
fn anything_but_a_modern_answer_leads_to_the_handshake() {
    for code in [-32601, -32602, -32600, -32000, -32603, 0, 404, -32004] {
        assert_eq!(auto().probed(ProbeAnswer::from_error(error(code))), HANDSHAKE, "{code}");
    }
    assert_eq!(auto().probed(ProbeAnswer::Silent), FRESH_HANDSHAKE);
    assert_eq!(auto().probed(ProbeAnswer::Died), FRESH_HANDSHAKE);
    let ready = auto().probed(ProbeAnswer::Discovered(versions(&["2026-07-28"])));
    assert_eq!(ready, Step::Ready(Revision::V2026_07_28));
}

/// Field reports P-08 f and P-10 a: never `initialize`, but not for ever either.
#[test]
fn a_version_mismatch_is_retried_with_a_listed_version() {
    let mut negotiation = auto();
    let listed = || ProbeAnswer::from_error(unsupported(&["2025-11-25", "2026-07-28"]));
    let again = Step::Probe { revision: Revision::V2026_07_28, on: On::Current };
    assert_eq!(negotiation.probed(listed()), again);
    assert_eq!(negotiation.probed(listed()), again);
    assert!(matches!(negotiation.probed(listed()), Step::Failed(NegotiationError::NoCommonRevision { .. })));
}

/// Field report P-10 b and c.
#[test]
fn other_modern_errors_are_surfaced() {
    for code in [-32020, -32021] {
        let step = auto().probed(ProbeAnswer::from_error(error(code)));
        assert_eq!(step, Step::Failed(NegotiationError::Refused(error(code))));
    }
}

/// Quirks 5 and 6.
#[test]
fn the_newest_common_revision_is_used_wherever_it_stands_in_the_list() {
    let list = versions(&["2024-11-05", "2026-07-28", "2031-01-01", "2025-06-18"]);
    assert_eq!(auto().probed(ProbeAnswer::Discovered(list)), Step::Ready(Revision::V2026_07_28));

    let legacy_only = versions(&["2024-11-05", "2025-06-18"]);
    let asks_for_what_is_listed = Step::Handshake { revision: Revision::V2025_06_18, on: On::Current };
    assert_eq!(auto().probed(ProbeAnswer::Discovered(legacy_only)), asks_for_what_is_listed);

    let legacy_only = ProbeAnswer::from_error(unsupported(&["2025-11-25"]));
    assert_eq!(auto().probed(legacy_only), HANDSHAKE);
    assert_eq!(auto().probed(ProbeAnswer::from_error(error(-32022))), HANDSHAKE);
}

/// Quirk 8.
#[test]
fn a_pin_to_a_legacy_revision_does_not_probe() {
    let (mut negotiation, step) = Negotiation::start(Versions::exactly(Revision::V2025_03_26), None);
    assert_eq!(step, Step::Handshake { revision: Revision::V2025_03_26, on: On::Current });
    let other = HandshakeAnswer::Initialized(Revision::V2025_06_18.into());
    let offered = versions(&["2025-06-18"]);
    assert_eq!(negotiation.initialized(other), Step::Failed(NegotiationError::NoCommonRevision { offered }));
}

#[test]
fn a_modern_pin_or_floor_does_not_fall_back() {
    for accepted in [Versions::exactly(Revision::V2026_07_28), Versions::at_least(Revision::V2026_07_28)] {
        let start = || Negotiation::start(accepted, None).0;
        assert_eq!(start().probed(ProbeAnswer::Silent), Step::Failed(NegotiationError::Silent));
        assert_eq!(start().probed(ProbeAnswer::Died), Step::Failed(NegotiationError::Died));
        let refused = start().probed(ProbeAnswer::from_error(error(-32601)));
        assert_eq!(refused, Step::Failed(NegotiationError::Refused(error(-32601))));
        let offered = versions(&["2025-11-25"]);
        let step = start().probed(ProbeAnswer::Discovered(offered.clone()));
        assert_eq!(step, Step::Failed(NegotiationError::NoCommonRevision { offered }));
    }
}

#[test]
fn a_legacy_floor_refuses_what_is_older() {
    let (mut negotiation, _) = Negotiation::start(Versions::at_least(Revision::V2025_06_18), None);
    assert_eq!(negotiation.probed(ProbeAnswer::Silent), FRESH_HANDSHAKE);
    let old = HandshakeAnswer::Initialized(Revision::V2024_11_05.into());
    assert!(matches!(negotiation.initialized(old), Step::Failed(NegotiationError::NoCommonRevision { .. })));
}

/// Quirk 17.
#[test]
fn the_handshake_takes_any_known_legacy_revision_and_no_other() {
    for revision in Revision::ALL.into_iter().filter(|revision| revision.era() == Era::Legacy) {
        let mut negotiation = auto();
        negotiation.probed(ProbeAnswer::Silent);
        let step = negotiation.initialized(HandshakeAnswer::Initialized(revision.into()));
        assert_eq!(step, Step::Ready(revision));
    }
    let mut negotiation = auto();
    negotiation.probed(ProbeAnswer::Silent);
    let step = negotiation.initialized(HandshakeAnswer::Initialized("1.0".into()));
    assert!(matches!(step, Step::Failed(NegotiationError::NoCommonRevision { .. })));
}

/// A slow modern server that was taken for a silent one says so when it is asked to initialize.
#[test]
fn a_handshake_refused_by_a_modern_server_probes_once_more() {
    for refusal in [unsupported(&["2026-07-28"]), error(-32022)] {
        let mut negotiation = auto();
        negotiation.probed(ProbeAnswer::Silent);
        let again = Step::Probe { revision: Revision::V2026_07_28, on: On::Current };
        assert_eq!(negotiation.initialized(HandshakeAnswer::from_error(refusal)), again);
        // No second fall-back: that would go round in circles.
        assert_eq!(negotiation.probed(ProbeAnswer::Silent), Step::Failed(NegotiationError::Silent));
    }
    // Quirk 4: a modern server that was too slow for the probe refuses `initialize` with any error.
    let mut negotiation = auto();
    negotiation.probed(ProbeAnswer::Silent);
    let step = negotiation.initialized(HandshakeAnswer::from_error(error(-32601)));
    assert_eq!(step, Step::Probe { revision: Revision::V2026_07_28, on: On::Current });
    let refused = negotiation.probed(ProbeAnswer::from_error(error(-32601)));
    assert_eq!(refused, Step::Failed(NegotiationError::Refused(error(-32601))));
    // One that had answered the probe is believed.
    let mut negotiation = auto();
    negotiation.probed(ProbeAnswer::from_error(error(-32601)));
    let step = negotiation.initialized(HandshakeAnswer::from_error(error(-32601)));
    assert_eq!(step, Step::Failed(NegotiationError::Refused(error(-32601))));
}

#[test]
fn a_remembered_verdict_saves_the_probe_and_is_not_trusted_blindly() {
    let start = |versions, verdict| Negotiation::start(versions, Some(verdict));
    let modern = Verdict::Modern(Revision::V2026_07_28);
    assert_eq!(start(Versions::auto(), modern).1, Step::Ready(Revision::V2026_07_28));
    let pinned = Versions::exactly(Revision::V2025_06_18);
    assert!(matches!(start(pinned, modern).1, Step::Handshake { .. }));

    let (mut negotiation, step) = start(Versions::auto(), Verdict::Legacy);
    assert_eq!(step, HANDSHAKE);
    let step = negotiation.initialized(HandshakeAnswer::from_error(unsupported(&["2026-07-28"])));
    assert!(matches!(step, Step::Probe { .. }));
    // Quirk 8: a modern server may refuse `initialize` with any code.
    let (mut negotiation, _) = start(Versions::auto(), Verdict::Legacy);
    let step = negotiation.initialized(HandshakeAnswer::from_error(error(0)));
    assert!(matches!(step, Step::Probe { .. }));
    let (mut negotiation, _) = start(Versions::exactly(Revision::V2025_06_18), Verdict::Legacy);
    let step = negotiation.initialized(HandshakeAnswer::from_error(error(0)));
    assert_eq!(step, Step::Failed(NegotiationError::Refused(error(0))));
}
