//! Arguments of a tool, from the command line: `name=value` by the tool's schema, `name:=json`, and whole objects.

use std::{fs, io};

use mcp_types::{Json, JsonObject, JsonSchema};

use crate::failure::Failure;

/// Arguments that were given as a whole. Waits for standard input, where they come from there: so this is for before a
/// connection is made.
///
/// # Errors
/// Usage: what cannot be read, or is no JSON object.
pub(crate) fn whole(source: Option<&str>) -> Result<JsonObject, Failure> {
    match source {
        Some(source) => object(&load(source)?),
        None => Ok(JsonObject::new()),
    }
}

/// The arguments of a call: single ones, put over `whole`.
///
/// # Errors
/// Usage: what is no JSON, or does not fit the type that the schema wants.
pub(crate) fn arguments(
    whole: JsonObject,
    single: &[String],
    schema: Option<&JsonSchema>,
) -> Result<JsonObject, Failure> {
    let mut arguments = whole;
    for argument in single {
        let Some((name, value)) = argument.split_once('=') else {
            return Err(Failure::usage(format!("`{argument}` is neither name=value nor name:=json"))
                .hint("a command that starts the server stands behind `--`"));
        };
        if let Some(name) = name.strip_suffix(':') {
            let json = Json::from_text(value)
                .map_err(|error| Failure::usage(format!("`{name}`: not JSON: {error}")))?;
            arguments.insert(name, json);
        } else {
            let types = schema.map(|schema| wanted(schema, name)).unwrap_or_default();
            let json = read(&types, value).map_err(|why| {
                Failure::usage(format!("`{name}`: {why}")).hint("`name:=json` is sent as it stands")
            })?;
            arguments.insert(name, json);
        }
    }
    Ok(arguments)
}

/// `name=value` pairs whose values are texts.
pub(crate) fn texts(pairs: &[String]) -> Result<Vec<(String, String)>, Failure> {
    pairs
        .iter()
        .map(|pair| match pair.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => Err(Failure::usage(format!("`{pair}` is not name=value"))
                .hint("a command that starts the server stands behind `--`")),
        })
        .collect()
}

fn load(source: &str) -> Result<String, Failure> {
    let read = match source.strip_prefix('@') {
        Some(path) => fs::read_to_string(path).map_err(|error| format!("{path}: {error}")),
        None if source == "-" => {
            io::read_to_string(io::stdin()).map_err(|error| format!("standard input: {error}"))
        }
        None => Ok(source.to_owned()),
    };
    read.map_err(|error| Failure::usage(format!("--args: {error}")))
}

fn object(text: &str) -> Result<JsonObject, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::usage(format!("--args: not a JSON object: {error}")))
}

/// The types that a schema allows for its property `name`, as far as it says so plainly.
fn wanted(schema: &JsonSchema, name: &str) -> Vec<String> {
    let property = || {
        let properties: JsonObject = serde_json::from_str(schema.keyword("properties")?).ok()?;
        properties.get(name)?.decode().ok()
    };
    property().map(|property| types(schema, &property, 0)).unwrap_or_default()
}

/// Reads a value as one of `types`; as text where there are none.
fn read(types: &[String], value: &str) -> Result<Json, String> {
    let wants = |kind: &str| types.iter().any(|wanted| wanted == kind);
    let json = Json::from_text(value.trim()).ok();
    let is = |kind: &str| json.as_ref().is_some_and(|json| kind_of(json) == kind);
    let fits = (wants("integer") && is("number") && !value.contains(['.', 'e', 'E']))
        || (wants("number") && is("number"))
        || ["boolean", "null", "array", "object"].iter().any(|kind| wants(kind) && is(kind));
    match json {
        Some(json) if fits => Ok(json),
        _ if wants("string") || types.is_empty() => Ok(value.into()),
        _ => Err(format!("{value:?} is not of the type that the tool wants: {}", types.join(" or "))),
    }
}

/// From `type`; where there is none from what it refers to, its alternatives, or its values.
fn types(root: &JsonSchema, schema: &JsonObject, depth: usize) -> Vec<String> {
    /// Deeper ones are for `name:=json`.
    const DEEPEST: usize = 8;
    if depth > DEEPEST {
        return Vec::new();
    }
    if let Some(kind) = schema.get("type") {
        return match kind.as_string() {
            Some(kind) => vec![kind.into_owned()],
            None => kind.decode().unwrap_or_default(),
        };
    }
    if let Some(target) = schema.get("$ref").and_then(Json::as_string) {
        return referred(root, &target).map(|target| types(root, &target, depth + 1)).unwrap_or_default();
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        if let Some(options) = schema.get(keyword).and_then(|json| json.decode::<Vec<JsonObject>>().ok()) {
            let allowed: Vec<_> = options.iter().map(|option| types(root, option, depth + 1)).collect();
            // One that may be anything: then a text may be one too.
            return if allowed.iter().any(Vec::is_empty) { Vec::new() } else { allowed.concat() };
        }
    }
    let values: Vec<Json> = match (schema.get("enum"), schema.get("const")) {
        (Some(values), _) => values.decode().unwrap_or_default(),
        (None, Some(value)) => vec![value.clone()],
        (None, None) => Vec::new(),
    };
    values.iter().map(|value| kind_of(value).to_owned()).collect()
}

