use std::{collections::BTreeMap, os::unix::fs::symlink, path::Path, process::Command};

use mcp_transport::{Connect, Delivery, Inbound, TransportError, TransportErrorKind};
use mcp_transport_stdio::{Inherit, Stderr, Stdio};

use crate::support::{Folder, Peer, ping, sh};

async fn refused(server: &Stdio) -> TransportError {
    let error = server.connect().await.unwrap_err();
    assert_eq!(error.delivery(), Delivery::NeverSent);
    error
}

/// Field report S-09.
#[tokio::test]
async fn a_missing_command_is_told_with_what_was_searched() {
    let folder = Folder::new();
    let path = format!("{}:/nonexistent", folder.0.display());
    let error = refused(&Stdio::command("no-such-server").env("PATH", &path)).await;
    assert_eq!(error.kind(), TransportErrorKind::NotFound);
    let text = error.to_string();
    assert!(text.contains("no-such-server"), "{text}");
    assert!(text.contains(&path.replace(':', ", ")), "{text}");

    let error = refused(&Stdio::command("./no-such-server").current_dir(&folder.0)).await;
    assert_eq!(error.kind(), TransportErrorKind::NotFound);
}

#[tokio::test]
async fn failures_to_start_are_told_apart() {
    let folder = Folder::new();
    let script = r"
        echo hello > plain
        printf '#!/nonexistent/interpreter\n' > script
        chmod +x script";
    // By another process: a file that this one has open for writing could not be executed.
    let made = Command::new("sh").args(["-c", script]).current_dir(&folder.0).status();
    assert!(made.unwrap().success());

    let error = refused(&Stdio::command(folder.path("plain"))).await;
    assert_eq!(error.kind(), TransportErrorKind::Connect);
    assert!(error.to_string().contains("not an executable file"), "{error}");

    let error = refused(&Stdio::command(folder.path("script"))).await;
    assert_eq!(error.kind(), TransportErrorKind::Connect);
    assert!(error.to_string().contains("interpreter"), "{error}");

    let error = refused(&sh("true").current_dir(folder.path("missing"))).await;
    assert_eq!(error.kind(), TransportErrorKind::Configuration);
    assert!(error.to_string().contains("missing"), "{error}");

    for unusable in [Stdio::command(""), sh("true").arg("a\0b")] {
        let error = refused(&unusable).await;
        assert_eq!(error.kind(), TransportErrorKind::Configuration, "{error}");
    }
}

#[test]
fn without_a_runtime_there_is_an_error_and_no_panic() {
    let server = sh("true");
    let future = server.connect();
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match std::pin::pin!(future).poll(&mut context) {
        std::task::Poll::Ready(Err(error)) => assert_eq!(error.kind(), TransportErrorKind::Configuration),
        other => panic!("{other:?}"),
    }
}

/// Field report S-09.
#[tokio::test]
async fn a_command_is_found_on_the_path_of_the_child() {
    let folder = Folder::new();
    let cat = ["/bin/cat", "/usr/bin/cat"].into_iter().find(|cat| Path::new(cat).exists());
    symlink(cat.unwrap(), folder.path("only-there")).unwrap();
    refused(&Stdio::command("only-there")).await;

    let by_path = Stdio::command("only-there").env("PATH", &folder.0);
    let by_directory = Stdio::command("./only-there").current_dir(&folder.0);
    for server in [by_path, by_directory] {
        let mut peer = Peer::connect(&server).await;
        peer.send(ping(1)).await.unwrap();
        assert_eq!(peer.message().await, ping(1));
    }
}

#[tokio::test]
async fn a_server_runs_in_its_directory() {
    let folder = Folder::new();
    let mut peer = Peer::connect(&sh("note pwd \"$(pwd)\"; cat").current_dir(&folder.0)).await;
    assert_eq!(peer.note("pwd").await, folder.0.to_str().unwrap());
}

#[tokio::test]
async fn a_server_can_be_started_again() {
    let server = sh("note pid $$; cat");
    assert!(server.repeatable());
    let (mut first, mut second) = (Peer::connect(&server).await, Peer::connect(&server).await);
    assert_ne!(first.pid("pid").await, second.pid("pid").await);
    first.close().await.unwrap();
    second.send(ping(1)).await.unwrap();
    assert_eq!(second.message().await, ping(1));
}

/// What `env` prints, one entry a line of skipped text.
async fn environment(server: Stdio) -> BTreeMap<String, String> {
    let mut peer = Peer::connect(&server).await;
    let mut variables = BTreeMap::new();
    while let Ok(Some(entry)) = peer.next().await {
        if let Inbound::Skipped(skipped) = entry
            && let Some((name, value)) = skipped.excerpt.split_once('=')
        {
            variables.insert(name.to_owned(), value.to_owned());
        }
    }
    variables
}

/// Field report S-09. Cargo sets variables for tests that no list names.
#[tokio::test]
async fn a_server_gets_the_environment_that_it_was_promised() {
    const OURS: &str = "CARGO_PKG_NAME";
    assert!(std::env::var_os(OURS).is_some(), "this test is run by cargo");
    let env = || Stdio::command("env").stderr(Stderr::Capture);

    let listed = environment(env().env("EXTRA", "1").env("HOME", "/elsewhere")).await;
    assert_eq!(listed.get("PATH"), std::env::var("PATH").ok().as_ref());
    assert_eq!(listed["EXTRA"], "1");
    assert_eq!(listed["HOME"], "/elsewhere");
    assert!(!listed.contains_key(OURS));

    assert!(environment(env().inherit_env(OURS)).await.contains_key(OURS));
    let all = environment(env().inherit(Inherit::All).env_remove("HOME")).await;
    assert!(all.contains_key(OURS) && !all.contains_key("HOME"));

    let replaced = environment(env().inherit(Inherit::Nothing).envs([("ONLY", "this")])).await;
    assert_eq!(replaced.into_iter().collect::<Vec<_>>(), [("ONLY".into(), "this".into())]);
}

#[test]
fn secrets_are_not_shown() {
    let server =
        Stdio::command("npx").args(["-y", "some-server", "--api-key", "hunter2"]).env("API_KEY", "hunter2");
    assert_eq!(server.label(), "npx -y some-server --api-key ***");
    let debug = format!("{server:?}");
    assert!(debug.contains("API_KEY") && !debug.contains("hunter2"), "{debug}");
}
