//! Reads JSON into types of this crate and writes it again, for tools that look at what survives.
//!
//! Each line of the input is a command, a tab, and JSON: `value TYPE`, or `message MEMBER TYPE` for a whole message whose
//! `params`, `result` or `error` is of that type; behind it may stand the type of an error's `data`. Each line of the
//! output is `ok`, a tab and the JSON, or `error`, a tab and the reason.

use std::{
    collections::BTreeMap,
    io::{self, BufRead, BufWriter, Write},
};

use mcp_types::{
    InputRequest, Json, JsonObject, JsonRpcError, JsonSchema, Map, ProgressToken, ProtocolVersion, RequestId,
    inventory::{self, Codec},
    jsonrpc::{Incoming, JsonRpcMessage, parse},
};

fn main() -> io::Result<()> {
    let codecs = Codecs::new();
    let mut out = BufWriter::new(io::stdout().lock());
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (command, json) = line.split_once('\t').unwrap_or((&line, ""));
        match codecs.run(command, json) {
            Ok(json) => writeln!(out, "ok\t{json}")?,
            Err(reason) => writeln!(out, "error\t{}", reason.replace('\n', " "))?,
        }
    }
    out.flush()
}

/// By the names of the types, without paths.
struct Codecs(BTreeMap<String, Codec>);

impl Codecs {
    fn new() -> Self {
        let by_hand = [
            Codec::of::<Json>(),
            Codec::of::<JsonObject>(),
            Codec::of::<JsonSchema>(),
            Codec::of::<Map<InputRequest>>(),
            Codec::of::<ProgressToken>(),
            Codec::of::<ProtocolVersion>(),
            Codec::of::<RequestId>(),
        ];
        let of_the_protocol =
            inventory::codecs().into_iter().filter(|codec| !codec.path.contains("::extensions::"));
        Self(of_the_protocol.chain(by_hand).map(|codec| (without_paths(codec.path), codec)).collect())
    }

    fn run(&self, command: &str, json: &str) -> Result<String, String> {
        match command.split(' ').collect::<Vec<_>>().as_slice() {
            ["value", ty] => self.round_trip(ty, json),
            ["message", member, ty] => message(json, member, |body| self.round_trip(ty, body)),
            ["message", member, ty, data] => message(json, member, |body| {
                let error: JsonRpcError = decoded(&self.round_trip(ty, body)?)?;
                let Some(given) = error.data.clone() else { return encoded(&error) };
                let data = Json::from_text(self.round_trip(data, given.as_str())?);
                encoded(&error.with_data(data.map_err(|error| error.to_string())?))
            }),
            _ => Err(format!("no command `{command}`")),
        }
    }

    fn round_trip(&self, ty: &str, json: &str) -> Result<String, String> {
        let codec = self.0.get(ty).ok_or_else(|| format!("no type `{ty}` is listed"))?;
        (codec.round_trip)(json).map_err(|error| error.to_string())
    }
}

/// Takes the envelope off, sends what is in `member` through `convert`, and puts an envelope on.
fn message(
    json: &str,
    member: &str,
    convert: impl FnOnce(&str) -> Result<String, String>,
) -> Result<String, String> {
    let Incoming::Single(message) = parse(json.as_bytes()).map_err(|error| error.to_string())? else {
        return Err("a batch".to_owned());
    };
    let holds = match &message {
        JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => "params",
        JsonRpcMessage::Response(response) if response.outcome.is_ok() => "result",
        JsonRpcMessage::Response(_) => "error",
    };
    if holds != member {
        return Err(format!("a message with `{holds}`, not with `{member}`"));
    }
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).map_err(|error| error.to_string());
    let body = message.body().map(|body| text(body)).transpose()?;
    let body = body.map(|body| convert(&body)).transpose()?;
    let mut message = message.map(<[u8]>::to_vec);
    let place = match &mut message {
        JsonRpcMessage::Request(request) => request.params.as_mut(),
        JsonRpcMessage::Notification(notification) => notification.params.as_mut(),
        JsonRpcMessage::Response(response) => match &mut response.outcome {
            Ok(body) | Err(body) => Some(body),
        },
    };
    if let (Some(place), Some(body)) = (place, body) {
        *place = body.into_bytes();
    }
    text(&message.to_vec())
}

fn decoded<T: serde::de::DeserializeOwned>(json: &str) -> Result<T, String> {
    serde_json::from_str(json).map_err(|error| error.to_string())
}

fn encoded<T: serde::Serialize>(value: &T) -> Result<String, String> {
    serde_json::to_string(value).map_err(|error| error.to_string())
}

/// `a::b::Map<a::c::D>` becomes `Map<D>`.
fn without_paths(name: &str) -> String {
    let mut out = String::new();
    for part in name.split_inclusive(['<', '>', ',', ' ']) {
        out.push_str(part.rsplit("::").next().unwrap_or(part));
    }
    out
}
