use std::fs;

use crate::common::{folder, legacy, mcp, mcp_args, mcp_with_input, scripted};

#[test]
fn the_command_of_the_readme() {
    let run = mcp("call --demo add a=2 b=40").expect(0);
    assert_eq!(run.out.trim(), r#"{"sum":42}"#);
    let json = mcp("call --demo add a=2 b=40 --json").expect(0).json();
    assert_eq!(json["structuredContent"]["sum"], 42);
}

#[test]
fn arguments_come_in_three_ways() {
    let run = mcp_args(["call", "--demo", "echo", "--args", r#"{"message":"a b"}"#]).expect(0);
    assert_eq!(run.out, "a b\n");
    let run = mcp_with_input(&["call", "--demo", "echo", "--args", "-"], r#"{"message":"from a pipe"}"#);
    assert_eq!(run.expect(0).out, "from a pipe\n");
    let file = folder("arguments").join("a.json");
    fs::write(&file, r#"{"message":"x"}"#).unwrap();
    let run =
        mcp_args(["call", "--demo", "echo", "--args", &format!("@{}", file.display()), "message=over it"]);
    assert_eq!(run.expect(0).out, "over it\n");
    let run = mcp("call --demo echo message=2").expect(0);
    assert_eq!(run.out, "2\n");
}

#[test]
fn a_value_that_the_tool_does_not_take_is_not_sent() {
    let run = mcp("call --demo add a=two b=40").expect(2);
    assert!(run.err.contains("\"two\" is not of the type that the tool wants: number"), "{run:?}");
}

#[test]
fn a_mistyped_name_is_answered_with_the_nearest() {
    let run = mcp("call --demo ehco message=x").expect(2);
    assert!(run.err.contains("Did you mean `echo`?"), "{run:?}");
    let run = mcp("prompt --demo reveiw code=x").expect(4);
    assert!(run.err.contains("Did you mean `review`?"), "{run:?}");
}

#[test]
fn a_tool_s_own_failure_is_status_one() {
    let run = mcp("call --demo fail message=no").expect(1);
    assert!(run.out.contains("no"), "{run:?}");
    let json = mcp("call --demo fail --json").expect(1).json();
    assert_eq!(json["isError"], true);
}

#[test]
fn progress_is_a_line_with_its_value() {
    let run = mcp("call --demo slow steps=3 milliseconds=30").expect(0);
    let lines: Vec<_> = run.err.lines().filter(|line| line.starts_with("progress")).collect();
    assert_eq!(
        lines,
        ["progress 1 of 3: step 1 of 3", "progress 2 of 3: step 2 of 3", "progress 3 of 3: step 3 of 3"]
    );
}

#[test]
fn bytes_are_saved_and_nothing_is_overwritten() {
    let folder = folder("save");
    for _ in 0..2 {
        mcp_args(["call", "--demo", "contents", "--json", "--save", folder.to_str().unwrap()])
            .expect(0)
            .json();
    }
    let mut names: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "contents-1.png",
            "contents-1.wav",
            "contents-2.png",
            "contents-2.wav",
            "contents-3.png",
            "contents-4.png"
        ]
    );
    assert!(fs::read(folder.join("contents-1.png")).unwrap().starts_with(b"\x89PNG"));
}

#[test]
fn a_resource_of_bytes_goes_through_a_pipe_as_it_is() {
    assert!(mcp("read --demo demo:///pixel.png").expect(0).bytes.starts_with(b"\x89PNG"));
    assert!(mcp("read --demo demo:///readme.md").expect(0).out.starts_with("# Demo"));
    assert!(mcp("read --demo demo:///squares/12").expect(0).out.contains("144"));
    mcp("read --demo demo:///none").expect(4);
}

#[test]
fn a_question_is_answered_from_the_command_line_or_declined() {
    for protocol in ["2026-07-28", "2025-11-25"] {
        let run =
            mcp_args(["call", "--demo", "greet", "--protocol", protocol, "--answer", r#"{"name":"Ada"}"#]);
        assert_eq!(run.expect(0).out, "Hello, Ada!\n");
        let run = mcp(&format!("call --demo greet --protocol {protocol}")).expect(0);
        assert!(run.out.contains("whoever you are") && run.err.contains("declined"), "{run:?}");
        mcp(&format!("call --demo greet --protocol {protocol} --answer cancel")).expect(1);
    }
    let run = mcp("call --demo greet --answer [1]").expect(2);
    assert!(run.err.contains("--answer takes a JSON object"), "{run:?}");
}

#[test]
fn an_answer_that_does_not_fit_the_form_is_not_sent() {
    let run = mcp_args(["call", "--demo", "greet", "--protocol", "2026-07-28", "--answer", r#"{"name":5}"#]);
    assert_eq!(run.expect(4).out, "");
}

#[test]
fn a_tool_that_is_not_listed_can_be_called_all_the_same() {
    let server = legacy(
        r#"{"tools":{}}"#,
        r#"*'"tools/list"'*) reply '{"tools":[]}';;
*'"tools/call"'*) reply '{"content":[{"type":"text","text":"hidden"}]}';;"#,
    );
    scripted("call secret", &server).expect(2);
    let run = scripted("call secret --unlisted x=1", &server).expect(0);
    assert_eq!(run.out, "hidden\n");
}

#[test]
fn prompts_and_completions() {
    let run = mcp_args(["prompt", "--demo", "review", "language=rust", "code=fn main() {}"]).expect(0);
    assert!(run.out.starts_with("user:\n") && run.out.contains("fn main() {}"), "{run:?}");
    assert_eq!(mcp("complete --demo --prompt review language ru").expect(0).out, "ruby\nrust\n");
    let run = mcp("complete --demo --template demo:///squares/{number} number 1 --json").expect(0);
    assert_eq!(run.json()["completion"]["values"], serde_json::json!(["1", "10"]));
    mcp("complete --demo language ru").expect(2);
}

#[test]
fn control_characters_of_a_server_reach_no_error_message() {
    let server = legacy(
        "{}",
        r#"*'"ping"'*) id; printf '{"jsonrpc":"2.0","id":%s,"error":{"code":1,"message":"a\\u001b[2Jb"}}\n' "$id";;"#,
    );
    let run = scripted("ping", &server).expect(4);
    assert!(run.err.contains("a\\u{1b}[2Jb") && !run.err.contains('\u{1b}'), "{run:?}");
}
