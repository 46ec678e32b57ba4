use std::{fs, path::Path};

use serde_json::Value;

use crate::common::{MCP, command, finish, folder, mcp, mcp_args, scripted_args};

fn record(file: &Path, words: &[&str]) -> crate::common::Run {
    mcp_args([&["record", file.to_str().unwrap()], words].concat())
}

fn lines(file: &Path) -> Vec<Value> {
    fs::read_to_string(file).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_session_is_recorded_and_served_again() {
    let file = folder("record").join("s.jsonl");
    for protocol in ["2026-07-28", "2025-11-25", "2024-11-05"] {
        let run =
            record(&file, &["call", "--demo", "--protocol", protocol, "slow", "steps=2", "milliseconds=20"]);
        assert_eq!(run.expect(0).out, "2 steps done\n");
        let lines = lines(&file);
        assert_eq!((&lines[0]["mcpRecording"], &lines[0]["target"]), (&1.into(), &"demo server".into()));
        let times: Vec<_> = lines[1..].iter().map(|line| line["ms"].as_f64().unwrap()).collect();
        assert!(times.is_sorted(), "{times:?}");
        let called = lines.iter().find(|line| line["frame"]["method"] == "tools/call").unwrap();
        assert_eq!((&called["from"], &called["frame"]["params"]["name"]), (&"client".into(), &"slow".into()));

        let served = |words: &str| {
            let words = words.split_whitespace().chain(["--", MCP, "replay", file.to_str().unwrap()]);
            mcp_args(words)
        };
        let run = served("call slow steps=2 milliseconds=20").expect(0);
        assert_eq!(run.out, "2 steps done\n");
        assert!(run.err.contains("progress 1 of 2") && run.err.contains("progress 2 of 2"), "{run:?}");
        assert_eq!(served("info --json").expect(0).json()["revision"], protocol);
        let run = served("call slow steps=3").expect(4);
        assert!(run.err.contains("Not in the recording: tools/call with these params"), "{run:?}");
        assert!(served("read f:/x").expect(4).err.contains("resources/read"));
    }
}

#[test]
fn a_question_is_asked_again() {
    let file = folder("record-question").join("s.jsonl");
    for protocol in ["2026-07-28", "2025-11-25"] {
        let answer = r#"{"name":"Ada"}"#;
        record(&file, &["call", "--demo", "--protocol", protocol, "greet", "--answer", answer]).expect(0);
        let run =
            mcp_args(["call", "greet", "--answer", answer, "--", MCP, "replay", file.to_str().unwrap()]);
        let run = run.expect(0);
        assert!(run.out.contains("Hello, Ada!") && run.err.contains("What is your name?"), "{run:?}");
    }
}

#[test]
fn a_broken_session_can_be_looked_at_too() {
    let file = folder("record-broken").join("s.jsonl");
    let file = file.to_str().unwrap();
    let args = scripted_args(
        &format!("record {file} doctor --json"),
        "echo Welcome; read -r line; echo no >&2; exit 3",
    );
    let run = mcp_args(args).expect(3);
    assert_eq!(run.json()["healthy"], false);
    let lines = lines(Path::new(file));
    assert!(lines.iter().any(|line| line["event"] == "junk" && line["text"] == "Welcome"));
    assert!(
        lines.iter().any(|line| line["event"] == "ended"
            && line["error"].as_str().is_some_and(|why| why.contains("status 3")))
    );
    assert!(mcp(&format!("view {file}")).expect(0).out.contains("ended: "));

    mcp(&format!("record {file} tools -- no-such-command-at-all")).expect(3);
    let failed = &self::lines(Path::new(file))[1];
    assert_eq!(failed["event"], "failed");
    assert!(failed["error"].as_str().unwrap().contains("it was not found"));
}

#[test]
fn secrets_are_not_recorded() {
    let file = folder("record-secrets").join("s.jsonl");
    let file = file.to_str().unwrap();
    // The server says everything back that it was given.
    let words = ["record", file, "call", "echo", "--args"];
    let args = r#"{"message":"key k3y-from-the-environment, ghp_0123456789abcdefghij","password":"hunter2"}"#;
    let rest = ["--env", "KEY", "--unlisted", "--", MCP, "demo-server"];
    let run = command([&words[..], &[args], &rest[..]].concat())
        .env("KEY", "k3y-from-the-environment")
        .spawn()
        .unwrap();
    finish(run);
    let text = fs::read_to_string(file).unwrap();
    for secret in ["k3y-from-the-environment", "ghp_0123456789abcdefghij", "hunter2"] {
        assert!(!text.contains(secret), "{secret}");
    }
    assert!(text.matches("[redacted]").count() >= 3, "{text}");
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&fs::metadata(file).unwrap().permissions()) & 0o077,
        0
    );
}

#[test]
fn what_is_no_recording_is_refused_and_not_written_over() {
    let folder = folder("record-refuse");
    let file = folder.join("notes.txt");
    fs::write(&file, "mine").unwrap();
    assert!(record(&file, &["ping", "--demo"]).expect(2).err.contains("is no recording"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    for verb in ["view", "replay"] {
        let run = mcp_args([verb, file.to_str().unwrap()]).expect(2);
        assert!(run.err.contains("notes.txt:1: not a recording"), "{run:?}");
        mcp(&format!("{verb} /no/such/file")).expect(2);
    }
    record(&folder.join("x"), &["completions", "bash"]).expect(2);
    record(&folder.join("x"), &["no-such-verb"]).expect(2);
    assert_eq!(
        record(&folder.join("x"), &["ping", "--json", "--no-such-option"]).expect(2).json()["error"]["kind"],
        "usage"
    );
}
