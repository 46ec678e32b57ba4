//! Streamable HTTP of both eras, as little as the clients under measurement need: a thread a connection, one write an answer.

use std::{
    io::{self, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    thread,
};

use crate::answer::Server;

/// How requests are answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answers {
    Json,
    Events,
}

/// The one session: what matters is that clients carry it.
const SESSION: &str = "the-session-of-the-reference-server";

/// Serves until the end of standard input.
pub(crate) fn serve(
    answers: Answers,
    chunk: usize,
    server: impl Fn() -> Server + Send + Sync + 'static,
) -> io::Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    println!("http://{}/mcp", listener.local_addr()?);
    let server = std::sync::Arc::new(server);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let server = std::sync::Arc::clone(&server);
            thread::spawn(move || {
                // A connection that breaks off is the client's affair, which measures nothing then.
                let _ = Connection { stream, server: server(), answers, chunk }.run();
            });
        }
    });
    io::stdin().read_to_end(&mut Vec::new()).map(drop)
}

struct Connection {
    stream: TcpStream,
    server: Server,
    answers: Answers,
    chunk: usize,
}

impl Connection {
    fn run(mut self) -> io::Result<()> {
        self.stream.set_nodelay(true)?;
        let mut buffer = vec![0; 64 * 1024];
        let (mut filled, mut lines, mut out) = (0, Vec::new(), Vec::new());
        loop {
            let Some(head) = Head::of(&buffer[..filled]) else {
                if !self.read(&mut buffer, &mut filled)? {
                    return Ok(());
                }
                continue;
            };
            let end = head.length + head.body;
            while filled < end {
                if !self.read(&mut buffer, &mut filled)? {
                    return Ok(());
                }
            }
            lines.clear();
            out.clear();
            self.answer(&head, &buffer[head.length..end], &mut lines, &mut out);
            self.stream.write_all(&out)?;
            buffer.copy_within(end..filled, 0);
            filled -= end;
        }
    }

    fn read(&mut self, buffer: &mut Vec<u8>, filled: &mut usize) -> io::Result<bool> {
        if *filled == buffer.len() {
            buffer.resize(2 * *filled, 0);
        }
        let read = self.stream.read(&mut buffer[*filled..])?;
        *filled += read;
        Ok(read > 0)
    }

    fn answer(&mut self, head: &Head, body: &[u8], lines: &mut Vec<u8>, out: &mut Vec<u8>) {
        match head.method {
            Method::Delete => return status(out, "200 OK"),
            Method::Other => return status(out, "405 Method Not Allowed"),
            Method::Post => {}
        }
        self.server.set_legacy(head.in_session);
        self.server.answer(body, lines);
        if lines.is_empty() {
            return status(out, "202 Accepted");
        }
        // What a modern request says twice, and what a legacy one must carry.
        let first = memchr::memmem::find(body, br#""method":"initialize""#).is_some();
        if !head.in_session && !first && !head.mirrored {
            return status(out, "400 Bad Request");
        }
        let session = if first { format!("mcp-session-id: {SESSION}\r\n") } else { String::new() };
        match self.answers {
            Answers::Json => {
                let line = lines.trim_ascii_end();
                let answer = memchr::memrchr(b'\n', line).map_or(line, |at| &line[at + 1..]);
                write!(
                    out,
                    "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{session}content-length: {}\r\n\r\n",
                    answer.len()
                )
                .expect("writing to memory");
                out.extend_from_slice(answer);
            }
            Answers::Events => {
                write!(
                    out,
                    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n{session}transfer-encoding: chunked\r\n\r\n"
                )
                .expect("writing to memory");
                for line in lines.trim_ascii_end().split(|byte| *byte == b'\n') {
                    self.event(line, out);
                }
                out.extend_from_slice(b"0\r\n\r\n");
            }
        }
    }

    fn event(&self, line: &[u8], out: &mut Vec<u8>) {
        const PARTS: [&[u8]; 2] = [b"event: message\ndata: ", b"\n\n"];
        if self.chunk == 0 {
            chunk(&[PARTS[0], line, PARTS[1]], out);
            return;
        }
        chunk(&[PARTS[0]], out);
        for part in line.chunks(self.chunk) {
            chunk(&[part], out);
        }
        chunk(&[PARTS[1]], out);
    }
}

fn chunk(parts: &[&[u8]], out: &mut Vec<u8>) {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    write!(out, "{length:x}\r\n").expect("writing to memory");
    for part in parts {
        out.extend_from_slice(part);
    }
    out.extend_from_slice(b"\r\n");
}

fn status(out: &mut Vec<u8>, status: &str) {
    write!(out, "HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n").expect("writing to memory");
}

enum Method {
    Post,
    Delete,
    Other,
}

/// The head of a request, as far as it matters.
struct Head {
    method: Method,
    length: usize,
    body: usize,
    in_session: bool,
    mirrored: bool,
}

impl Head {
    /// `None` if it is not whole yet.
    fn of(bytes: &[u8]) -> Option<Self> {
        let length = memchr::memmem::find(bytes, b"\r\n\r\n")? + 4;
        let mut lines = bytes[..length].split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let method = match lines.next()?.split(|byte| *byte == b' ').next()? {
            b"POST" => Method::Post,
            b"DELETE" => Method::Delete,
            _ => Method::Other,
        };
        let mut head = Self { method, length, body: 0, in_session: false, mirrored: false };
        for line in lines {
            let Some(colon) = memchr::memchr(b':', line) else { continue };
            let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
            if name.eq_ignore_ascii_case(b"content-length") {
                head.body = std::str::from_utf8(value).ok()?.parse().ok()?;
            } else if name.eq_ignore_ascii_case(b"mcp-session-id") {
                head.in_session = value == SESSION.as_bytes();
            } else if name.eq_ignore_ascii_case(b"mcp-method") {
                head.mirrored = !value.is_empty();
            }
        }
        Some(head)
    }
}
