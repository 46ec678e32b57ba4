//! `RequestId` and `ProgressToken`. Two JSON texts, with a line break between them.
//!
//! - An id is written as it came.
//! - Equal ids have equal hashes, and are equal when they were written and read.
//! - An id that answers to a number is that number, or its canonical decimal string.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
};

use mcp_types::{ProgressToken, RequestId};

use crate::{
    Target,
    generate::{Json, Random},
};

/// The target.
pub const TARGET: Target = Target { name: "id", run, generate, inputs: 500_000 };

fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (a, b) = text.split_once('\n').unwrap_or((text, text));
    let (Some(a), Some(b)) = (read(a), read(b)) else { return };
    if a == b {
        assert!(b.eq(&a));
        assert_eq!(hash(&a), hash(&b));
        assert_eq!((a.as_i64(), a.as_str()), (b.as_i64(), b.as_str()));
    }
}

fn read(text: &str) -> Option<RequestId> {
    let id: RequestId = serde_json::from_str(text).ok()?;
    let token: ProgressToken = serde_json::from_str(text).expect("a token is what an id is");
    let written = serde_json::to_string(&id).expect("it can be written");
    assert_eq!(written, text.trim_matches([' ', '\t', '\r', '\n']));
    assert_eq!((id.to_string(), token.to_string()), (written.clone(), written.clone()));
    let again: RequestId = serde_json::from_str(&written).expect("it can be read again");
    assert_eq!(id, again);
    assert_eq!(id.answers_to(), token.answers_to());
    if let Some(number) = id.answers_to() {
        assert!(written == number.to_string() || written == format!("\"{number}\""), "{written}");
    }
    if let Some(text) = id.as_str() {
        assert_eq!(RequestId::from(&*text), id);
    }
    Some(id)
}

fn hash(id: &RequestId) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

fn generate(random: &mut Random) -> Vec<u8> {
    let mut data = token(random);
    data.push(b'\n');
    let other = if random.one_in(2) { data[..data.len() - 1].to_vec() } else { token(random) };
    data.extend(other);
    data
}

fn token(random: &mut Random) -> Vec<u8> {
    let number = random.next();
    let token = match random.below(6) {
        0 => number.to_string(),
        1 => format!("-{}", number >> random.below(64)),
        2 => format!("\"{}\"", number >> random.below(64)),
        3 => format!("{}e{}", random.below(10), random.below(3)),
        4 => format!("{}.{}", random.below(10), random.below(10)),
        _ => Json::some_text(random).written(random),
    };
    Json::Raw(token).twisted(random)
}
