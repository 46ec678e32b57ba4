use super::*;

fn requests(core: &mut Core) -> Vec<ServeId> {
    outputs(core)
        .into_iter()
        .map(|output| match output {
            Output::Event(Event::Request { id, .. }) => id,
            other => panic!("{other:?}"),
        })
        .collect()
}

/// Field reports T-08 and P-01; quirk 10.
#[test]
fn requests_are_answered_with_the_id_as_it_came() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    for id in ["0", "-1", "9007199254740993", "\"abc\"", "1.0", "18446744073709551616", r#""\u0061""#] {
        receive(&mut core, now, &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"foo/bar"}}"#));
        let [key] = requests(&mut core)[..] else { panic!() };
        assert!(core.respond(key, Err(JsonRpcError::method_not_found("foo/bar"))));
        assert!(!core.respond(key, Ok("{}".into())));
        let expected = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"Method not found: foo/bar"}}}}"#
        );
        assert_eq!(sent(&mut core), [expected]);
    }
}

/// Quirk 10.
#[test]
fn a_legacy_ping_is_answered_in_every_state() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    receive(&mut core, now, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(sent(&mut core), [r#"{"jsonrpc":"2.0","id":1,"result":{}}"#]);
    core.stop();
    receive(&mut core, now, r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert_eq!(sent(&mut core), [r#"{"jsonrpc":"2.0","id":2,"result":{}}"#]);
}

#[test]
fn a_request_that_the_peer_cancelled_is_not_answered() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    receive(&mut core, now, r#"{"jsonrpc":"2.0","id":"x","method":"roots/list"}"#);
    let [key] = requests(&mut core)[..] else { panic!() };
    receive(
        &mut core,
        now,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"x"}}"#,
    );
    assert!(
        matches!(outputs(&mut core).as_slice(), [Output::Event(Event::RequestCancelled { id })] if *id == key)
    );
    assert!(!core.respond(key, Ok("{}".into())) && sent(&mut core).is_empty());
}

#[test]
fn open_requests_are_limited_and_a_peer_that_does_not_read_is_not_answered_for_ever() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    for id in 0..10_000 {
        receive(&mut core, now, &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"roots/list"}}"#));
    }
    let served = outputs(&mut core);
    let open = served.iter().filter(|output| matches!(output, Output::Event(Event::Request { .. }))).count();
    assert_eq!(open, 128);
    let replies = sent(&mut core);
    assert_eq!(replies.len(), 1024);
    assert!(replies[0].contains("-32603"));
    // Once they have left, requests are answered again.
    receive(&mut core, now, r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    assert_eq!(sent(&mut core).len(), 1);
    for id in 0..10_000 {
        receive(&mut core, now, &format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#));
    }
    assert_eq!(sent(&mut core).len(), 1024);
}

#[test]
fn batches_are_taken_from_the_one_revision_that_has_them() {
    let now = Instant::now();
    let batch = || {
        vec![
            message(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#),
            message(r#"{"jsonrpc":"2.0","method":"notifications/x"}"#),
        ]
    };
    for revision in Revision::ALL {
        let mut core = Core::new(Binding::Pipe);
        core.settle(revision);
        start(&mut core, now, call("a"), "");
        sent(&mut core);
        core.receive_batch(now, Origin::Shared, batch());
        let outputs = outputs(&mut core);
        if revision == Revision::V2025_03_26 {
            assert!(matches!(
                outputs.as_slice(),
                [Output::Finished { .. }, Output::Event(Event::Notification { .. })]
            ));
        } else {
            assert!(matches!(outputs.as_slice(), [Output::Event(Event::Dropped(Dropped::Batch(2)))]));
        }
    }
}

#[test]
fn malformed_notifications_of_the_protocol_are_survived() {
    let (mut core, now) = (Core::new(Binding::Pipe), Instant::now());
    for params in [
        "",
        r#","params":[]"#,
        r#","params":{"requestId":{}}"#,
        r#","params":{"progressToken":[]}"#,
        r#","params":7"#,
    ] {
        for method in ["notifications/cancelled", "notifications/progress"] {
            receive(&mut core, now, &format!(r#"{{"jsonrpc":"2.0","method":"{method}"{params}}}"#));
        }
    }
    assert!(outputs(&mut core).iter().all(|output| matches!(output, Output::Event(_))));
}
