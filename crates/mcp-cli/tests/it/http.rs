use mcp_testkit::http::HttpServer;
use nix::sys::signal::Signal;

use crate::common::{Run, command, finish, folder, kill, mcp};

/// Runs `mcp` in a thread: the server needs this one.
async fn against(line: String, variables: &'static [(&'static str, &'static str)]) -> Run {
    let run = move || {
        let args: Vec<_> = line.split_whitespace().collect();
        finish(command(args).envs(variables.iter().copied()).spawn().unwrap())
    };
    tokio::task::spawn_blocking(run).await.unwrap()
}

#[tokio::test]
async fn fields_and_tokens_are_sent_and_never_shown() {
    let mut server = HttpServer::start().await;
    let line = format!("info --trace --json --url {} --header X-Key:k3y --bearer-env TOKEN", server.url());
    let run = tokio::spawn(against(line, &[("TOKEN", "s3cret")]));
    let probe = server.expect("server/discover").await;
    assert_eq!(probe.request.header("authorization"), Some("Bearer s3cret"));
    assert_eq!(probe.request.header("x-key"), Some("k3y"));
    probe.result(r#"{"supportedVersions":["2026-07-28"],"capabilities":{},"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#).await;
    let run = run.await.unwrap().expect(0);
    assert_eq!(run.json()["revision"], "2026-07-28");
    assert!(!run.err.contains("s3cret") && !run.err.contains("k3y"), "{run:?}");
}

#[tokio::test]
async fn a_challenge_is_status_five_and_says_what_the_server_said() {
    let mut server = HttpServer::start().await;
    let run = tokio::spawn(against(format!("tools --json --url {}", server.url()), &[]));
    let challenge = r#"Bearer resource_metadata="https://h/.well-known/oauth-protected-resource""#;
    server.next().await.respond(401, &[("www-authenticate", challenge)], "").await;
    let run = run.await.unwrap().expect(5);
    let error = &run.json()["error"];
    assert_eq!(error["http"]["status"], 401);
    assert_eq!(error["http"]["wwwAuthenticate"][0], challenge);
    assert!(run.err.contains(challenge) && run.err.contains("--bearer-env"), "{run:?}");
}

#[tokio::test]
async fn what_is_no_mcp_server_is_a_failure_of_the_transport() {
    let mut server = HttpServer::start().await;
    let run = tokio::spawn(against(format!("tools --json --url {}", server.url()), &[]));
    server.next().await.respond(200, &[("content-type", "text/html")], "<h1>Hello\u{1b}[2J</h1>").await;
    let run = run.await.unwrap().expect(3);
    assert!(!run.err.contains('\u{1b}'), "{run:?}");
    mcp("info --url http://127.0.0.1:1/mcp").expect(3);
}

const DISCOVERED: &str = r#"{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#;
const TOOLS: &str = r#"{"tools":[{"name":"t","inputSchema":{"type":"object"}}],"resultType":"complete","ttlMs":0,"cacheScope":"private"}"#;

#[tokio::test]
async fn an_interrupt_gives_the_request_up_in_the_way_of_http() {
    let mut server = HttpServer::start().await;
    let child = command(["call", "t", "--json", "--url", &server.url()]).spawn().unwrap();
    server.expect("server/discover").await.result(DISCOVERED).await;
    server.expect("tools/list").await.result(TOOLS).await;
    let mut call = server.expect("tools/call").await;
    call.start_events(&[]).await.unwrap();
    kill(child.id(), Signal::SIGINT);
    call.gone().await;
    let run = tokio::task::spawn_blocking(move || finish(child)).await.unwrap().expect(6);
    assert_eq!(run.json()["error"]["message"], "interrupted");
    // Nothing is said about it: the end of the stream says it.
    assert!(server.try_next().is_none());
}

#[tokio::test]
async fn a_recording_has_the_exchange_and_no_header_field() {
    let mut server = HttpServer::start().await;
    let file = folder("record-http").join("s.jsonl");
    let line = format!("record {} tools --url {} --header X-Key:k3y-k3y-k3y", file.display(), server.url());
    let run = tokio::spawn(against(line, &[]));
    server.expect("server/discover").await.result(DISCOVERED).await;
    let list = server.expect("tools/list").await;
    assert_eq!(list.request.header("x-key"), Some("k3y-k3y-k3y"));
    list.result(&TOOLS.replace("\"t\"", "\"k3y-k3y-k3y\"")).await;
    assert!(run.await.unwrap().expect(0).out.contains("k3y-k3y-k3y"), "what the user sees is not redacted");
    let recorded = std::fs::read_to_string(file).unwrap();
    assert!(recorded.contains(r#""exchange":2"#) && !recorded.contains("k3y"), "{recorded}");
}

#[tokio::test]
async fn arguments_that_a_tool_wants_in_a_header_field_are_there() {
    let mut server = HttpServer::start().await;
    let line = format!("call t region=eu --url {}", server.url());
    let run = tokio::spawn(against(line, &[]));
    server.expect("server/discover").await.result(DISCOVERED).await;
    let schema = r#"{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}"#;
    server.expect("tools/list").await.result(&TOOLS.replace(r#"{"type":"object"}"#, schema)).await;
    let call = server.expect("tools/call").await;
    assert_eq!(call.request.header("mcp-param-region"), Some("eu"));
    call.result(r#"{"content":[{"type":"text","text":"done"}],"resultType":"complete"}"#).await;
    assert_eq!(run.await.unwrap().expect(0).out, "done\n");
}
