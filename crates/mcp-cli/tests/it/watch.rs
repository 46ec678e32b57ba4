use std::io::{BufRead, BufReader};

use nix::sys::signal::Signal;

use crate::common::{command, finish, kill, legacy, mcp, mcp_args, scripted, scripted_args};

fn legacy_server(end: &str) -> String {
    legacy(
        r#"{"tools":{"listChanged":true},"resources":{"subscribe":true}}"#,
        &format!(
            r#"*'"resources/subscribe"'*) reply '{{}}'
 printf '{{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}}\n'
 printf '{{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{{"uri":"f:/a"}}}}\n'{end};;"#
        ),
    )
}

const MODERN: &str = r#"while read -r line; do case $line in
*'"server/discover"'*) reply '{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"resultType":"complete","ttlMs":0,"cacheScope":"private"}';;
*'"subscriptions/listen"'*) id
 printf '{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"notifications":{"toolsListChanged":true},"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}\n' "$id"
 printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}\n' "$id"
 reply '{"resultType":"complete"}';;
esac; done"#;

#[test]
fn a_modern_subscription_ends_with_the_server() {
    let run = scripted("watch --tools", MODERN).expect(0);
    assert_eq!(run.out, "tools changed\n");
    let json = scripted("watch --json --tools --prompts", MODERN).expect(0).json();
    assert_eq!(json["changes"], serde_json::json!([{"change": "toolsListChanged"}]));
    assert_eq!(
        (&json["acknowledged"]["toolsListChanged"], &json["end"]),
        (&true.into(), &"ended by the server".into())
    );
}

#[test]
fn an_interrupt_ends_it_and_the_document_is_whole() {
    let args = scripted_args("watch --json --tools --resource f:/a", &legacy_server(""));
    let mut child = command(args).spawn().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut text = String::new();
    while !text.contains("f:/a\"}\n") {
        assert_ne!(stdout.read_line(&mut text).unwrap(), 0, "{text}");
    }
    kill(child.id(), Signal::SIGINT);
    std::io::Read::read_to_string(&mut stdout, &mut text).unwrap();
    finish(child).expect(6);
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["changes"][1], serde_json::json!({"change": "resourceUpdated", "uri": "f:/a"}));
    assert_eq!(json["error"]["kind"], "deadline");
}

#[test]
fn a_server_that_dies_is_told() {
    let run = scripted("watch --json --tools --resource f:/a", &legacy_server("; exit 4")).expect(3);
    let json = run.json();
    assert_eq!(json["changes"].as_array().unwrap().len(), 2);
    assert_eq!(json["error"]["process"]["exitStatus"], 4);
}

#[test]
fn a_reader_that_goes_ends_it() {
    let more = r#"
 while :; do sleep 0.1; printf '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}\n'; done"#;
    let mut child =
        command(scripted_args("watch --tools --resource f:/a", &legacy_server(more))).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "tools changed\n");
    finish(child).expect(0);
}

#[test]
fn a_server_that_would_never_tell_anything_is_not_waited_for() {
    for protocol in ["2026-07-28", "2025-06-18"] {
        let run = mcp(&format!("watch --json --demo --tools --protocol {protocol}")).expect(4);
        assert_eq!(run.json()["error"]["kind"], "protocol");
    }
}

#[test]
fn the_demo_server_over_http() {
    let mut child = command(["demo-server", "--http", "127.0.0.1:0"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let url = line.trim().strip_prefix("listening on ").unwrap();
    for protocol in ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"] {
        let run = mcp_args(["call", "--url", url, "--protocol", protocol, "add", "a=2", "b=40"]).expect(0);
        assert_eq!(run.out, "{\"sum\":42}\n");
        let run =
            mcp_args(["call", "--url", url, "--protocol", protocol, "slow", "steps=2", "milliseconds=20"]);
        assert!(run.expect(0).err.contains("progress 2 of 2"));
    }
    kill(child.id(), Signal::SIGTERM);
    finish(child).expect(0);
    mcp("demo-server --http 192.0.2.1:1").expect(3);
}
