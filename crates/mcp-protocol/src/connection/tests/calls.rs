use super::*;

#[test]
fn answers_find_their_calls_in_any_order() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    let a = start(&mut core, now, call("a"), "A");
    let b = start(&mut core, now, call("b"), "B");
    assert!(a < b);
    assert_eq!(
        sent(&mut core),
        [r#"{"jsonrpc":"2.0","id":1,"method":"a"}"#, r#"{"jsonrpc":"2.0","id":2,"method":"b"}"#]
    );
    receive(&mut core, now, r#"{"jsonrpc":"2.0","id":2,"result":{"n":2}}"#);
    receive(&mut core, now, r#"{"error":{"code":0},"id":"1","jsonrpc":"2.0"}"#);
    let ended: Vec<_> = outputs(&mut core)
        .into_iter()
        .map(|output| match output {
            Output::Finished { payload, outcome, .. } => (payload, outcome),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(
        ended,
        [
            ("B", Outcome::Result(r#"{"n":2}"#.into())),
            // Field report T-08: the id may come back as a string. Quirk 18: 0 is a code.
            ("A", Outcome::Error(r#"{"code":0}"#.into())),
        ]
    );
    assert_eq!(core.open_calls(), 0);
}

/// Field report P-03.
#[test]
fn late_repeated_and_foreign_replies_are_dropped() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    let deadlines = Deadlines { idle: Some(Duration::from_millis(200)), ..Deadlines::default() };
    start(&mut core, now, OutgoingCall { deadlines, ..call("slow") }, "");
    sent(&mut core);
    core.timeout(now + Duration::from_millis(200));
    let expired = Outcome::Expired { limit: Expired::Idle(Duration::from_millis(200)), sent: true };
    assert_eq!(outcome(&mut core), expired);
    for text in [
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":9999,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":"01","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":-1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700}}"#,
    ] {
        receive(&mut core, now, text);
    }
    assert!(matches!(
        dropped(&mut core).as_slice(),
        [
            Dropped::LateReply(_),
            Dropped::LateReply(_),
            Dropped::ForeignReply(_),
            Dropped::ForeignReply(_),
            Dropped::ForeignReply(_),
            Dropped::UnattributedError(_),
        ]
    ));
    start(&mut core, now, call("normal"), "");
    sent(&mut core);
    receive(&mut core, now, r#"{"jsonrpc":"2.0","id":2,"result":{}}"#);
    assert_eq!(outcome(&mut core), Outcome::Result("{}".into()));
}

/// A server that guesses the next id does not answer a call that it has not seen.
#[test]
fn a_reply_to_a_request_that_has_not_left_is_foreign() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    start(&mut core, now, call("a"), "");
    receive(&mut core, now, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(dropped(&mut core), [Dropped::ForeignReply(1.into())]);
    assert_eq!(core.open_calls(), 1);
}

/// Field report P-04.
#[test]
fn a_cancelled_call_is_told_once_and_leaves_nothing() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    let id = start(&mut core, now, call("tools/call"), "payload");
    sent(&mut core);
    assert_eq!(core.cancel(id, Some("user")), Some("payload"));
    assert_eq!(core.cancel(id, None), None);
    assert_eq!(
        sent(&mut core),
        [
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"user"}}"#,
            "Abandon(CallId(1))",
        ]
    );
    assert_eq!((core.open_calls(), core.next_deadline().is_some()), (0, true));
    core.timeout(now + secs(60));
    assert_eq!((core.next_deadline(), outputs(&mut core).len()), (None, 0));
}

#[test]
fn a_call_that_has_not_left_is_taken_back() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    let first = start(&mut core, now, call("a"), "");
    start(&mut core, now, call("b"), "");
    core.cancel(first, None);
    assert_eq!(sent(&mut core), [r#"{"jsonrpc":"2.0","id":2,"method":"b"}"#]);
    start(&mut core, now, call("c"), "");
    core.timeout(now + secs(60));
    let outcomes: Vec<_> = outputs(&mut core)
        .into_iter()
        .map(|output| match output {
            Output::Finished { outcome: Outcome::Expired { sent, .. }, .. } => sent,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(outcomes, [true, false]);
    assert_eq!(
        sent(&mut core),
        [
            r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2,"reason":"deadline exceeded"}}"#,
            "Abandon(CallId(2))",
        ]
    );
}

#[test]
fn initialize_and_abandoned_probes_are_never_cancelled_on_the_wire() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    // `initialize` never is, whoever sends it.
    for outgoing in
        [OutgoingCall { cancel: CancelMode::Silent, ..call("server/discover") }, call("initialize")]
    {
        let id = start(&mut core, now, outgoing, "");
        sent(&mut core);
        core.cancel(id, None);
        assert_eq!(sent(&mut core), [format!("Abandon({id:?})")]);
    }
}

/// Specification, Cancellation, Transport-Specific Cancellation.
#[test]
fn over_exchanges_the_era_decides_how_to_cancel() {
    let now = Instant::now();
    for (revision, told) in [(Revision::V2025_11_25, true), (Revision::V2026_07_28, false)] {
        let mut core = Core::new(Binding::Exchanges);
        core.settle(revision);
        let Started { id, message } = core.call(now, call("tools/call"), "").unwrap();
        assert!(message.is_some());
        sent(&mut core);
        core.cancel(id, None);
        let cancelled = sent(&mut core).iter().any(|text| text.contains("notifications/cancelled"));
        assert_eq!(cancelled, told, "{revision}");
        assert!(matches!(outputs(&mut core).as_slice(), [Output::Abandon(CallId(1))]));
    }
}

#[test]
fn an_exchange_answers_only_its_own_call() {
    let (mut core, now) = (Core::new(Binding::Exchanges), Instant::now());
    let a = start(&mut core, now, call("a"), "A");
    let b = start(&mut core, now, call("b"), "B");
    core.receive(now, Origin::Exchange(b), message(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#));
    assert_eq!(dropped(&mut core), [Dropped::ForeignReply(1.into())]);
    // Quirk 7: an error answers the exchange that it came in, also without an id.
    core.receive(now, Origin::Exchange(a), message(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600}}"#));
    assert_eq!(outcome(&mut core), Outcome::Error(r#"{"code":-32600}"#.into()));
    core.exchange_ended(a, None);
    assert!(outputs(&mut core).is_empty());
    core.exchange_ended(b, None);
    assert_eq!(outcome(&mut core), Outcome::NoReply);
}

/// Over exchanges nothing of one call reaches another: no reply, no progress, no cancellation.
#[test]
fn exchanges_do_not_touch_each_other() {
    let (mut core, now) = (Core::new(Binding::Exchanges), Instant::now());
    let a =
        start(&mut core, now, OutgoingCall { progress_token: Some(1), ..call("subscriptions/listen") }, "A");
    let b = start(&mut core, now, call("b"), "B");
    for text in [
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}"#,
    ] {
        core.receive(now, Origin::Exchange(b), message(text));
        assert!(outputs(&mut core).iter().all(|output| matches!(output, Output::Event(_))), "{text}");
    }
    core.receive(
        now,
        Origin::Exchange(a),
        message(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#),
    );
    assert_eq!(outcome(&mut core), Outcome::CancelledByPeer);
}

/// Field report P-07.
#[test]
fn progress_extends_the_idle_limit_without_any_callback() {
    let (mut core, start_at) = (Core::new(Binding::Pipe), Instant::now());
    let ms = Duration::from_millis;
    let deadlines = Deadlines { idle: Some(ms(300)), total: Some(secs(2)), extend_on_progress: true };
    start(&mut core, start_at, OutgoingCall { deadlines, progress_token: Some(41), ..call("slow") }, "P");
    sent(&mut core);
    for step in 1..=5 {
        let now = start_at + ms(200 * step);
        core.timeout(now);
        // The server may echo the token as a string.
        let token = if step % 2 == 0 { "41" } else { "\"41\"" };
        receive(
            &mut core,
            now,
            &format!(
                r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{token},"progress":{step}}}}}"#
            ),
        );
        assert!(matches!(outputs(&mut core).as_slice(), [Output::Progress { payload: "P", .. }]), "{step}");
    }
    receive(&mut core, start_at + ms(1200), r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(outcome(&mut core), Outcome::Result("{}".into()));
    receive(
        &mut core,
        start_at + ms(1300),
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":41,"progress":9}}"#,
    );
    assert!(matches!(dropped(&mut core).as_slice(), [Dropped::StrayProgress(_)]));
}

#[test]
fn the_end_of_the_link_ends_every_call_and_says_what_had_left() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    start(&mut core, now, call("a"), "A");
    start(&mut core, now, call("b"), "B");
    sent(&mut core);
    core.never_left(CallId(2));
    start(&mut core, now, call("c"), "C");
    core.link_ended("boom");
    core.link_ended("again");
    let lost: Vec<_> = outputs(&mut core)
        .into_iter()
        .map(|output| match output {
            Output::Finished { payload, outcome: Outcome::Lost { failure, sent }, .. } => {
                (payload, failure, sent)
            }
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(lost, [("A", "boom", true), ("B", "boom", false), ("C", "boom", false)]);
    assert_eq!(core.call(now, call("d"), "D").unwrap_err().why, Refused::Ended("boom"));
    assert!(!core.notify("x", None) && !core.has_outgoing());
}

#[test]
fn a_stopped_connection_lets_open_calls_finish() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    start(&mut core, now, call("a"), "");
    sent(&mut core);
    core.stop();
    start(&mut core, now, OutgoingCall { continues: true, ..call("next round") }, "");
    core.take_back(CallId(2));
    assert_eq!(core.call(now, call("b"), "B").unwrap_err().payload, "B");
    receive(&mut core, now, r#"{"jsonrpc":"2.0","id":1,"result":{}}"#);
    assert_eq!(outcome(&mut core), Outcome::Result("{}".into()));
}

/// Specification, Subscriptions: a server tears a subscription down with a notification; nothing else of ours.
#[test]
fn a_server_can_cancel_a_subscription_only() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    start(&mut core, now, call("subscriptions/listen"), "");
    start(&mut core, now, call("tools/call"), "");
    sent(&mut core);
    receive(
        &mut core,
        now,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}"#,
    );
    assert!(matches!(outputs(&mut core).as_slice(), [Output::Event(Event::Notification { .. })]));
    receive(
        &mut core,
        now,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    );
    assert_eq!(outcome(&mut core), Outcome::CancelledByPeer);
    assert_eq!(core.open_calls(), 1);
}

/// Specification, Subscriptions: notifications are told apart by the subscription that they name.
#[test]
fn notifications_find_their_subscription() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    start(&mut core, now, call("subscriptions/listen"), "A");
    start(&mut core, now, call("subscriptions/listen"), "B");
    start(&mut core, now, call("tools/call"), "C");
    sent(&mut core);
    let mut subscribed = |id: &str, method: &str| {
        let text = format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/{method}","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}}}"#
        );
        receive(&mut core, now, &text);
        let found = outputs(&mut core).into_iter().find_map(|output| match output {
            Output::Subscribed { payload, .. } => Some(payload),
            _ => None,
        });
        // An acknowledged subscription has no deadline.
        core.timeout(now + secs(60));
        (found, core.open_calls())
    };
    assert_eq!(subscribed("2", "subscriptions/acknowledged"), (Some("B"), 1));
    assert_eq!(subscribed("\"2\"", "tools/list_changed"), (Some("B"), 1));
    for stray in ["1", "3", "9", "null", "{}"] {
        assert_eq!(subscribed(stray, "tools/list_changed"), (None, 1), "{stray}");
    }
}

#[test]
fn over_exchanges_a_subscription_is_known_by_its_exchange() {
    let (mut core, now) = (Core::new(Binding::Exchanges), Instant::now());
    let a = start(&mut core, now, call("subscriptions/listen"), "A");
    let b = start(&mut core, now, call("subscriptions/listen"), "B");
    let named = |id: CallId| {
        message(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/x","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{}}}}}}}"#,
            id.0
        ))
    };
    core.receive(
        now,
        Origin::Exchange(a),
        message(r#"{"jsonrpc":"2.0","method":"notifications/x","params":{}}"#),
    );
    core.receive(now, Origin::Exchange(a), named(b));
    core.receive(now, Origin::Exchange(b), named(b));
    let found: Vec<_> = outputs(&mut core)
        .into_iter()
        .filter_map(|output| match output {
            Output::Subscribed { payload, .. } => Some(payload),
            _ => None,
        })
        .collect();
    assert_eq!(found, ["A", "B"]);
}
