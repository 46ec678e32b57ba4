use std::fs;

use crate::common::{MCP, command, finish, folder, mcp, mcp_args, scripted};

#[test]
fn one_server_must_be_named() {
    for line in [
        "tools",
        "tools --demo -- x",
        "tools --demo --url http://h",
        "tools --demo --header A:b",
        "tools --demo --server x",
        "tools --url x://y",
        "tools --url http://127.0.0.1:1 --bearer-env NOT_SET_HERE",
        "tools --url http://127.0.0.1:1 --header nocolon",
        "tools --demo --env A=1",
    ] {
        let run = mcp(line).expect(2);
        assert!(run.out.is_empty() && !run.err.is_empty(), "{run:?}");
    }
}

#[test]
fn a_command_is_started() {
    for protocol in ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] {
        let args = ["info", "--json", "--", MCP, "demo-server", "--protocol", protocol];
        assert_eq!(mcp_args(args).expect(0).json()["revision"], protocol);
    }
    let run =
        mcp_args(["info", "--protocol", "2025-06-18", "--", MCP, "demo-server", "--protocol", "2026-07-28"]);
    run.expect(4);
    mcp("info --demo --protocol 1999-01-01").expect(2);
}

#[test]
fn a_command_gets_the_variables_that_it_is_given() {
    let script = r#"echo "a=$GIVEN b=$PASSED c=$KEPT" >&2; exit 1"#;
    let args = ["info", "--env", "GIVEN=1", "--env", "PASSED", "--", "sh", "-c", script];
    let run = finish(command(args).env("PASSED", "2").env("KEPT", "3").spawn().unwrap()).expect(3);
    assert!(run.err.contains("a=1 b=2 c=\n"), "{run:?}");
}

#[test]
fn a_server_from_a_file() {
    let folder = folder("config");
    let file = folder.join("mcp.json");
    let text = "{\n  // of an editor\n  \"mcpServers\": {\n    \"demo\": {\"command\": \"${MCP_BINARY}\", \"args\": [\"demo-server\", \"${NONE:---protocol}\", \"2025-06-18\"],},\n    \"broken\": {\"command\": \"x\",\n      \"env\": {\"A\": \"${NOT_SET_HERE}\"}}\n  }\n}".to_string();
    fs::write(&file, text).unwrap();
    let file = file.to_str().unwrap();
    let run = |args: &[&str]| {
        let args = [&["info", "--json", "--config", file], args].concat();
        finish(command(args).env("MCP_BINARY", MCP).spawn().unwrap())
    };
    assert_eq!(run(&["--server", "demo"]).expect(0).json()["revision"], "2025-06-18");
    let failed = run(&["--server", "broken"]).expect(2);
    assert!(
        failed.err.contains(&format!("{file}:6: server `broken`: the variable `NOT_SET_HERE` is not set")),
        "{failed:?}"
    );
    assert!(run(&["--server", "dmeo"]).expect(2).err.contains("Did you mean `demo`?"));
    assert!(run(&[]).expect(2).err.contains("the file has: demo, broken"));
    fs::write(file, "{\n\"mcpServers\": {x}}").unwrap();
    assert!(run(&[]).expect(2).err.contains(&format!("{file}:2: ")));
}

#[test]
fn servers_that_cannot_be_spoken_to() {
    let run = mcp("tools -- no-such-command-at-all").expect(3);
    assert!(run.err.contains("cannot run `no-such-command-at-all`: it was not found"), "{run:?}");
    let run = scripted("tools", "echo it broke >&2; exit 3").expect(3);
    assert!(run.err.contains("exited with status 3; standard error: it broke"), "{run:?}");
    let run = scripted("tools --timeout 1", "cat > /dev/null").expect(6);
    assert!(run.err.contains("--timeout") || run.err.contains("within"), "{run:?}");
    let run = scripted("tools", "read -r line; reply 5; read -r line; reply '[]'").expect(4);
    assert!(!run.err.is_empty());
}
