//! Broken servers of every layer, and what `doctor` says of each.

use mcp_testkit::http::HttpServer;
use serde_json::Value;
use tokio::{io::AsyncWriteExt, net::TcpListener};

use crate::common::{MCP, Run, command, finish, legacy, mcp, scripted};

/// The fault: layer, check, what was seen.
#[track_caller]
fn fault(run: &Run) -> (String, String, String) {
    let json = run.json();
    let text = |name: &str| json["fault"][name].as_str().unwrap_or_else(|| panic!("{run:?}")).to_owned();
    assert!(!text("do").is_empty());
    assert_eq!((&json["healthy"], &json["exitStatus"]), (&false.into(), &run.status.into()));
    (text("layer"), text("check"), text("seen"))
}

#[track_caller]
fn expect(run: &Run, status: i32, layer: &str, check: &str, seen: &str) {
    assert_eq!(run.status, status, "{run:?}");
    let fault = fault(run);
    assert_eq!((fault.0.as_str(), fault.1.as_str()), (layer, check), "{run:?}");
    assert!(fault.2.contains(seen), "{seen:?} in {}", fault.2);
}

/// The checks of this name that are not good, of a server that works all the same.
#[track_caller]
fn odd(run: &Run, check: &str) -> String {
    assert_eq!(run.status, 0, "{run:?}");
    let json = run.json();
    assert_eq!((&json["healthy"], &json["fault"]), (&true.into(), &Value::Null));
    let checks = json["checks"].as_array().unwrap();
    let odd = checks.iter().find(|found| found["check"] == check && found["verdict"] == "odd");
    odd.unwrap_or_else(|| panic!("{run:?}"))["seen"].as_str().unwrap().to_owned()
}

/// Generous: these servers say what is wrong with them, and no time is waited out.
fn doctor(script: &str) -> Run {
    scripted("doctor --json --timeout 60", script)
}

/// For servers from which no answer ever comes.
fn doctor_in_vain(script: &str) -> Run {
    scripted("doctor --json --timeout 6", script)
}

#[test]
fn a_server_that_works() {
    for protocol in ["2026-07-28", "2025-11-25", "2024-11-05"] {
        let run = mcp(&format!("doctor --json -- {MCP} demo-server --protocol {protocol}")).expect(0);
        let json = run.json();
        assert_eq!(json["healthy"], true);
        let checks = json["checks"].as_array().unwrap();
        assert!(checks.len() >= 10 && checks.iter().all(|check| check["verdict"] == "good"), "{run:?}");
    }
    let run = mcp("doctor --demo").expect(0);
    assert!(run.out.contains("the server works"), "{run:?}");
}

#[test]
fn command_not_found() {
    let run = mcp("doctor --json -- no-such-command-at-all");
    expect(&run, 3, "transport", "start", "it was not found; searched:");
}

#[test]
fn not_executable() {
    let run = mcp("doctor --json -- /etc/hostname");
    expect(&run, 3, "transport", "start", "/etc/hostname");
}

#[test]
fn exits_at_once() {
    let run = doctor("echo 'no API key' >&2; exit 7");
    expect(
        &run,
        3,
        "transport",
        "stays up",
        "exit status 7, before it answered anything; standard error:\nno API key",
    );
    let run = doctor("kill -9 $$");
    expect(&run, 3, "transport", "stays up", "ended by signal 9");
}

#[test]
fn exits_after_the_handshake_began() {
    let run = doctor("read -r line; refuse -32601 no; read -r line; exit 1");
    expect(&run, 3, "transport", "stays up", "exit status 1, after one message");
}

#[test]
fn a_banner_on_standard_output() {
    let run = doctor("echo Welcome; exec \"$mcp\" demo-server");
    assert!(odd(&run, "standard output").contains("once; the first, 7 bytes: \"Welcome\""));
}

#[test]
fn a_banner_and_nothing_else() {
    let run = doctor_in_vain("echo Listening on port 3000; cat >/dev/null");
    expect(&run, 3, "transport", "standard output", "Listening on port 3000");
}

#[test]
fn silent() {
    let run = doctor_in_vain("echo waiting >&2; cat >/dev/null");
    let seen = "nothing on standard output, though the process runs and was asked `server/discover` and `initialize`";
    expect(&run, 3, "transport", "standard output", seen);
    assert!(fault(&run).2.contains("waiting"));
}

