//! Whether the schema of a tool can be one: the shape of its keywords, not what it means.

use serde_json::Value;

/// Deeper schemas are not looked into.
const DEEPEST: usize = 64;
/// More problems of one schema tell nothing new.
const MOST: usize = 5;

const TYPES: [&str; 7] = ["null", "boolean", "object", "array", "number", "string", "integer"];
/// Keywords that hold one schema.
const ONE: [&str; 8] =
    ["additionalProperties", "items", "not", "contains", "propertyNames", "if", "then", "else"];
/// Keywords that hold a list of schemas.
const LIST: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords that hold schemas by name.
const NAMED: [&str; 5] = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const NUMBERS: [&str; 5] = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const COUNTS: [&str; 6] =
    ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"];
const TEXTS: [&str; 6] = ["$schema", "$id", "$ref", "title", "description", "pattern"];

/// What a schema is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Root {
    /// An object, and it must say so.
    Object,
    Any,
}

/// What is wrong, each with its place; nothing, if it can be a schema of that.
pub(super) fn problems(schema: &str, of: Root) -> Vec<String> {
    let Ok(root) = serde_json::from_str::<Value>(schema) else { return vec!["it cannot be read".into()] };
    let mut found = Vec::new();
    match root.get("type") {
        _ if of == Root::Any => {}
        Some(Value::String(kind)) if kind == "object" => {}
        Some(other) => found.push(format!("`type` at its root is {other}, not \"object\"")),
        None => found.push("no `\"type\": \"object\"` at its root".into()),
    }
    look(&root, &root, "", 0, &mut found);
    found.truncate(MOST);
    found
}

fn look(root: &Value, schema: &Value, at: &str, depth: usize, found: &mut Vec<String>) {
    if depth > DEEPEST || found.len() >= MOST {
        return;
    }
    let object = match schema {
        Value::Object(object) => object,
        // True and false are schemas.
        Value::Bool(_) => return,
        other => {
            found.push(format!("{}: {} is no schema", place(at), short(other)));
            return;
        }
    };
    let mut wrong = |keyword: &str, wanted: &str, value: &Value| {
        found.push(format!("{}: `{keyword}` is {}, not {wanted}", place(at), short(value)));
    };
    for (keyword, value) in object {
        let keyword = keyword.as_str();
        match keyword {
            "type" => {
                let known = |value: &Value| value.as_str().is_some_and(|kind| TYPES.contains(&kind));
                let fits = match value {
                    Value::Array(kinds) => !kinds.is_empty() && kinds.iter().all(known),
                    value => known(value),
                };
                if !fits {
                    wrong(keyword, "a type of JSON Schema", value);
                }
            }
            "required" if !is_texts(value) => wrong(keyword, "a list of names", value),
            "enum" if value.as_array().is_none_or(Vec::is_empty) => {
                wrong(keyword, "a list of values", value);
            }
            "$ref" if value.as_str().is_some_and(|target| !resolves(root, target)) => {
                wrong(keyword, "a place in this schema", value);
            }
            _ if TEXTS.contains(&keyword) && !value.is_string() => wrong(keyword, "a text", value),
            _ if NUMBERS.contains(&keyword) && !value.is_number() && !value.is_boolean() => {
                wrong(keyword, "a number", value);
            }
            _ if COUNTS.contains(&keyword) && !value.as_f64().is_some_and(|count| count >= 0.0) => {
                wrong(keyword, "a count", value);
            }
            _ if NAMED.contains(&keyword) && !value.is_object() => {
                wrong(keyword, "an object of schemas", value);
            }
            _ if LIST.contains(&keyword) && value.as_array().is_none_or(Vec::is_empty) => {
                wrong(keyword, "a list of schemas", value);
            }
            _ => {}
        }
    }
    for (keyword, value) in object {
        let inner = format!("{at}/{keyword}");
        match (keyword.as_str(), value) {
            // Before 2020-12 a list of schemas.
            ("items", Value::Array(list)) => {
                for schema in list {
                    look(root, schema, &inner, depth + 1, found);
                }
            }
            (keyword, value) if ONE.contains(&keyword) => look(root, value, &inner, depth + 1, found),
            (keyword, Value::Array(list)) if LIST.contains(&keyword) => {
                for schema in list {
                    look(root, schema, &inner, depth + 1, found);
                }
            }
            (keyword, Value::Object(named)) if NAMED.contains(&keyword) => {
                for (name, schema) in named {
                    look(root, schema, &format!("{inner}/{name}"), depth + 1, found);
                }
            }
            _ => {}
        }
    }
}

