//! `input::retry_params`. The first byte chooses what the server asked for, the rest is the params of the round before.
//!
//! Of an object that every reader sees the same way, the other members stay as they are; responses and state stand once,
//! as they are given, and not at all when there are none.

use bytes::Bytes;
use mcp_protocol::input::retry_params;
use mcp_types::{Json, JsonObject};

use super::{plain_object, split_first};
use crate::{
    Target,
    generate::{self, Random, Schemas},
};

/// The target.
pub const TARGET: Target = Target { name: "retry", run, generate, inputs: 150_000 };

const STATE: &str = r#""s\u0074ate \" 1.50""#;

fn run(data: &[u8]) {
    let (choice, params) = split_first(data);
    let params = Bytes::copy_from_slice(params);
    let responses = JsonObject::from([("a", Json::from(1_u64)), ("_meta", Json::from("x"))]);
    let responses = (choice & 1 != 0).then_some(responses);
    let state = (choice & 2 != 0).then(|| Json::from_text(STATE).expect("JSON"));
    let before = plain_object(&params);
    let Ok(after) = retry_params(Some(&params), responses.as_ref(), state.as_ref()) else {
        assert!(before.is_none(), "an object is refused");
        return;
    };
    let Some(before) = before else { return };
    let text = String::from_utf8_lossy(&after);
    let after = plain_object(&after).unwrap_or_else(|| panic!("ambiguous, or no JSON: {text}"));
    let others = |object: &JsonObject| -> Vec<(String, Json)> {
        let of_the_round = ["inputResponses", "requestState"];
        object.clone().into_iter().filter(|(name, _)| !of_the_round.contains(&name.as_str())).collect()
    };
    assert_eq!(others(&before), others(&after));
    assert_eq!(
        after.get("inputResponses").map(Json::to_string),
        responses.map(|given| Json::from(given).to_string())
    );
    assert_eq!(after.get("requestState"), state.as_ref());
}

fn generate(random: &mut Random) -> Vec<u8> {
    let mut data = vec![random.byte()];
    let kinds = ["CallToolRequestParams", "GetPromptRequestParams", "ReadResourceRequestParams"];
    let kind = random.pick(&kinds);
    let params: generate::Json = Schemas::new(random).kind(kind);
    data.extend(params.twisted(random));
    data
}
