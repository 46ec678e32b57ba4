//! What holds of any JSON that passes through here.

use proptest::prelude::*;
use serde_json::Value;

use crate::{
    config::plain,
    console::{pretty, safe, safe_json},
    recording::redact::redact,
};

fn json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        any::<String>(),
        "(password|api[_-]?key|token|Bearer |ghp_[a-z0-9]{20}|x=|//|/\\*|,]|\\\\\"){0,4}"
            .prop_map(String::from),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map(text.clone(), inner, 0..6)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The same form: kinds, lengths, names of members.
fn form(value: &Value) -> Value {
    match value {
        Value::String(_) => "".into(),
        Value::Array(list) => list.iter().map(form).collect(),
        Value::Object(members) => members.iter().map(|(name, value)| (name.clone(), form(value))).collect(),
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn layout_changes_no_value(value in json()) {
        let laid = pretty(&value.to_string());
        prop_assert_eq!(serde_json::from_str::<Value>(&laid).unwrap(), value.clone());
        prop_assert_eq!(serde_json::from_str::<Value>(&safe_json(&laid)).unwrap(), value);
    }

    #[test]
    fn redaction_keeps_the_form_and_is_done_once(value in json()) {
        let clean = redact(&value.to_string());
        let read: Value = serde_json::from_str(&clean).unwrap();
        prop_assert_eq!(form(&read), form(&value));
        prop_assert_eq!(redact(&clean), clean);
    }

    #[test]
    fn json_is_json_with_comments(value in json()) {
        prop_assert_eq!(serde_json::from_str::<Value>(&plain(&value.to_string())).unwrap(), value);
    }

    #[test]
    fn any_text_is_taken(text in any::<String>()) {
        let (_, _, _, safe) = (plain(&text), redact(&text), pretty(&text), safe(&text));
        prop_assert!(safe.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')));
    }
}