fn place(at: &str) -> String {
    if at.is_empty() { "at its root".into() } else { format!("at `{at}`") }
}

fn short(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() > 40 { text.chars().take(40).chain(['…']).collect() } else { text }
}

fn is_texts(value: &Value) -> bool {
    value.as_array().is_some_and(|names| names.iter().all(Value::is_string))
}

/// References to other documents, and to anchors, are not followed.
fn resolves(root: &Value, target: &str) -> bool {
    match target.strip_prefix('#') {
        Some("") => true,
        Some(pointer) if pointer.starts_with('/') => root.pointer(&pointer.replace("%25", "%")).is_some(),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(schema: &str) -> Vec<String> {
        super::problems(schema, Root::Object)
    }

    #[test]
    fn good_schemas_pass() {
        for schema in [
            r#"{"type":"object"}"#,
            r#"{"type":"object","properties":{"a":{"type":["string","null"],"minLength":1},"b":true},"required":["a"],"additionalProperties":false}"#,
            r##"{"type":"object","properties":{"t":{"$ref":"#/$defs/t"},"type":{"const":1}},"$defs":{"t":{"anyOf":[{"type":"integer","minimum":0.5},{"enum":[1]}]}}}"##,
            r##"{"type":"object","properties":{"required":{"type":"boolean"},"items":{"type":"array","items":{"$ref":"#"}}}}"##,
        ] {
            assert_eq!(problems(schema), [""; 0], "{schema}");
        }
    }

    #[test]
    fn bad_ones_are_told_with_the_place() {
        for (schema, expected) in [
            ("{}", "no `\"type\": \"object\"` at its root"),
            (r#"{"type":"array"}"#, "`type` at its root is \"array\""),
            (
                r#"{"type":"object","properties":{"a":{"type":"text"}}}"#,
                "at `/properties/a`: `type` is \"text\"",
            ),
            (r#"{"type":"object","properties":["a"]}"#, "`properties` is [\"a\"], not an object of schemas"),
            (r#"{"type":"object","required":"a"}"#, "`required` is \"a\", not a list of names"),
            (r#"{"type":"object","properties":{"a":5}}"#, "at `/properties/a`: 5 is no schema"),
            (r#"{"type":"object","properties":{"a":{"anyOf":[]}}}"#, "`anyOf` is []"),
            (r##"{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}}}"##, "`$ref` is \"#/$defs/x\""),
            (
                r#"{"type":"object","properties":{"a":{"items":{"minimum":"0"}}}}"#,
                "at `/properties/a/items`: `minimum`",
            ),
        ] {
            let found = problems(schema);
            assert!(found.iter().any(|problem| problem.contains(expected)), "{schema}: {found:?}");
        }
    }

    #[test]
    fn a_result_may_be_anything() {
        assert_eq!(super::problems(r#"{"type":"array"}"#, Root::Any), [""; 0]);
        assert_eq!(super::problems(r#"{"required":5}"#, Root::Any).len(), 1);
    }

    #[test]
    fn a_hostile_schema_costs_little() {
        let deep = format!("{}{{}}{}", r#"{"type":"object","not":"#.repeat(100), "}".repeat(100));
        assert_eq!(problems(&deep), [""; 0]);
        let properties: Vec<_> = (0..1000).map(|n| format!("\"p{n}\":1")).collect();
        let wide = format!(r#"{{"type":"object","properties":{{{}}}}}"#, properties.join(","));
        assert_eq!(problems(&wide).len(), MOST);
    }
}