/// `#/$defs/Name`, as generators of schemas write it.
fn referred(root: &JsonSchema, target: &str) -> Option<JsonObject> {
    let (keyword, name) = target.strip_prefix("#/")?.split_once('/')?;
    let named: JsonObject = serde_json::from_str(root.keyword(keyword)?).ok()?;
    named.get(name)?.decode().ok()
}

fn kind_of(json: &Json) -> &'static str {
    match json.as_str().as_bytes().first() {
        Some(b'"') => "string",
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b't' | b'f') => "boolean",
        Some(b'n') => "null",
        _ => "number",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema() -> JsonSchema {
        JsonSchema::from_text(
            r##"{"type":"object","properties":{"i":{"type":"integer"},"n":{"type":"number"},"s":{"type":"string"},
            "b":{"type":"boolean"},"l":{"type":"array"},"o":{"type":"object"},"sn":{"type":["string","null"]},
            "in":{"type":["integer","null"]},"any":{"anyOf":[{"type":"number"},{"type":"boolean"}]},"x":true,
            "e":{"enum":[1,2]},"r":{"$ref":"#/$defs/model"},"ring":{"$ref":"#/$defs/ring"},"all":{"allOf":[{"$ref":"#/$defs/level"}]},"mixed":{"oneOf":[{"type":"number"},{}]},"sint":{"type":["string","integer"]}},
            "$defs":{"model":{"type":"object"},"level":{"enum":["low","high"]},"ring":{"$ref":"#/$defs/ring"}}}"##,
        )
        .unwrap()
    }

    fn one(argument: &str) -> Result<String, String> {
        arguments(JsonObject::new(), &[argument.to_owned()], Some(&schema()))
            .map(|arguments| Json::from(arguments).to_string())
            .map_err(|failure| failure.message)
    }

    #[test]
    fn a_value_is_read_by_the_schema() {
        for (argument, expected) in [
            ("i=2", r#"{"i":2}"#),
            ("i=9007199254740993", r#"{"i":9007199254740993}"#),
            ("n=1.50", r#"{"n":1.50}"#),
            ("s=2", r#"{"s":"2"}"#),
            ("s=a=b", r#"{"s":"a=b"}"#),
            ("s=", r#"{"s":""}"#),
            ("b=true", r#"{"b":true}"#),
            ("l=[1,2]", r#"{"l":[1,2]}"#),
            (r#"o={"a":1}"#, r#"{"o":{"a":1}}"#),
            ("sn=null", r#"{"sn":null}"#),
            ("sn=x", r#"{"sn":"x"}"#),
            ("any=true", r#"{"any":true}"#),
            ("x=1", r#"{"x":"1"}"#),
            ("unknown=1", r#"{"unknown":"1"}"#),
            ("e=2", r#"{"e":2}"#),
            ("mixed=a", r#"{"mixed":"a"}"#),
            ("sint=7", r#"{"sint":7}"#),
            (r#"r={"a":1}"#, r#"{"r":{"a":1}}"#),
            ("ring=x", r#"{"ring":"x"}"#),
            ("all=low", r#"{"all":"low"}"#),
            ("s:=7", r#"{"s":7}"#),
            (r#"s:={"deep":[1]}"#, r#"{"s":{"deep":[1]}}"#),
        ] {
            assert_eq!(one(argument).as_deref(), Ok(expected), "{argument}");
        }
    }

    #[test]
    fn what_does_not_fit_is_refused_before_it_is_sent() {
        for argument in ["i=two", "i=1.5", "n=true", "b=1", "l={}", "in=x", "any=x", "s:=x", "plain"] {
            assert!(one(argument).is_err(), "{argument}");
        }
        assert!(one("i=two").unwrap_err().contains("integer"));
    }

    #[test]
    fn single_arguments_are_put_over_the_whole() {
        let single = ["a=1".to_owned(), "c:=null".to_owned()];
        let given = whole(Some(r#"{"a":0,"b":2}"#)).unwrap();
        let arguments = arguments(given, &single, None).unwrap();
        assert_eq!(Json::from(arguments).as_str(), r#"{"a":"1","b":2,"c":null}"#);
        for bad in ["[]", "{", "@/no/such/file"] {
            assert!(whole(Some(bad)).is_err(), "{bad}");
        }
    }
}
