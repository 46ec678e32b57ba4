//! Patterns that JSON is compared with.
//!
//! An object asks for its members and allows others; an array asks for its elements, in number and order; anything else
//! asks for itself. An object with one of these members asks for something else instead:
//!
//! | | |
//! |---|---|
//! | `{"$any": true}` | anything, so long as it is there |
//! | `{"$contains": "…"}` | a text with this in it |
//! | `{"$starts": "…"}` | a text that begins so |
//! | `{"$json": …}` | a text that is JSON and fits the inner pattern |
//! | `{"$has": [ … ]}` | an array with an element for each of these patterns |

use serde_json::Value;

/// Why `value` does not fit `pattern`; with the place, as far as there is one.
pub(crate) fn fits(pattern: &Value, value: &Value) -> Result<(), String> {
    at(pattern, value, "")
}

fn at(pattern: &Value, value: &Value, place: &str) -> Result<(), String> {
    let differs = || Err(format!("{}expected {pattern}, came {value}", named(place)));
    match pattern {
        Value::Object(members) => {
            if let Some((name, inner)) = members.iter().next().filter(|(name, _)| name.starts_with('$')) {
                return special(name, inner, value, place).unwrap_or_else(differs);
            }
            let Value::Object(actual) = value else { return differs() };
            members.iter().try_for_each(|(name, inner)| match actual.get(name) {
                Some(value) => at(inner, value, &format!("{place}.{name}")),
                None => Err(format!("{}no member `{name}` in {value}", named(place))),
            })
        }
        Value::Array(items) => match value {
            Value::Array(actual) if actual.len() == items.len() => items
                .iter()
                .zip(actual)
                .enumerate()
                .try_for_each(|(index, (item, value))| at(item, value, &format!("{place}[{index}]"))),
            _ => differs(),
        },
        Value::Number(expected) => match value {
            // 5 and 5.0 are one number in JSON.
            Value::Number(actual) if expected == actual || expected.as_f64() == actual.as_f64() => Ok(()),
            _ => differs(),
        },
        _ if pattern == value => Ok(()),
        _ => differs(),
    }
}

/// `None`: it differs.
fn special(name: &str, inner: &Value, value: &Value, place: &str) -> Option<Result<(), String>> {
    let holds = match name {
        "$any" => true,
        "$contains" => value.as_str()?.contains(inner.as_str()?),
        "$starts" => value.as_str()?.starts_with(inner.as_str()?),
        "$json" => {
            let parsed: Value = serde_json::from_str(value.as_str()?).ok()?;
            return Some(at(inner, &parsed, &format!("{place}(json)")));
        }
        "$has" => {
            let actual = value.as_array()?;
            inner.as_array()?.iter().all(|item| actual.iter().any(|value| fits(item, value).is_ok()))
        }
        _ => return Some(Err(format!("no pattern is called `{name}`"))),
    };
    holds.then_some(Ok(()))
}

/// The place before what is said of it; nothing for the whole.
fn named(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("{}: ", place.trim_start_matches('.')) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_pattern_asks_for() {
        let value = json!({"a": [1, {"b": "text", "more": null}], "n": 5.0, "j": "{\"sum\": 5}"});
        for pattern in [
            json!({}),
            json!({"n": 5}),
            json!({"a": [1, {"b": "text"}]}),
            json!({"a": [{"$any": true}, {"b": {"$contains": "ex"}}]}),
            json!({"a": {"$has": [{"b": {"$starts": "te"}}]}}),
            json!({"j": {"$json": {"sum": 5}}}),
        ] {
            assert_eq!(fits(&pattern, &value), Ok(()), "{pattern}");
        }
        for pattern in [
            json!({"n": 6}),
            json!({"n": "5"}),
            json!({"a": [1]}),
            json!({"a": {"$has": [2]}}),
            json!({"missing": {"$any": true}}),
            json!({"a": [1, {"b": {"$starts": "ex"}}]}),
            json!({"j": {"$json": {"sum": 6}}}),
            json!({"j": {"$typo": 1}}),
        ] {
            assert!(fits(&pattern, &value).is_err(), "{pattern}");
        }
    }

    #[test]
    fn a_difference_is_named_by_its_place() {
        let why = fits(&json!({"a": [{"b": 1}]}), &json!({"a": [{"b": 2}]})).unwrap_err();
        assert_eq!(why, "a[0].b: expected 1, came 2");
    }
}
