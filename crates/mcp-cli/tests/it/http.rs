use mcp_testkit::http::HttpServer;

use crate::common::{Run, command, finish, mcp};

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
