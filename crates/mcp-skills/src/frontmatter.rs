//! The front matter of a `SKILL.md` against that of the entry.

use std::collections::BTreeSet;

use mcp_types::extensions::skills::SkillFrontmatter;
use serde_json::Value as Json;

use crate::yaml::{self, Value};

const FENCE: &str = "---";

/// Whether the front matter at the beginning of `text` is, member by member, the one of the entry.
///
/// # Errors
/// Where they differ, or why there is none.
pub(crate) fn verify(text: &str, entry: &SkillFrontmatter) -> Result<(), String> {
    let Value::Map(members) = yaml::parse(block(text)?)? else {
        return Err("it has no members".to_owned());
    };
    let mut seen = BTreeSet::new();
    for (key, json) in entry.members().iter() {
        if !seen.insert(key) {
            return Err(format!("the entry has {key:?} twice"));
        }
        let value = members.get(key).ok_or_else(|| format!("{key:?} is not in SKILL.md"))?;
        let json: Json = json.decode().map_err(|error| format!("{key:?} of the entry: {error}"))?;
        same(value, &json, key)?;
    }
    match members.keys().find(|key| !seen.contains(key.as_str())) {
        Some(key) => Err(format!("{key:?} is not in the entry")),
        None => Ok(()),
    }
}

/// The text between the fences.
fn block(text: &str) -> Result<&str, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let is_fence = |line: &str| line.trim_end() == FENCE;
    let Some(first) = lines.next().filter(|line| is_fence(line)) else {
        return Err(format!("SKILL.md does not begin with `{FENCE}`"));
    };
    let mut end = first.len();
    for line in lines {
        if is_fence(line) {
            return Ok(&text[first.len()..end]);
        }
        end += line.len();
    }
    Err(format!("no second `{FENCE}` ends it"))
}

fn same(yaml: &Value, json: &Json, path: &str) -> Result<(), String> {
    let is_same = match (yaml, json) {
        (Value::Null, Json::Null) => true,
        (Value::Bool(yaml), Json::Bool(json)) => yaml == json,
        (Value::Text(yaml), Json::String(json)) => yaml == json,
        (Value::Int(_) | Value::Float(_), Json::Number(json)) => same_number(yaml, json),
        (Value::List(yaml), Json::Array(json)) if yaml.len() == json.len() => {
            for (index, (yaml, json)) in yaml.iter().zip(json).enumerate() {
                same(yaml, json, &format!("{path}[{index}]"))?;
            }
            true
        }
        (Value::Map(yaml), Json::Object(json)) if yaml.len() == json.len() => {
            for (key, yaml) in yaml {
                let path = format!("{path}.{key}");
                same(yaml, json.get(key).ok_or_else(|| format!("{path:?} is not in the entry"))?, &path)?;
            }
            true
        }
        _ => false,
    };
    if is_same { Ok(()) } else { Err(format!("{path:?} differs")) }
}

/// Whole numbers to the last digit; others as they are read, since servers write them out of such a number. A server may
/// also write `1` for `1.0`.
fn same_number(yaml: &Value, json: &serde_json::Number) -> bool {
    let whole = json.as_i64().map(i128::from).or_else(|| json.as_u64().map(i128::from));
    match (yaml, whole) {
        (Value::Int(yaml), Some(json)) => *yaml == json,
        (Value::Int(yaml), None) => json.as_f64() == yaml.to_string().parse().ok(),
        (Value::Float(yaml), _) => json.as_f64() == Some(*yaml),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(json: &str) -> SkillFrontmatter {
        serde_json::from_str(json).unwrap()
    }

    const JSON: &str = r#"{"name":"a","description":"A: \"b\"","license":"MIT",
        "metadata":{"version":"1.0","count":3,"ratio":1.5,"tags":["x",null,true],"whole":1}}"#;
    const MD: &str = "---\nname: a\nmetadata:\n  version: \"1.0\"\n  count: 3\n  ratio: 1.50\n  tags: [x, ~, true]\n  \
                      whole: 1.0\ndescription: 'A: \"b\"'\nlicense: MIT\n---\n\nBody\n---\n";

    #[test]
    fn the_same_members_in_any_order_and_notation_are_the_same() {
        assert_eq!(verify(MD, &entry(JSON)), Ok(()));
        assert_eq!(verify(&MD.replace('\n', "\r\n"), &entry(JSON)), Ok(()));
        assert_eq!(verify(&format!("\u{feff}{MD}"), &entry(JSON)), Ok(()));
        assert_eq!(verify("---\nname: a\ndescription: A\n---", &SkillFrontmatter::new("a", "A")), Ok(()));
    }

    #[test]
    fn every_difference_is_found_and_named() {
        for (from, to, part) in [
            ("name: a\n", "name: b\n", "name"),
            ("license: MIT\n", "", "\"license\" is not in SKILL.md"),
            (
                "license: MIT\n",
                "license: MIT\nallowed-tools: Bash\n",
                "\"allowed-tools\" is not in the entry",
            ),
            ("count: 3", "count: 4", "metadata.count"),
            ("count: 3", "count: '3'", "metadata.count"),
            ("count: 3", "other: 3", "metadata.other"),
            ("  count: 3\n", "", "metadata"),
            ("ratio: 1.50", "ratio: 1.51", "metadata.ratio"),
            ("[x, ~, true]", "[x, ~, false]", "metadata.tags[2]"),
            ("[x, ~, true]", "[x, ~]", "metadata.tags"),
            ("version: \"1.0\"", "version: 1.0", "metadata.version"),
        ] {
            let text = MD.replace(from, to);
            assert_ne!(text, MD, "{from}");
            let why = verify(&text, &entry(JSON)).unwrap_err();
            assert!(why.contains(part), "{to}: {why}");
        }
    }

    #[test]
    fn whole_numbers_are_compared_to_the_last_digit() {
        let entry = entry(r#"{"name":"a","description":"A","n":9007199254740993}"#);
        let md = |n: &str| format!("---\nname: a\ndescription: A\nn: {n}\n---\n");
        assert_eq!(verify(&md("9007199254740993"), &entry), Ok(()));
        assert!(verify(&md("9007199254740992"), &entry).is_err());
    }

    #[test]
    fn a_file_without_a_whole_front_matter_fails() {
        for text in
            ["", "# A", "name: a", " ---\nname: a\n---\n", "---\nname: a\n", "---\n---\n", "---\n- a\n---\n"]
        {
            assert!(verify(text, &SkillFrontmatter::new("a", "A")).is_err(), "{text:?}");
        }
        let twice = entry(r#"{"name":"a","description":"A","x":1,"x":2}"#);
        assert!(verify("---\nname: a\ndescription: A\nx: 1\n---\n", &twice).unwrap_err().contains("twice"));
    }
}
