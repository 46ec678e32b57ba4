use std::fs;

use crate::common::{MCP, folder, mcp, mcp_args, scripted, scripted_args};

#[test]
fn a_host_is_served_and_what_passes_is_recorded() {
    let file = folder("proxy").join("s.jsonl");
    let file = file.to_str().unwrap();
    for protocol in ["2026-07-28", "2025-11-25"] {
        let host = ["call", "--protocol", protocol, "greet", "--answer", r#"{"name":"Ada"}"#];
        let behind = ["--", MCP, "record", file, "proxy", "--", MCP, "demo-server"];
        let run = mcp_args([&host[..], &behind[..]].concat()).expect(0);
        assert_eq!(run.out, "Hello, Ada!\n");
        let host = ["call", "slow", "steps=2", "milliseconds=20"];
        let run = mcp_args([&host[..], &behind[..]].concat()).expect(0);
        assert!(run.out == "2 steps done\n" && run.err.contains("progress 2 of 2"), "{run:?}");
        let recorded = fs::read_to_string(file).unwrap();
        assert!(recorded.contains(r#""name":"slow""#) && recorded.contains("2 steps done"), "{recorded}");
        let run = mcp_args(["call", "slow", "steps=2", "milliseconds=20", "--", MCP, "replay", file]);
        assert_eq!(run.expect(0).out, "2 steps done\n");
    }
}

#[test]
fn the_end_of_the_host_is_the_end_of_the_server() {
    let folder = folder("proxy-end");
    let log = folder.join("log");
    let script = format!("echo up >&2; cat > /dev/null; echo end > '{}'", log.display());
    // Standard input is empty: the host is gone at once.
    mcp_args(scripted_args("proxy", &script)).expect(0);
    assert_eq!(fs::read_to_string(log).unwrap(), "end\n");
}

#[test]
fn a_server_that_dies_is_told_on_both_sides() {
    let script = format!("exec '{MCP}' proxy -- sh -c 'read -r line; echo broken >&2; exit 7'");
    let run = scripted("tools", &script).expect(3);
    assert!(run.err.contains("exited with status 7"), "{run:?}");
    let run = mcp("tools -- no-such-command-at-all").expect(3);
    assert_eq!(run.out, "");
}

#[test]
fn standard_output_belongs_to_the_protocol() {
    assert_eq!(mcp("proxy --json --demo").expect(2).json()["error"]["kind"], "usage");
    assert!(mcp("proxy --url http://127.0.0.1:1/mcp").expect(2).err.contains("not before a URL"));
    mcp("proxy -- no-such-command-at-all").expect(3);
}
