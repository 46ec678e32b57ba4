use std::io::Write as _;

use bench_kit::expected;
use serde_json::value::RawValue;

use crate::{
    flood::Flood,
    request::{Params, Request},
    tools::Tools,
};

pub(crate) struct Server {
    tools: Tools,
    /// Settled by `initialize`; otherwise every request must be stamped.
    legacy: bool,
    flood: Option<Flood>,
    /// The last payload, as JSON.
    payload: (usize, String),
}

const COMPLETE: &str = r#""resultType":"complete","#;

impl Server {
    pub(crate) fn new(tools: Tools) -> Self {
        Self { tools, legacy: false, flood: None, payload: (0, String::from("\"\"")) }
    }

    /// Over HTTP each request says to which era it belongs.
    pub(crate) fn set_legacy(&mut self, legacy: bool) {
        self.legacy = legacy;
    }

    /// Appends the next part of a flood; whether there is one.
    pub(crate) fn flood(&mut self, out: &mut Vec<u8>) -> bool {
        let Some(flood) = &mut self.flood else { return false };
        if flood.append(out) {
            self.flood = None;
        }
        true
    }

    /// Appends what there is to say to one line.
    pub(crate) fn answer(&mut self, line: &[u8], out: &mut Vec<u8>) {
        let request: Request<'_> = match serde_json::from_slice(line) {
            Ok(request) => request,
            Err(error) => {
                eprintln!("reference server: {error}: {}", String::from_utf8_lossy(line));
                return;
            }
        };
        let Some(id) = request.id else { return };
        if request.method == "initialize" {
            self.legacy = true;
        } else if !self.legacy && !request.params.meta.is_stamped() {
            return refuse(out, id, -32602, "not stamped");
        }
        match request.method.as_ref() {
            "tools/call" => self.call(id, &request.params, out),
            "tools/list" => match self.tools.page(request.params.cursor.as_deref()) {
                Some(page) => {
                    let head = if self.legacy {
                        ""
                    } else {
                        r#""resultType":"complete","ttlMs":0,"cacheScope":"private","#
                    };
                    result(out, id, &[head, page]);
                }
                None => refuse(out, id, -32602, "no such cursor"),
            },
            "ping" => result(out, id, &[]),
            "initialize" => result(out, id, &[INITIALIZED]),
            "server/discover" => result(out, id, &[COMPLETE, DISCOVERED]),
            _ => refuse(out, id, -32601, "no such method"),
        }
    }

    fn call(&mut self, id: &RawValue, params: &Params<'_>, out: &mut Vec<u8>) {
        let head = if self.legacy { "" } else { COMPLETE };
        let arguments = &params.arguments;
        match params.name.as_ref() {
            "echo" => text(out, id, head, arguments.message.map_or("\"\"", RawValue::get)),
            "payload" => {
                if self.payload.0 != arguments.size {
                    self.payload = (arguments.size, format!("\"{}\"", expected::payload(arguments.size)));
                }
                text(out, id, head, &self.payload.1);
            }
            "progress" => {
                let count = arguments.count;
                if let Some(token) = params.meta.token {
                    for step in 1..=count {
                        progress(out, token, step, count);
                    }
                }
                text(out, id, head, "\"done\"");
            }
            "hang" => {}
            "flood" => {
                let token = params.meta.token.map(|token| token.get().to_owned());
                self.flood = Some(Flood::new(id.get().to_owned(), token, arguments.count));
            }
            _ => refuse(out, id, -32602, "no such tool"),
        }
    }
}

const INITIALIZED: &str = r#""protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"reference","version":"1"}"#;

const DISCOVERED: &str = r#""supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"reference","version":"1"}}"#;

/// A result whose one block is a text; `quoted` is JSON.
fn text(out: &mut Vec<u8>, id: &RawValue, head: &str, quoted: &str) {
    result(out, id, &[head, r#""content":[{"type":"text","text":"#, quoted, "}]"]);
}

fn result(out: &mut Vec<u8>, id: &RawValue, parts: &[&str]) {
    for part in [r#"{"jsonrpc":"2.0","id":"#, id.get(), r#","result":{"#].iter().chain(parts).chain(&["}}\n"])
    {
        out.extend_from_slice(part.as_bytes());
    }
}

fn refuse(out: &mut Vec<u8>, id: &RawValue, code: i32, message: &str) {
    writeln!(out, r#"{{"jsonrpc":"2.0","id":{},"error":{{"code":{code},"message":"{message}"}}}}"#, id.get())
        .expect("writing to memory");
}

fn progress(out: &mut Vec<u8>, token: &RawValue, step: u64, count: u64) {
    writeln!(
        out,
        r#"{{"jsonrpc":"2.0","method":"notifications/progress","params":{{"progressToken":{},"progress":{step},"total":{count},"message":"step {step}"}}}}"#,
        token.get()
    )
    .expect("writing to memory");
}
