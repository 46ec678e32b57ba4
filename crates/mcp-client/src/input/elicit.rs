//! Elicitation: defaults applied, answers validated, URLs checked.

use mcp_types::{
    ElicitAction, ElicitRequestFormParams, ElicitRequestUrlParams, ElicitResult, ElicitationSchema,
    EnumOption, ErrorCode, Json, JsonObject, JsonRpcError, NumberKind, NumberSchema,
    PrimitiveSchemaDefinition, StringSchema, read,
};

use super::format::fits_format;

/// The most members of a form.
const MAX_MEMBERS: usize = 1000;

/// What a form's answer becomes: defaults in place of members that are missing, and checked against the form.
///
/// # Errors
/// When the form cannot be read, or the answer does not fit it.
pub(crate) fn answer_elicitation(
    params: &ElicitRequestFormParams,
    mut answer: ElicitResult,
) -> Result<ElicitResult, JsonRpcError> {
    if answer.action != ElicitAction::Accept {
        // What was entered before a refusal is nobody's business.
        answer.content = None;
        return Ok(answer);
    }
    let form = params.form().map_err(|error| invalid(format!("the form cannot be read: {error}")))?;
    if form.properties.len() > MAX_MEMBERS {
        return Err(invalid(format!("the form has more than {MAX_MEMBERS} members")));
    }
    let mut content = answer.content.take().unwrap_or_default();
    for (name, value) in form.defaults().iter() {
        if content.get(name).is_none() {
            content.insert(name, value.clone());
        }
    }
    validate(&form, &content).map_err(invalid)?;
    answer.content = Some(content);
    Ok(answer)
}

/// Whether a URL may be shown and opened: `https`, or `http` on this machine. Nothing that a shell or another program
/// could take for something else.
///
/// # Errors
/// When it may not.
pub(crate) fn checked_url(params: &ElicitRequestUrlParams) -> Result<(), JsonRpcError> {
    let url = params.url.as_str();
    let odd = |c: char| {
        c.is_control() || c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '`' | '\\' | '|' | '^')
    };
    if url.contains(odd) {
        return Err(invalid("the URL has characters that no URL has"));
    }
    let lower = url.to_ascii_lowercase();
    if lower
        .strip_prefix("https://")
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(['/', '?', '#']))
    {
        return Ok(());
    }
    let local = lower.strip_prefix("http://").is_some_and(|rest| {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = match authority.strip_prefix('[') {
            Some(v6) => v6.split(']').next().unwrap_or_default(),
            None => authority.split(':').next().unwrap_or_default(),
        };
        !authority.contains('@') && matches!(host, "localhost" | "127.0.0.1" | "::1")
    });
    if local { Ok(()) } else { Err(invalid("the scheme of the URL is not allowed")) }
}

fn invalid(why: impl std::fmt::Display) -> JsonRpcError {
    JsonRpcError::new(ErrorCode::INVALID_PARAMS, format!("elicitation: {why}"))
}

fn validate(form: &ElicitationSchema, content: &JsonObject) -> Result<(), String> {
    for name in form.required.iter().flatten() {
        if content.get(name).is_none() {
            return Err(format!("`{name}` is required"));
        }
    }
    for (name, member) in form.properties.iter() {
        if let Some(value) = content.get(name) {
            check_form_member(member, value).map_err(|why| format!("`{name}` {why}"))?;
        }
    }
    Ok(())
}

