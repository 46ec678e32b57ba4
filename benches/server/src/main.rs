//! A reference server that is never the bottleneck: one thread, blocking reads of all that is there, one write for all
//! answers to it. It speaks both eras, and checks that modern requests are stamped.
//!
//! Tools: `echo {message}`, `payload {size}`, `progress {count}`, `hang {}` (never answered), `flood {count}` (sends what
//! nobody asked for), and `--tools N` in a list, in pages of `--page N`.
//!
//! With `--http json` or `--http sse` it speaks Streamable HTTP on a port of the loopback interface instead, prints its URL,
//! and ends with its standard input; `--chunk N` sends events in chunks of N bytes.

mod answer;
mod flood;
mod http;
mod request;
mod tools;

use std::{
    env,
    io::{self, Read as _, Write as _},
};

use answer::Server;
use tools::Tools;

/// As much as a pipe holds.
const READ: usize = 64 * 1024;
/// What is written at once at most; a larger answer goes out by itself.
const WRITE: usize = 64 * 1024;

fn main() -> io::Result<()> {
    let mut words = env::args().skip(1);
    let (mut count, mut page, mut chunk, mut answers) = (3, 0, 0, None);
    while let Some(name) = words.next() {
        let value = words.next().unwrap_or_default();
        match (name.as_str(), value.as_str(), value.parse()) {
            ("--http", "json", _) => answers = Some(http::Answers::Json),
            ("--http", "sse", _) => answers = Some(http::Answers::Events),
            ("--tools", _, Ok(value)) => count = value,
            ("--page", _, Ok(value)) => page = value,
            ("--chunk", _, Ok(value)) => chunk = value,
            _ => return Err(io::Error::other(format!("{name} {value}"))),
        }
    }
    match answers {
        Some(answers) => http::serve(answers, chunk, move || Server::new(Tools::new(count, page))),
        None => serve(&mut Server::new(Tools::new(count, page))),
    }
}

fn serve(server: &mut Server) -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut buffer = vec![0; READ];
    let mut filled = 0;
    let mut answers = Vec::with_capacity(2 * WRITE);
    loop {
        if filled == buffer.len() {
            buffer.resize(2 * filled, 0);
        }
        let read = input.read(&mut buffer[filled..])?;
        if read == 0 {
            return Ok(());
        }
        let searched = filled;
        filled += read;
        let mut start = 0;
        for end in memchr::memchr_iter(b'\n', &buffer[searched..filled]).map(|at| searched + at) {
            server.answer(&buffer[start..end], &mut answers);
            start = end + 1;
            if answers.len() >= WRITE {
                send(&mut output, &mut answers)?;
            }
            while server.flood(&mut answers) {
                send(&mut output, &mut answers)?;
            }
        }
        send(&mut output, &mut answers)?;
        buffer.copy_within(start..filled, 0);
        filled -= start;
    }
}

/// Standard output is line-buffered: more than a buffer of it goes straight through, less needs the flush.
fn send(output: &mut io::StdoutLock<'_>, answers: &mut Vec<u8>) -> io::Result<()> {
    if answers.is_empty() {
        return Ok(());
    }
    output.write_all(answers)?;
    output.flush()?;
    answers.clear();
    Ok(())
}
