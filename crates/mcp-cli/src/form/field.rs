//! One member of a form: how it is asked for, and what a line means.

use mcp_client::check_form_member;
use mcp_types::{EnumOption, Json, NumberKind, PrimitiveSchemaDefinition};

use crate::console::{safe, safe_line};

/// The question, one choice a line, ending without a line break.
pub(super) fn question(name: &str, member: &PrimitiveSchemaDefinition, is_required: bool) -> String {
    let mut question = String::from("  ");
    question += &safe_line(member.title().unwrap_or(name));
    if let Some(description) = member.description() {
        question += &format!(" – {}", safe_line(description));
    }
    let choices = choices(member);
    for (number, (value, title)) in choices.iter().enumerate() {
        let title = if title == value { String::new() } else { format!(" ({})", safe_line(title)) };
        question += &format!("\n    {} {}{title}", number + 1, safe_line(value));
    }
    let mut notes = Vec::new();
    match member {
        PrimitiveSchemaDefinition::Boolean(_) => notes.push("y or n".to_owned()),
        PrimitiveSchemaDefinition::Number(schema) if schema.kind == NumberKind::Integer => {
            notes.push("a whole number".to_owned());
        }
        PrimitiveSchemaDefinition::Number(_) => notes.push("a number".to_owned()),
        PrimitiveSchemaDefinition::UntitledMultiSelect(_)
        | PrimitiveSchemaDefinition::TitledMultiSelect(_) => {
            notes.push("several, with commas".to_owned());
        }
        PrimitiveSchemaDefinition::Unknown(_) => notes.push("as JSON".to_owned()),
        _ => {}
    }
    match member.default_value() {
        Some(default) => notes.push(format!(
            "[{}]",
            default.as_string().map_or_else(|| safe(default.as_str()), |text| safe_line(&text))
        )),
        None if !is_required => notes.push("[none]".to_owned()),
        None => {}
    }
    let notes = if notes.is_empty() { String::new() } else { format!(" {}", notes.join(" ")) };
    if choices.is_empty() { format!("{question}{notes}: ") } else { format!("{question}\n   {notes}: ") }
}

/// What the line means for the member; `None` when it is left out.
///
/// # Errors
/// In words, why the line is no value of it.
pub(super) fn read(
    member: &PrimitiveSchemaDefinition,
    is_required: bool,
    line: &str,
) -> Result<Option<Json>, String> {
    let text = line.trim();
    if text.is_empty() {
        return match member.default_value() {
            Some(default) => Ok(Some(default)),
            None if is_required => Err("This one is required.".into()),
            None => Ok(None),
        };
    }
    let value = match member {
        PrimitiveSchemaDefinition::String(_) => Ok(text.into()),
        PrimitiveSchemaDefinition::Number(_) => read_number(text),
        PrimitiveSchemaDefinition::Boolean(_) => match text.to_lowercase().as_str() {
            "y" | "yes" | "true" => Ok(true.into()),
            "n" | "no" | "false" => Ok(false.into()),
            _ => Err("Answer y or n.".into()),
        },
        PrimitiveSchemaDefinition::UntitledMultiSelect(_)
        | PrimitiveSchemaDefinition::TitledMultiSelect(_) => {
            let choices = choices(member);
            let chosen: Result<Vec<_>, _> = text
                .split(',')
                .map(str::trim)
                .filter(|part| !part.is_empty())
                .map(|part| choose(&choices, part))
                .collect();
            Json::encode(&chosen?).map_err(|error| error.to_string())
        }
        PrimitiveSchemaDefinition::Unknown(_) => {
            Json::from_text(text).map_err(|error| format!("That is no JSON: {error}"))
        }
        _ => choose(&choices(member), text).map(Json::from),
    }?;
    check_form_member(member, &value).map_err(|why| format!("What you entered {why}."))?;
    Ok(Some(value))
}

fn read_number(text: &str) -> Result<Json, String> {
    let json =
        Json::from_text(text).ok().filter(|_| text.starts_with(|c: char| c == '-' || c.is_ascii_digit()));
    json.ok_or_else(|| "That is no number.".into())
}

