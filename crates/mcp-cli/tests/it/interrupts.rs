//! Ctrl-C and deadlines: the call is cancelled on the wire, the server is shut down in order, and nothing is left.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::Child,
    thread,
    time::{Duration, Instant},
};

use nix::sys::signal::Signal;

use crate::common::{PATIENCE, Run, command, finish, folder, kill, legacy, scripted_args};

/// A server that notes what it reads, and its process, in `folder`; its tool never answers.
fn recording_server(folder: &Path) -> String {
    let folder = folder.display();
    format!("echo $$ > '{folder}/pid'; trap 'echo TERM >> {folder}/log; exit' TERM\n")
        + &legacy(
            r#"{"tools":{}}"#,
            &format!(
                r#"*'"tools/list"'*) reply '{{"tools":[{{"name":"t","inputSchema":{{"type":"object"}}}}]}}';;
*'"tools/call"'*) echo called >> '{folder}/log'; echo called >&2;;"#
            ),
        )
        // Notifications are looked at here, before the arms above pass over them.
        .replace("*'\"notifications/'*) ;;", &format!("*'\"notifications/cancelled\"'*) echo cancelled >> '{folder}/log';;\n*'\"notifications/'*) ;;"))
        + &format!("\necho end >> '{folder}/log'")
}

fn start(args: Vec<String>, until: &str) -> (Child, BufReader<std::process::ChildStderr>) {
    let mut child = command(args).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !until.is_empty() && !line.contains(until) {
        line.clear();
        assert_ne!(stderr.read_line(&mut line).unwrap(), 0, "ended before {until:?}");
    }
    (child, stderr)
}

fn end(child: Child, mut stderr: impl Read) -> Run {
    let mut rest = String::new();
    let run = finish(child);
    stderr.read_to_string(&mut rest).unwrap();
    Run { err: rest, ..run }
}

fn is_gone(pid: &str) {
    let begun = Instant::now();
    while Path::new(&format!("/proc/{}", pid.trim())).exists() {
        assert!(begun.elapsed() < PATIENCE, "{pid} is left");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_interrupt_cancels_the_call_and_ends_the_server_in_order() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let folder = folder(&format!("interrupt-{signal}"));
        let (child, stderr) = start(scripted_args("call t --json", &recording_server(&folder)), "called");
        kill(child.id(), signal);
        let run = end(child, stderr).expect(6);
        assert_eq!(run.json()["error"]["kind"], "deadline");
        assert!(run.err.contains("interrupted"), "{run:?}");
        assert_eq!(fs::read_to_string(folder.join("log")).unwrap(), "called\ncancelled\nend\n");
        is_gone(&fs::read_to_string(folder.join("pid")).unwrap());
    }
}

#[test]
fn the_deadline_does_the_same() {
    let folder = folder("deadline");
    let args = scripted_args("call t --timeout 5", &recording_server(&folder));
    finish(command(args).spawn().unwrap()).expect(6);
    assert_eq!(fs::read_to_string(folder.join("log")).unwrap(), "called\ncancelled\nend\n");
    is_gone(&fs::read_to_string(folder.join("pid")).unwrap());
}

#[test]
fn an_interrupt_while_connecting_ends_the_server_in_order() {
    let folder = folder("connecting");
    let shown = folder.display();
    // Reads to the end of its input, as a server should, and answers nothing.
    let script =
        format!("echo $$ > '{shown}/pid'; echo ready >&2; cat > /dev/null; echo end > '{shown}/log'");
    for verb in ["tools", "doctor"] {
        let (child, stderr) = start(scripted_args(verb, &script), if verb == "tools" { "ready" } else { "" });
        while !folder.join("pid").exists() {
            thread::sleep(Duration::from_millis(5));
        }
        kill(child.id(), Signal::SIGINT);
        end(child, stderr).expect(6);
        assert_eq!(fs::read_to_string(folder.join("log")).unwrap(), "end\n");
        is_gone(&fs::read_to_string(folder.join("pid")).unwrap());
        fs::remove_file(folder.join("pid")).unwrap();
        fs::remove_file(folder.join("log")).unwrap();
    }
}

#[test]
fn a_server_that_will_not_go_while_connecting_is_ended_by_force() {
    let folder = folder("connecting-stays");
    let script = format!(
        "echo $$ > '{}/pid'; trap '' TERM; echo ready >&2; while :; do sleep 1; done",
        folder.display()
    );
    let (child, stderr) = start(scripted_args("tools", &script), "ready");
    kill(child.id(), Signal::SIGINT);
    end(child, stderr).expect(6);
    is_gone(&fs::read_to_string(folder.join("pid")).unwrap());
}

#[test]
fn standard_input_that_never_ends_can_be_interrupted() {
    use std::os::unix::process::ExitStatusExt;
    let mut child = command(["call", "--demo", "echo", "--args", "-"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(300));
    kill(child.id(), Signal::SIGINT);
    assert_eq!(child.wait().unwrap().signal(), Some(Signal::SIGINT as i32));
}

#[test]
fn a_second_interrupt_does_not_wait_for_a_server_that_will_not_go() {
    let folder = folder("twice");
    let script = recording_server(&folder) + "\necho stays >&2; while :; do sleep 1; done";
    let (child, mut stderr) = start(scripted_args("call t", &script), "called");
    kill(child.id(), Signal::SIGINT);
    let mut line = String::new();
    while !line.contains("stays") {
        line.clear();
        assert_ne!(stderr.read_line(&mut line).unwrap(), 0);
    }
    kill(child.id(), Signal::SIGINT);
    let run = end(child, stderr).expect(6);
    assert!(run.err.contains("by force"), "{run:?}");
    // In order it would have been asked to go first.
    assert!(!fs::read_to_string(folder.join("log")).unwrap().contains("TERM"));
    is_gone(&fs::read_to_string(folder.join("pid")).unwrap());
}
