//! In a pseudo-terminal: questions, bars, tables that fit, and nothing of a server that commands it.

use std::{
    fs::File,
    io::{Read, Write},
    os::fd::OwnedFd,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use nix::pty::{Winsize, openpty};

use crate::common::{MCP, PATIENCE, legacy, scripted_args};

struct Terminal {
    child: Child,
    keyboard: File,
    screen: Arc<Mutex<String>>,
}

impl Terminal {
    fn run(args: &[&str], columns: u16) -> Self {
        Self::with(Command::new(MCP).args(args).env_remove("NO_COLOR").env("TERM", "xterm"), columns)
    }

    fn with(command: &mut Command, columns: u16) -> Self {
        let size = Winsize { ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let pty = openpty(Some(&size), None).unwrap();
        let stream = |fd: &OwnedFd| Stdio::from(fd.try_clone().unwrap());
        command.stdin(stream(&pty.slave)).stdout(stream(&pty.slave)).stderr(stream(&pty.slave));
        let child = command.spawn().unwrap();
        // What is left of the near end would keep the far one open.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        drop(pty.slave);
        let screen = Arc::new(Mutex::new(String::new()));
        let mut reader = File::from(pty.master.try_clone().unwrap());
        let seen = Arc::clone(&screen);
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                seen.lock().unwrap().push_str(&String::from_utf8_lossy(&buffer[..count]));
            }
        });
        Self { child, keyboard: File::from(pty.master), screen }
    }

    fn screen(&self) -> String {
        self.screen.lock().unwrap().clone()
    }

    #[track_caller]
    fn wait_for(&self, text: &str) {
        let begun = Instant::now();
        while !self.screen().contains(text) {
            assert!(begun.elapsed() < PATIENCE, "no {text:?} in {:?}", self.screen());
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn type_in(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).unwrap();
    }

    #[track_caller]
    fn end(mut self, status: i32) -> String {
        let begun = Instant::now();
        let ended = loop {
            if let Some(ended) = self.child.try_wait().unwrap() {
                break ended;
            }
            if begun.elapsed() > PATIENCE {
                self.child.kill().unwrap();
                panic!("hangs: {:?}", self.screen());
            }
            thread::sleep(Duration::from_millis(5));
        };
        // The reader sees the last of it a moment later.
        let mut screen = self.screen();
        loop {
            thread::sleep(Duration::from_millis(50));
            let now = self.screen();
            if now == screen {
                break;
            }
            screen = now;
        }
        assert_eq!(ended.code(), Some(status), "{screen:?}");
        screen
    }
}

#[test]
fn a_question_is_asked_and_nothing_is_sent_without_consent() {
    for protocol in ["2026-07-28", "2025-11-25"] {
        let args = ["call", "--demo", "greet", "--protocol", protocol];
        let mut terminal = Terminal::run(&args, 80);
        terminal.wait_for("What is your name?");
        terminal.wait_for("Name – Whom to greet: ");
        terminal.type_in("\n");
        terminal.wait_for("This one is required.");
        terminal.type_in("Ada\n");
        terminal.wait_for("Send this to the server? [Y/n]");
        terminal.type_in("y\n");
        assert!(terminal.end(0).contains("Hello, Ada!"));

        let mut terminal = Terminal::run(&args, 80);
        terminal.wait_for("Whom to greet: ");
        terminal.type_in("Ada\n");
        terminal.wait_for("[Y/n]");
        terminal.type_in("n\n");
        assert!(terminal.end(0).contains("whoever you are"));

        let mut terminal = Terminal::run(&args, 80);
        terminal.wait_for("Whom to greet: ");
        terminal.type_in("\u{4}");
        terminal.end(1);
    }
}

#[test]
fn a_url_is_shown_whole_and_agreed_to() {
    let server = legacy(
        r#"{"tools":{}}"#,
        r#"*'"tools/list"'*) reply '{"tools":[{"name":"t","inputSchema":{"type":"object"}}]}';;
*'"tools/call"'*) call=$line; printf '{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"mode":"url","message":"Sign in","url":"https://h.example/x?y=1","elicitationId":"e"}}\n';;
*'"action":"'*) answer=${line#*'"action":"'}; line=$call; reply "{\"content\":[{\"type\":\"text\",\"text\":\"${answer%%\"*}\"}]}";;"#,
    )
    .replace("2025-06-18", "2025-11-25");
    for (keys, action) in [("y\n", "accept"), ("\n", "decline")] {
        let args = scripted_args("call t", &server);
        let mut terminal = Terminal::run(&args.iter().map(String::as_str).collect::<Vec<_>>(), 80);
        terminal.wait_for("Go to https://h.example/x?y=1");
        terminal.wait_for("[y/N]");
        terminal.type_in(keys);
        assert!(terminal.end(0).contains(action));
    }
}

#[test]
fn a_bar_is_drawn_and_taken_away() {
    let screen = Terminal::run(&["call", "--demo", "slow", "steps=4", "milliseconds=200"], 80).end(0);
    assert!(screen.contains("[############------------] 2/4 step 2 of 4"), "{screen:?}");
    let last = screen.rsplit("\u{1b}[K").next().unwrap();
    assert!(last.starts_with("4 steps done"), "{screen:?}");
    for line in screen.split(['\r', '\n']) {
        assert!(line.chars().count() <= 90, "{line:?}");
    }
}

#[test]
fn a_table_fits_and_colours_are_left_out_on_request() {
    for columns in [40, 60, 200] {
        let mut command = Command::new(MCP);
        command.args(["tools", "--demo"]).env("NO_COLOR", "1").env("TERM", "xterm");
        let screen = Terminal::with(&mut command, columns).end(0);
        assert!(!screen.contains('\u{1b}'), "{screen:?}");
        for line in screen.lines() {
            assert!(line.chars().count() <= usize::from(columns), "{line:?}");
        }
    }
    assert!(Terminal::run(&["tools", "--demo"], 80).end(0).contains("\u{1b}[1mNAME"));
}

#[test]
fn text_of_a_server_commands_nothing() {
    let server = legacy(
        r#"{"tools":{}}"#,
        r#"*'"tools/list"'*) printf 'err\033[2J\n' >&2; reply '{"tools":[{"name":"t","description":"a\u001b[2Jb","inputSchema":{"type":"object"}}]}';;
*'"tools/call"'*) reply '{"content":[{"type":"text","text":"x\u001b]0;title\u0007\u009b2Jy\nz"}]}';;"#,
    );
    for line in ["tools", "call t", "call t --json", "tools --json", "tools --trace"] {
        let mut command = Command::new(MCP);
        command.args(scripted_args(line, &server)).env("NO_COLOR", "1");
        let screen = Terminal::with(&mut command, 80).end(0);
        assert!(!screen.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{line}: {screen:?}");
    }
}