/// Whether `value` is one of the member of a form: what [`ClientBuilder::on_elicit`](crate::ClientBuilder::on_elicit)
/// checks of every answer. For a user interface that wants to say so before the form is sent.
///
/// # Errors
/// What is wrong, in words that follow on the name of the member: `is too short`. None of them quotes the value.
pub fn check_form_member(member: &PrimitiveSchemaDefinition, value: &Json) -> Result<(), String> {
    match member {
        PrimitiveSchemaDefinition::String(schema) => fits_text(schema, value),
        PrimitiveSchemaDefinition::Number(schema) => fits_number(schema, value),
        PrimitiveSchemaDefinition::Boolean(_) => {
            expect(matches!(value.as_str(), "true" | "false"), "must be true or false")
        }
        PrimitiveSchemaDefinition::UntitledSingleSelect(schema) => one_of(value, schema.values.iter()),
        PrimitiveSchemaDefinition::LegacyTitled(schema) => one_of(value, schema.values.iter()),
        PrimitiveSchemaDefinition::TitledSingleSelect(schema) => one_of(value, values(&schema.one_of)),
        PrimitiveSchemaDefinition::UntitledMultiSelect(schema) => some_of(
            value,
            &schema.items.values.iter().collect::<Vec<_>>(),
            schema.min_items,
            schema.max_items,
        ),
        PrimitiveSchemaDefinition::TitledMultiSelect(schema) => some_of(
            value,
            &values(&schema.items.any_of).collect::<Vec<_>>(),
            schema.min_items,
            schema.max_items,
        ),
        // A kind of member that nobody here knows is the server's to judge.
        _ => Ok(()),
    }
}

fn expect(holds: bool, why: &str) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why.to_owned()) }
}

fn values(options: &[EnumOption]) -> impl Iterator<Item = &String> {
    options.iter().map(|option| &option.value)
}

fn fits_text(schema: &StringSchema, value: &Json) -> Result<(), String> {
    let Some(text) = value.as_string() else { return Err("must be a text".into()) };
    let length = text.chars().count() as u64;
    expect(schema.min_length.is_none_or(|least| length >= least), "is too short")?;
    expect(schema.max_length.is_none_or(|most| length <= most), "is too long")?;
    schema.format.as_ref().map_or(Ok(()), |format| fits_format(format, &text).map_err(str::to_owned))
}

fn fits_number(schema: &NumberSchema, value: &Json) -> Result<(), String> {
    let Ok(number) = read::text::<f64>(value.as_str()) else { return Err("must be a number".into()) };
    let whole = number.fract() == 0.0;
    expect(schema.kind != NumberKind::Integer || whole, "must be a whole number")?;
    expect(schema.minimum.as_ref().is_none_or(|least| number >= least.as_f64()), "is too small")?;
    expect(schema.maximum.as_ref().is_none_or(|most| number <= most.as_f64()), "is too large")
}

fn one_of<'a>(value: &Json, mut allowed: impl Iterator<Item = &'a String>) -> Result<(), String> {
    let text = value.as_string();
    expect(
        text.is_some_and(|text| allowed.any(|value| *value == text)),
        "is not one of the values to choose from",
    )
}

