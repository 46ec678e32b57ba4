use super::*;

fn read(text: &str, name: &str) -> Result<ServerConfig, String> {
    let variable = |name: &str| match name {
        "TOKEN" => Some("t0ken".to_owned()),
        "HOME" => Some("/home/me".to_owned()),
        _ => None,
    };
    let config = Config::parse(Path::new("/w/.vscode/mcp.json"), text).map_err(|error| error.to_string())?;
    config.server(name, variable).expect("it is there").map_err(|error| error.to_string())
}

fn command(command: &str, args: &[&str]) -> ServerConfig {
    ServerConfig::Stdio {
        command: command.into(),
        args: args.iter().map(|arg| (*arg).into()).collect(),
        env: Vec::new(),
        cwd: None,
    }
}

#[test]
fn the_files_of_three_hosts_are_read() {
    let desktop =
        r#"{"mcpServers":{"fs":{"command":"npx","args":["-y","x"],"env":{"K":"${TOKEN}","N":5,"Z":null}}}}"#;
    let ServerConfig::Stdio { command: program, args, env, cwd } = read(desktop, "fs").unwrap() else {
        panic!()
    };
    assert_eq!((program.as_str(), args.len(), cwd), ("npx", 2, None));
    assert_eq!(env, [("K".to_owned(), "t0ken".to_owned()), ("N".to_owned(), "5".to_owned())]);

    let cursor =
        r#"{"mcpServers":{"r":{"url":"https://h/${env:TOKEN}","headers":{"A":"Bearer ${TOKEN:-x}"}}}}"#;
    assert_eq!(
        read(cursor, "r").unwrap(),
        ServerConfig::Http {
            url: "https://h/t0ken".into(),
            headers: vec![("A".into(), "Bearer t0ken".into())]
        }
    );

    let code = "{\n // comment\n \"servers\": {\"s\": {\"type\": \"stdio\", \"command\": \"${userHome}/s\", \"args\": [\"${workspaceFolder}\",],},},\n \"inputs\": []}";
    assert_eq!(read(code, "s").unwrap(), command("/home/me/s", &["/w"]));
    let settings = r#"{"editor.x":1,"mcp":{"servers":{"s":{"command":"c"}}}}"#;
    assert_eq!(read(settings, "s").unwrap(), command("c", &[]));
}

#[test]
fn errors_name_file_and_line() {
    let file = "/w/.vscode/mcp.json";
    for (text, expected) in [
        ("{\n \"mcpServers\": {\n  x\n }}", format!("{file}:3: key must be a string")),
        ("{\"a\":1}", format!("{file}: neither `mcpServers` nor `servers`")),
        (
            "{\n\"mcpServers\": []}",
            format!("{file}:2: invalid type: sequence, expected an object of servers"),
        ),
        ("{\"mcpServers\":{\n\"s\":5}}", format!("{file}:2: server `s`: is not an object")),
        ("{\"mcpServers\":{\n\n\"s\":{}}}", format!("{file}:3: server `s`: has neither `command` nor `url`")),
        (
            "{\"mcpServers\":{\n\"s\":{\"command\":\"c\",\n\"args\":[\"a\",\n7]}}}",
            format!("{file}:4: server `s`: an element of `args` is not a text"),
        ),
        (
            "{\"mcpServers\":{\"s\":{\"command\":\"c\",\n/* x\n*/ \"env\":{\n\"A\":\"${NOT_SET}\"}}}}",
            format!("{file}:4: server `s`: the variable `NOT_SET` is not set"),
        ),
        (
            "{\"mcpServers\":{\"s\":{\"command\":\"c\",\n\"env\":{\"A\":[]}}}}",
            format!("{file}:2: server `s`: `A` in `env` is not a text"),
        ),
        (
            "{\"mcpServers\":{\"s\":{\"command\":\"c\",\n\"envFile\":\".env\"}}}",
            format!("{file}:2: server `s`: `envFile` is not read here"),
        ),
    ] {
        let error = read(text, "s").unwrap_err();
        assert!(error.starts_with(&expected), "{error}\n{expected}");
    }
}

#[test]
fn a_bad_entry_does_not_spoil_the_others() {
    let text = r#"{"mcpServers":{"bad":5,"good":{"command":"c"}}}"#;
    assert_eq!(read(text, "good").unwrap(), command("c", &[]));
    let config = Config::parse(Path::new("f"), text).unwrap();
    assert_eq!(config.names().collect::<Vec<_>>(), ["bad", "good"]);
    assert!(config.server("none", |_| None).is_none());
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Config::read(Path::new("/no/such/file.json")).unwrap_err().to_string();
    assert!(error.starts_with("/no/such/file.json: "), "{error}");
}