#[test]
fn poisoned_by_the_probe() {
    // Silent on the probe; then the next line ends it.
    let server = r#"read -r line; case $line in *'"server/discover"'*) read -r line; echo 'not initialized' >&2; exit 1;; esac
reply '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}'
"#
    .to_owned()
        + &legacy("{}", r#"*'"ping"'*) reply '{}';; *'"tools/list"'*) reply '{"tools":[]}';;"#);
    let run = scripted("doctor --json --timeout 30", &server);
    assert!(
        odd(&run, "negotiation").contains("was silent on `server/discover`, and only a fresh one answered")
    );
    let seen = odd(&run, "unknown requests");
    assert!(seen.contains("does not get to answer `initialize`") && seen.contains("status 1"), "{seen}");
}

#[test]
fn killed_by_the_probe() {
    let server = r#"read -r line; case $line in *'"server/discover"'*) exit 1;; esac
reply '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}'
"#
    .to_owned()
        + &legacy("{}", r#"*'"ping"'*) reply '{}';; *'"tools/list"'*) reply '{"tools":[]}';;"#);
    assert!(
        odd(&doctor(&server), "negotiation")
            .contains("the first process exited (status 1) on `server/discover`")
    );
}

#[test]
fn wrong_json() {
    let run = doctor_in_vain(r#"while read -r line; do echo '{"jsonrpc":"2.0","id":1,"result":{'; done"#);
    expect(&run, 4, "protocol", "messages", "broken JSON; the frame, 34 bytes");
    let run = doctor_in_vain(r#"while read -r line; do echo '{"id":1,"result":{}}'; done"#);
    expect(&run, 4, "protocol", "messages", "not a JSON-RPC message");
}

#[test]
fn wrong_version() {
    let run = doctor(&legacy("{}", "").replace("2025-06-18", "1999-01-01"));
    expect(&run, 4, "protocol", "negotiation", "the server offers 1999-01-01");
}

#[test]
fn a_handshake_that_is_refused_or_unreadable() {
    let run = doctor("while read -r line; do refuse -32000 'go away'; done");
    expect(&run, 4, "protocol", "negotiation", "go away");
    let run = doctor(
        r#"read -r line; refuse -32601 no; read -r line; reply '{"protocolVersion":5}'; cat >/dev/null"#,
    );
    expect(&run, 4, "protocol", "negotiation", r#"the result: {"protocolVersion":5}"#);
}

#[test]
fn replies_to_nothing() {
    let server =
        legacy("{}", r#"*'"ping"'*) printf '{"jsonrpc":"2.0","id":"never","result":{}}\n'; reply '{}';;"#);
    expect(&doctor(&server), 4, "protocol", "replies", "never");
}

#[test]
fn a_flood_on_standard_error() {
    let script = "head -c 3000000 /dev/zero | tr '\\0' x | fold -w 100 >&2; exec \"$mcp\" demo-server";
    let run = scripted("doctor --json", script);
    assert!(odd(&run, "standard error").contains("bytes in"));
}

#[test]
fn it_does_not_go_when_its_input_ends() {
    let run = scripted("doctor --json", &(legacy("{}", r#"*'"ping"'*) reply '{}';;"#) + "; sleep 60"));
    assert!(odd(&run, "shutdown").contains("it took SIGTERM"));
}

#[test]
fn a_tool_with_an_invalid_schema() {
    let server = |tools: &str| {
        legacy(
            r#"{"tools":{}}"#,
            &format!("*'\"ping\"'*) reply '{{}}';;\n*'\"tools/list\"'*) reply '{{\"tools\":{tools}}}';;"),
        )
    };
    let run = doctor(&server(
        r#"[{"name":"ok","description":"d","inputSchema":{"type":"object"}},{"name":"t","description":"d","inputSchema":{"type":"object","properties":{"x":{"type":"text"}}}}]"#,
    ));
    expect(&run, 4, "server", "schemas", "`t`: inputSchema: at `/properties/x`: `type` is \"text\"");
    let run = doctor(&server(r#"[{"name":"t","description":"d"}]"#));
    expect(&run, 4, "server", "tools", "item 0: missing field `inputSchema`");
    let run = doctor(&server(
        r#"[{"name":"t","description":"d","inputSchema":{"type":"object"}},{"name":"t","description":"d","inputSchema":{"type":"object"}}]"#,
    ));
    expect(&run, 4, "server", "tools", "`t` is listed more than once");
}

#[test]
fn a_list_that_is_declared_and_not_there() {
    expect(
        &doctor(&legacy(r#"{"prompts":{}}"#, r#"*'"ping"'*) reply '{}';;"#)),
        4,
        "server",
        "prompts",
        "Method not found",
    );
}

#[test]
fn the_deadline_tells_what_was_found_until_then() {
    let server = legacy(r#"{"tools":{}}"#, r#"*'"ping"'*) reply '{}';; *'"tools/list"'*) ;;"#);
    let run = scripted("doctor --json --timeout 6", &server);
    assert_eq!(fault(&run).0, "server", "{run:?}");
    assert!(run.status == 6 || run.status == 4, "{run:?}");
}

#[test]
fn people_are_told_the_layer_first_of_all() {
    let run = scripted("doctor --timeout 60", "echo 'b\u{1b}[2J' >&2; exit 1").expect(3);
    assert!(run.out.contains("the fault is in the layer: transport (stays up)"), "{run:?}");
    assert!(run.out.contains("do: run the command by itself") && !run.out.contains('\u{1b}'), "{run:?}");
}

async fn at(url: String) -> Run {
    let run =
        move || finish(command(["doctor", "--json", "--timeout", "60", "--url", &url]).spawn().unwrap());
    tokio::task::spawn_blocking(run).await.unwrap()
}

/// A server that answers everything alike.
async fn answering(status: u16, fields: &'static [(&'static str, &'static str)], body: &'static str) -> Run {
    let mut server = HttpServer::start().await;
    let url = server.url();
    let answering = tokio::spawn(async move {
        while let Some(exchange) = server.recv().await {
            exchange.respond(status, fields, body).await;
        }
    });
    let run = at(url).await;
    answering.abort();
    run
}

#[tokio::test]
async fn http_404() {
    let run = answering(404, &[("content-type", "text/plain")], "nothing here").await;
    expect(&run, 3, "transport", "answer", "status 404, content type text/plain, body: \"nothing here\"");
}

#[tokio::test]
async fn an_html_page() {
    let run = answering(200, &[("content-type", "text/html; charset=utf-8")], "<h1>Hello</h1>").await;
    expect(&run, 3, "transport", "answer", "content type text/html");
    assert!(run.json()["fault"]["do"].as_str().unwrap().contains("this is a web page"));
}

#[tokio::test]
async fn http_401_and_403() {
    let run = answering(401, &[("www-authenticate", "Bearer realm=\"x\"")], "").await;
    expect(&run, 5, "transport", "authorization", "status 401; WWW-Authenticate: Bearer realm=\"x\"");
    let run = answering(403, &[("www-authenticate", "Bearer error=\"insufficient_scope\"")], "").await;
    expect(&run, 5, "transport", "authorization", "insufficient_scope");
}

#[tokio::test]
async fn a_server_that_fails_inside() {
    let run = answering(500, &[], "boom").await;
    expect(&run, 3, "transport", "answer", "status 500");
}

#[tokio::test]
async fn a_server_that_takes_requests_and_answers_none() {
    let mut server = HttpServer::start().await;
    let url = server.url();
    let keeping = tokio::spawn(async move {
        let mut kept = Vec::new();
        while let Some(exchange) = server.recv().await {
            kept.push(exchange);
        }
    });
    let run = move || finish(command(["doctor", "--json", "--timeout", "4", "--url", &url]).spawn().unwrap());
    let run = tokio::task::spawn_blocking(run).await.unwrap();
    keeping.abort();
    expect(&run, 3, "transport", "answer", "no answer, though the server was asked `server/discover`");
}

#[tokio::test]
async fn a_tool_whose_header_annotation_is_invalid() {
    let mut server = HttpServer::start().await;
    let url = server.url();
    let answering = tokio::spawn(async move {
        let schema = r#"{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"not a name"}}}"#;
        let rest = r#""resultType":"complete","ttlMs":0,"cacheScope":"private""#;
        while let Some(exchange) = server.recv().await {
            match exchange.request.rpc_method().as_deref() {
                Some("server/discover") => {
                    let found = r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"#;
                    exchange.result(&format!("{found}{rest}}}")).await;
                }
                Some("tools/list") => {
                    let tool = format!(r#"{{"name":"t","description":"d","inputSchema":{schema}}}"#);
                    exchange.result(&format!(r#"{{"tools":[{tool}],{rest}}}"#)).await;
                }
                _ => {
                    let error = r#"{"jsonrpc":"2.0","id":ID,"error":{"code":-32601,"message":"no"}}"#;
                    let error = error.replace("ID", &exchange.request.rpc_id().unwrap_or_default());
                    exchange.json(error).await;
                }
            }
        }
    });
    let run = at(url).await;
    answering.abort();
    expect(&run, 4, "server", "tools", "item 0: `x-mcp-header` of `a` contains ' '");
}

#[tokio::test]
async fn a_tls_failure() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://127.0.0.1:{}/mcp", listener.local_addr().unwrap().port());
    let answering = tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
        }
    });
    let run = at(url).await;
    answering.abort();
    expect(&run, 3, "transport", "TLS", "the port accepts connections, but TLS fails");
}

#[tokio::test]
async fn nothing_listens_and_no_such_host() {
    expect(&at("http://127.0.0.1:1/mcp".into()).await, 3, "transport", "connect", "refused");
    expect(&at("https://127.0.0.1:1/mcp".into()).await, 3, "transport", "connect", "refused");
    expect(
        &at("http://no-such-host.invalid/mcp".into()).await,
        3,
        "transport",
        "name",
        "no-such-host.invalid",
    );
}