/// Values and their titles.
fn choices(member: &PrimitiveSchemaDefinition) -> Vec<(String, String)> {
    let plain = |values: &[String]| values.iter().map(|value| (value.clone(), value.clone())).collect();
    let titled = |options: &[EnumOption]| {
        options.iter().map(|option| (option.value.clone(), option.title.clone())).collect()
    };
    match member {
        PrimitiveSchemaDefinition::UntitledSingleSelect(schema) => plain(&schema.values),
        PrimitiveSchemaDefinition::UntitledMultiSelect(schema) => plain(&schema.items.values),
        PrimitiveSchemaDefinition::TitledSingleSelect(schema) => titled(&schema.one_of),
        PrimitiveSchemaDefinition::TitledMultiSelect(schema) => titled(&schema.items.any_of),
        PrimitiveSchemaDefinition::LegacyTitled(schema) => {
            let names = schema.enum_names.as_deref().unwrap_or_default();
            let title = |at: usize, value: &String| names.get(at).unwrap_or(value).clone();
            schema.values.iter().enumerate().map(|(at, value)| (value.clone(), title(at, value))).collect()
        }
        _ => Vec::new(),
    }
}

/// By value, by title, or else by number.
fn choose(choices: &[(String, String)], text: &str) -> Result<String, String> {
    let named = choices.iter().find(|(value, title)| value == text || title == text);
    let numbered = || text.parse::<usize>().ok().and_then(|number| choices.get(number.checked_sub(1)?));
    named
        .or_else(numbered)
        .map(|(value, _)| value.clone())
        .ok_or_else(|| format!("{} is none of the choices.", safe_line(text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(schema: &str) -> PrimitiveSchemaDefinition {
        serde_json::from_str(schema).unwrap()
    }

    fn read(schema: &str, line: &str) -> Result<Option<String>, String> {
        super::read(&member(schema), true, line).map(|value| value.map(|json| json.to_string()))
    }

    #[test]
    fn a_line_is_read_as_the_member_wants() {
        for (schema, line, expected) in [
            (r#"{"type":"string"}"#, " Ada ", r#""Ada""#),
            (r#"{"type":"string","default":"x"}"#, "", r#""x""#),
            (r#"{"type":"integer"}"#, "9007199254740993", "9007199254740993"),
            (r#"{"type":"number"}"#, "-1.50", "-1.50"),
            (r#"{"type":"boolean"}"#, "Yes", "true"),
            (r#"{"type":"string","enum":["a","b"]}"#, "2", r#""b""#),
            (r#"{"type":"string","enum":["2","b"]}"#, "2", r#""2""#),
            (r#"{"type":"string","oneOf":[{"const":"a","title":"Alpha"}]}"#, "Alpha", r#""a""#),
            (r#"{"type":"array","items":{"type":"string","enum":["a","b","c"]}}"#, "1, c", r#"["a","c"]"#),
            (r#"{"type":"file"}"#, r#"{"x":1}"#, r#"{"x":1}"#),
        ] {
            assert_eq!(read(schema, line), Ok(Some(expected.into())), "{schema} {line}");
        }
        assert_eq!(super::read(&member(r#"{"type":"string"}"#), false, " "), Ok(None));
    }

    #[test]
    fn what_does_not_fit_is_said_in_words() {
        for (schema, line) in [
            (r#"{"type":"string"}"#, ""),
            (r#"{"type":"string","minLength":3}"#, "ab"),
            (r#"{"type":"string","maxLength":1}"#, "ab"),
            (r#"{"type":"integer"}"#, "1.5"),
            (r#"{"type":"integer","maximum":5}"#, "6"),
            (r#"{"type":"string","format":"email"}"#, "nobody"),
            (r#"{"type":"array","minItems":2,"items":{"type":"string","enum":["a","b"]}}"#, "a"),
            (r#"{"type":"number"}"#, "one"),
            (r#"{"type":"number"}"#, "null"),
            (r#"{"type":"boolean"}"#, "maybe"),
            (r#"{"type":"string","enum":["a"]}"#, "2"),
            (r#"{"type":"string","enum":["a"]}"#, "0"),
            (r#"{"type":"array","items":{"type":"string","enum":["a"]}}"#, "a,b"),
            (r#"{"type":"file"}"#, "{"),
        ] {
            assert!(read(schema, line).is_err(), "{schema} {line}");
        }
    }

    #[test]
    fn a_question_cannot_command_the_terminal() {
        let question = question(
            "n",
            &member("{\"type\":\"string\",\"title\":\"\\u001b[2JName\",\"enum\":[\"a\\u0007\"]}"),
            true,
        );
        assert!(!question.contains(['\u{1b}', '\u{7}']), "{question:?}");
        assert!(question.contains("\n    1 a\\u{7}"), "{question}");
    }
}
