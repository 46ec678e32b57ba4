//! The contract for scripts: with `--json`, standard output is exactly one JSON document, whatever happens.

use crate::common::{command, finish, mcp, mcp_args, scripted};

#[test]
fn failures_are_one_document_too() {
    for (line, status, kind) in [
        ("tools --json", 2, "usage"),
        ("call --json --demo nothing", 2, "usage"),
        ("call --json --no-such-option", 2, "usage"),
        ("tools --json -- no-such-command-at-all", 3, "transport"),
        ("tools --json -- sh -c exit", 3, "transport"),
        ("info --json --url http://127.0.0.1:1/mcp", 3, "transport"),
        ("call --json --demo fail_protocol", 4, "protocol"),
        ("info --json --protocol 2025-11-25 --demo", 0, ""),
        ("ping --json --timeout 0.2 -- sleep 60", 6, "deadline"),
    ] {
        let run = mcp(line).expect(status);
        let json = run.json();
        if status == 0 {
            assert!(json["error"].is_null(), "{line}");
        } else {
            assert_eq!(json["error"]["exitStatus"], status, "{line}");
            assert_eq!(json["error"]["kind"], kind, "{line}");
            assert!(!run.err.is_empty(), "{line}");
        }
    }
}

#[test]
fn an_error_tells_what_is_known_as_values() {
    let json = mcp("call --demo --json fail_protocol code=-32050").expect(4).json();
    assert_eq!(json["error"]["rpc"]["code"], -32050);
    assert_eq!(json["error"]["method"], "tools/call");
    let json = scripted("tools --json", "echo going down >&2; exit 7").expect(3).json();
    assert_eq!(json["error"]["process"]["exitStatus"], 7);
    assert_eq!(json["error"]["process"]["stderr"], "going down\n");
}

#[test]
fn a_flag_behind_the_dashes_is_the_server_s() {
    let run = mcp("tools -- no-such-command-at-all --json").expect(3);
    assert_eq!(run.out, "");
}

#[test]
fn noise_goes_to_standard_error() {
    let script = "echo Welcome; echo on stderr >&2; exec \"$mcp\" demo-server";
    let run = scripted("call slow steps=1 --json", script).expect(0);
    run.json();
    assert!(run.err.contains("odd: the server wrote what is no message"), "{run:?}");
    assert!(run.err.contains("server: on stderr") && run.err.contains("progress 1 of 1"), "{run:?}");
}

#[test]
fn trace_shows_the_wire_on_standard_error() {
    let run = mcp("ping --demo --trace --json").expect(0);
    run.json();
    assert!(run.err.contains("-> {") && run.err.contains("<- {") && run.err.contains("server/discover"));
}

#[test]
fn help_is_short_and_has_examples() {
    for verb in ["", "call", "read", "prompt", "complete", "tools"] {
        let args: Vec<_> = verb.split_whitespace().chain(["--help"]).collect();
        let run = mcp_args(args).expect(0);
        assert!(run.out.contains("Usage: mcp"), "{run:?}");
        assert!(run.out.lines().count() < 75, "{verb}: {}", run.out.lines().count());
    }
    assert!(mcp("--help").out.contains("mcp call --demo add a=2 b=40"));
    assert!(mcp("--version").expect(0).out.starts_with("mcp 0."));
    mcp("").expect(2);
    mcp("no-such-verb").expect(2);
}

#[test]
fn completions_are_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let run = mcp(&format!("completions {shell}")).expect(0);
        assert!(run.out.contains("mcp") && run.out.contains("tools"), "{shell}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_no_success() {
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let run =
        finish(command(["call", "--demo", "--json", "add", "a=1", "b=2"]).stdout(full).spawn().unwrap())
            .expect(3);
    assert!(run.err.contains("standard output"), "{run:?}");
    let mut child = command(["tools", "--demo"]).spawn().unwrap();
    drop(child.stdout.take());
    finish(child).expect(0);
}
