use std::{collections::VecDeque, time::Duration};

use bytes::Bytes;
use mcp_transport::{Connect, Outbound, RawMessage, Receiver, Sender};

use crate::support::{Folder, NEVER, Peer, SOON, gone, is_running, ping, sh};

/// A wrapper that starts the real server and waits for it; neither cares for the end of input.
const WRAPPER: &str = "sleep 1000 & note server $!; note wrapper $$; wait";

async fn wrapper(peer: &mut Peer) -> [u32; 2] {
    let pids = [peer.pid("server").await, peer.pid("wrapper").await];
    assert!(pids.into_iter().all(is_running));
    pids
}

/// Field report S-01.
#[tokio::test]
async fn close_ends_what_a_wrapper_started() {
    let mut peer = Peer::connect(&sh(WRAPPER).exit_wait(SOON).term_wait(NEVER)).await;
    let pids = wrapper(&mut peer).await;
    peer.close().await.unwrap();
    assert!(!pids.into_iter().any(is_running));
}

/// Field report S-01.
#[tokio::test]
async fn a_dropped_link_ends_what_a_wrapper_started() {
    let mut peer = Peer::connect(&sh(WRAPPER)).await;
    let pids = wrapper(&mut peer).await;
    drop(peer);
    for pid in pids {
        gone(pid).await;
    }
}

/// Field report S-01.
#[tokio::test]
async fn an_aborted_task_ends_what_a_wrapper_started() {
    let (tell, told) = tokio::sync::oneshot::channel();
    let host = tokio::spawn(async move {
        let mut peer = Peer::connect(&sh(WRAPPER)).await;
        tell.send(wrapper(&mut peer).await).unwrap();
        let _ = peer.next().await;
    });
    let pids = told.await.unwrap();
    host.abort();
    for pid in pids {
        gone(pid).await;
    }
}

/// Field report S-01.
#[tokio::test]
async fn a_close_that_is_dropped_half_way_ends_what_a_wrapper_started() {
    let mut peer = Peer::connect(&sh(WRAPPER).exit_wait(NEVER)).await;
    let pids = wrapper(&mut peer).await;
    drop((peer.sender, peer.receiver));
    assert!(tokio::time::timeout(SOON, peer.closer.close()).await.is_err());
    for pid in pids {
        gone(pid).await;
    }
}

/// Field report S-01.
#[tokio::test]
async fn what_a_server_leaves_behind_is_ended_without_a_close() {
    let mut peer = Peer::connect(&sh("sleep 1000 & note left $!; exit 3")).await;
    let left = peer.pid("left").await;
    gone(left).await;
    assert_eq!(peer.next().await.unwrap_err().process().unwrap().code, Some(3));
    peer.close().await.unwrap();
}

/// Field report S-01.
#[tokio::test]
async fn what_a_server_leaves_behind_is_forced_if_it_does_not_obey() {
    let script = "trap '' TERM; sleep 1000 & note left $!; cat";
    let mut peer = Peer::connect(&sh(script).exit_wait(NEVER).term_wait(SOON)).await;
    let left = peer.pid("left").await;
    peer.close().await.unwrap();
    assert!(!is_running(left));
}

/// Field report S-02 (a).
#[tokio::test]
async fn a_server_that_ends_with_its_input_is_not_signalled() {
    let folder = Folder::new();
    let script = "trap 'echo yes > signalled' TERM HUP INT; cat > /dev/null; sleep 0.2; echo yes > finished";
    let server = sh(script).current_dir(&folder.0).exit_wait(NEVER);
    Peer::connect(&server).await.close().await.unwrap();
    assert_eq!(folder.read("finished").as_deref(), Some("yes\n"));
    assert_eq!(folder.read("signalled"), None);
}

/// Field report S-02 (b).
#[tokio::test]
async fn a_server_that_ignores_the_end_of_input_is_asked_to_end() {
    let folder = Folder::new();
    let script = "trap 'echo yes >> asked; exit 0' TERM; note pid $$; while :; do sleep 0.02; done";
    let server = sh(script).current_dir(&folder.0).exit_wait(SOON).term_wait(NEVER);
    let mut peer = Peer::connect(&server).await;
    let pid = peer.pid("pid").await;
    peer.close().await.unwrap();
    assert!(!is_running(pid));
    assert_eq!(folder.read("asked").as_deref(), Some("yes\n"));
}

