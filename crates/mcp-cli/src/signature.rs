//! What a tool takes, in one line.

use mcp_types::{Json, JsonObject, JsonSchema};

/// `a:number [unit:string]`: required ones first, optional ones in brackets.
pub(crate) fn signature(schema: &JsonSchema) -> String {
    let properties: JsonObject =
        schema.keyword("properties").and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let required: Vec<String> =
        schema.keyword("required").and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let is_required = |name: &str| required.iter().any(|other| other == name);
    let shown = |(name, property): (&str, &Json)| match kind(property) {
        Some(kind) => format!("{name}:{kind}"),
        None => name.to_owned(),
    };
    let needed = properties.iter().filter(|(name, _)| is_required(name)).map(shown);
    let others =
        properties.iter().filter(|(name, _)| !is_required(name)).map(shown).map(|other| format!("[{other}]"));
    needed.chain(others).collect::<Vec<_>>().join(" ")
}

fn kind(property: &Json) -> Option<String> {
    let property: JsonObject = property.decode().ok()?;
    let kind = property.get("type")?;
    match kind.as_string() {
        Some(kind) => Some(kind.into_owned()),
        None => kind.decode::<Vec<String>>().ok().map(|kinds| kinds.join("|")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_arguments_come_first() {
        let schema = r#"{"properties":{"unit":{"type":"string"},"a":{"type":["number","null"]},"x":{}},"required":["a"]}"#;
        let schema = JsonSchema::from_text(schema).unwrap();
        assert_eq!(signature(&schema), "a:number|null [unit:string] [x]");
        assert_eq!(signature(&JsonSchema::any_object()), "");
        assert_eq!(signature(&JsonSchema::from_text(r#"{"properties":[],"required":5}"#).unwrap()), "");
    }
}