fn some_of(value: &Json, allowed: &[&String], least: Option<u64>, most: Option<u64>) -> Result<(), String> {
    let Ok(chosen) = read::text::<Vec<Json>>(value.as_str()) else { return Err("must be a list".into()) };
    for value in &chosen {
        one_of(value, allowed.iter().copied())?;
    }
    let count = chosen.len() as u64;
    expect(least.is_none_or(|least| count >= least), "has too few values")?;
    expect(most.is_none_or(|most| count <= most), "has too many values")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(schema: &str, content: &str) -> Result<String, String> {
        let schema = serde_json::from_str::<Json>(schema).unwrap();
        let params: ElicitRequestFormParams =
            serde_json::from_str(&format!(r#"{{"message":"m","requestedSchema":{schema}}}"#)).unwrap();
        let content: JsonObject = serde_json::from_str(content).unwrap();
        match answer_elicitation(&params, ElicitResult::accept(content)) {
            Ok(result) => Ok(serde_json::to_string(&result.content).unwrap()),
            Err(error) => Err(error.message),
        }
    }

    #[test]
    fn defaults_fill_what_is_missing_and_nothing_else() {
        let schema = r#"{"type":"object","properties":{
            "a":{"type":"string","default":"x"},"b":{"type":"integer","default":7},"c":{"type":"boolean","default":false},
            "d":{"type":"string","enum":["p","q"],"default":"q"},"e":{"type":"array","items":{"type":"string","enum":["m","n"]},"default":["n"]},
            "f":{"type":"string"}}}"#;
        assert_eq!(
            answered(schema, r#"{"b":9007199254740993}"#).unwrap(),
            r#"{"b":9007199254740993,"a":"x","c":false,"d":"q","e":["n"]}"#
        );
    }

    #[test]
    fn answers_that_do_not_fit_are_refused() {
        let schema =
            |member: &str| format!(r#"{{"type":"object","properties":{{"k":{member}}},"required":["k"]}}"#);
        for (member, bad, good) in [
            (r#"{"type":"string","minLength":2,"maxLength":3}"#, [r#""a""#, r#""abcd""#, "7"], r#""äöü""#),
            (
                r#"{"type":"string","format":"date"}"#,
                [r#""""#, r#""tomorrow""#, "20260728"],
                r#""2026-07-28""#,
            ),
            (r#"{"type":"integer","minimum":1,"maximum":3}"#, ["1.5", "0", "4"], "3"),
            (r#"{"type":"number","minimum":0.5}"#, ["0.25", "true", "null"], "0.5"),
            (r#"{"type":"boolean"}"#, ["0", r#""true""#, "null"], "true"),
            (r#"{"type":"string","enum":["a"],"enumNames":["A"]}"#, [r#""b""#, "1", "null"], r#""a""#),
            (r#"{"type":"string","oneOf":[{"const":"a","title":"A"}]}"#, [r#""A""#, "1", "null"], r#""a""#),
            (
                r#"{"type":"array","items":{"type":"string","enum":["a","b"]},"minItems":1,"maxItems":1}"#,
                ["[]", r#"["a","b"]"#, r#"["c"]"#],
                r#"["b"]"#,
            ),
            (
                r#"{"type":"array","items":{"anyOf":[{"const":"a","title":"A"}]}}"#,
                [r#"["b"]"#, r#""a""#, "[1]"],
                r#"["a"]"#,
            ),
        ] {
            for bad in bad {
                assert!(answered(&schema(member), &format!(r#"{{"k":{bad}}}"#)).is_err(), "{member} {bad}");
            }
            answered(&schema(member), &format!(r#"{{"k":{good}}}"#)).unwrap();
            assert!(answered(&schema(member), "{}").unwrap_err().contains("required"));
        }
    }

    #[test]
    fn a_refusal_carries_no_content() {
        let params = ElicitRequestFormParams::new(
            "m",
            mcp_types::JsonSchema::try_from(Json::from_text("{}").unwrap()).unwrap(),
        );
        let mut refused = ElicitResult::decline();
        refused.content = Some(JsonObject::new());
        assert_eq!(answer_elicitation(&params, refused).unwrap().content, None);
    }

    /// Advisories CVE-2025-6514 and CVE-2025-58444: a scheme allow-list for every URL of a server.
    #[test]
    fn only_web_addresses_are_shown() {
        let checked = |url: &str| checked_url(&ElicitRequestUrlParams::new("m", url)).is_ok();
        for url in [
            "https://example.com/a?b=c#d",
            "HTTPS://EXAMPLE.COM",
            "http://localhost:8080/x",
            "http://127.0.0.1",
            "http://[::1]:9/",
        ] {
            assert!(checked(url), "{url}");
        }
        for url in [
            "http://example.com",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "data:text/html,x",
            "ms-settings:",
            "",
            "https://",
            "https:///x",
            "http://localhost@evil.example/",
            "http://localhost.evil.example",
            "https://a b",
            "https://a\n",
            "-oProxyCommand=x",
            "https://x/\"&calc",
            "http://127.0.0.1.evil.example",
        ] {
            assert!(!checked(url), "{url}");
        }
    }
}