/// Field report S-02 (c).
#[tokio::test]
async fn a_server_that_ignores_everything_is_forced() {
    let script = "trap '' TERM; note pid $$; while :; do sleep 0.02; done";
    let mut peer = Peer::connect(&sh(script).exit_wait(SOON).term_wait(SOON)).await;
    let pid = peer.pid("pid").await;
    peer.close().await.unwrap();
    assert!(!is_running(pid));
}

#[tokio::test]
async fn a_stopped_server_can_be_asked_to_end() {
    let folder = Folder::new();
    let script =
        "trap 'echo yes > asked; exit 0' TERM; note pid $$; kill -STOP $$; while :; do sleep 0.02; done";
    let server = sh(script).current_dir(&folder.0).exit_wait(SOON).term_wait(NEVER);
    let mut peer = Peer::connect(&server).await;
    peer.pid("pid").await;
    peer.close().await.unwrap();
    assert_eq!(folder.read("asked").as_deref(), Some("yes\n"));
}

/// Quirk 15.
#[tokio::test]
async fn an_exit_after_our_end_of_input_is_no_error_whatever_its_status() {
    for script in ["cat; exit 1", "cat; sleep 0.6; exit 1", "cat; kill -9 $$"] {
        let mut peer = Peer::connect(&sh(script).exit_wait(NEVER)).await;
        peer.send(ping(1)).await.unwrap();
        peer.send(Outbound::Close).await.unwrap();
        assert_eq!(peer.message().await, ping(1), "{script}");
        assert!(peer.next().await.unwrap().is_none(), "{script}");
        assert!(peer.next().await.unwrap().is_none(), "{script}");
        drop((peer.sender, peer.receiver));
        peer.closer.close().await.unwrap();
    }
}

/// Field report S-02 (a): not even by a broken or a full pipe.
#[tokio::test]
async fn what_a_server_says_at_the_end_does_not_stop_it() {
    let folder = Folder::new();
    let script = "
        cat > /dev/null
        head -c 300000 /dev/zero | tr '\\0' x
        head -c 300000 /dev/zero | tr '\\0' x >&2
        echo yes > finished";
    let server = sh(script).current_dir(&folder.0).exit_wait(NEVER);
    Peer::connect(&server).await.close().await.unwrap();
    assert_eq!(folder.read("finished").as_deref(), Some("yes\n"));
}

#[tokio::test]
async fn a_server_that_stops_reading_can_be_heard_and_closed() {
    let script = "note pid $$; sleep 0.2; note still here; exec sleep 1000";
    let mut peer = Peer::connect(&sh(script).exit_wait(SOON).term_wait(NEVER)).await;
    let pid = peer.pid("pid").await;

    let params = Bytes::from(format!("\"{}\"", "x".repeat(1024 * 1024)));
    let mut batch: VecDeque<Outbound> =
        (0..4).map(|id| RawMessage::request(id, "big", Some(params.clone())).into()).collect();
    let mut into = Vec::new();
    tokio::select! {
        sent = peer.sender.send(&mut batch) => panic!("{sent:?}"),
        received = peer.receiver.recv(&mut into) => assert!(received.unwrap()),
    }
    assert_eq!(into.len(), 1);
    assert_eq!(batch.len(), 3, "only what was begun is taken off");
    let error = peer.sender.send(&mut batch).await.unwrap_err();
    assert_eq!(
        (error.delivery(), batch.len()),
        (mcp_transport::Delivery::NeverSent, 3),
        "nothing follows half a message"
    );

    drop((peer.sender, peer.receiver));
    peer.closer.close().await.unwrap();
    assert!(!is_running(pid));
}

#[tokio::test]
async fn close_is_bounded_by_its_limits() {
    let folder = Folder::new();
    let script = "trap '' TERM; sleep 1000 & note pid $$; while :; do sleep 0.02; done";
    let server = sh(script)
        .current_dir(&folder.0)
        .exit_wait(Duration::ZERO)
        .term_wait(Duration::ZERO)
        .kill_wait(NEVER);
    let mut peer = Peer::connect(&server).await;
    let pid = peer.pid("pid").await;
    peer.close().await.unwrap();
    assert!(!is_running(pid));
}

/// A connection that nobody takes any further.
#[tokio::test]
async fn a_connect_that_is_dropped_leaves_nothing() {
    let folder = Folder::new();
    let server = sh("echo $$ > pid; exec sleep 1000").current_dir(&folder.0);
    drop(server.connect());
    let link = server.connect().await.unwrap();
    let pid = loop {
        match folder.read("pid") {
            Some(pid) if pid.ends_with('\n') => break pid.trim().parse().unwrap(),
            _ => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    };
    assert!(is_running(pid));
    drop(link);
    gone(pid).await;
}
