//! Round trips with a stand-in for the program of mcp-types.

use super::*;
use crate::{
    command::Failure,
    schema::{examples, json::Json, spec::Example},
};

const SCHEMA: &str = r##"
    "Block": {"anyOf": [{"$ref": "#/$defs/Text"}]},
    "Text": {"type": "object", "properties": {"type": {"const": "text"}, "text": {"type": "string"}}, "required": ["type", "text"]},
    "Level": {"type": "string", "enum": ["low"]},
    "Result": {"type": "object", "properties": {"blocks": {"type": "array", "items": {"$ref": "#/$defs/Block"}},
        "level": {"$ref": "#/$defs/Level"}, "count": {"type": "number"}, "open": {"type": "object"}}, "required": ["blocks"]}"##;

const EXAMPLE: &str = r#"{"blocks":[{"type":"text","text":"a"}],"level":"low","count":1.0,"open":{"z":9007199254740993,"a":[]}}"#;

fn inventory() -> Inventory {
    Rust::default()
        .ty("Block", r#"{"union":[["text","Text"]],"key":"type"}"#)
        .ty("Text", &object(&[constant("type", "text"), required("text", "String")]))
        .ty("Level", r#"{"enum":["low"]}"#)
        .ty(
            "Result",
            &object(&[
                required("blocks", "List<Block>"),
                optional("level", "Level"),
                optional("count", "f64"),
                optional("open", "JsonObject"),
            ]),
        )
        .inventory()
}

/// What is found when each value comes back changed so.
fn found(example: &str, back: impl Fn(&str) -> String) -> Vec<String> {
    let document = Document::parse(Revision::LATEST, &format!(r#"{{"$defs":{{{SCHEMA}}}}}"#)).unwrap();
    let example = Example {
        definition: "Result".to_string(),
        file: "plain".to_string(),
        json: Json::parse(example).unwrap(),
    };
    let answer = |lines: &str| -> Result<String, Failure> {
        let line = |line: &str| {
            let json = line.strip_prefix("value Result\t").unwrap();
            format!("{}\n", back(json))
        };
        Ok(lines.lines().map(line).collect())
    };
    let outcome = examples::check(&inventory(), &document, &[example], answer).unwrap();
    outcome.findings.into_iter().map(|finding| finding.problem).collect()
}

fn ok(json: impl std::fmt::Display) -> String {
    format!("ok\t{json}")
}

/// A type that keeps everything.
#[test]
fn what_comes_back_as_it_was_passes() {
    let problems = found(EXAMPLE, |json| ok(without_nulls(json)));
    assert_eq!(problems, [""; 0]);
}

fn without_nulls(json: &str) -> Json {
    let Json::Object(mut members) = Json::parse(json).unwrap() else { panic!("{json}") };
    members.retain(|(_, value)| *value != Json::Null);
    Json::Object(members)
}

#[test]
fn every_variation_is_sent() {
    let sent = std::cell::RefCell::new(Vec::new());
    found(EXAMPLE, |json| {
        sent.borrow_mut().push(json.to_string());
        ok(json)
    });
    let sent = sent.into_inner();
    assert_eq!(sent.len(), 6, "{sent:#?}");
    assert_eq!(sent[0], EXAMPLE);
    assert!(
        sent[1].matches("x-unknown-first").count() == 3 && sent[1].matches("x-unknown-last").count() == 3
    );
    assert!(sent[2].contains(r#""level":"x-unknown""#));
    assert!(sent[3].contains(r#"{"type":"x-unknown","text":"a"}"#));
    assert!(sent[4].contains(r#""level":null"#) && sent[4].contains(r#""open":null"#));
    assert!(sent[5].starts_with(r#"{"open":{"a":[],"z":9007199254740993}"#));
}

#[test]
fn null_is_given_for_members_that_are_not_there() {
    let problems = found(r#"{"blocks":[]}"#, |json| ok(json));
    assert!(problems.iter().all(|problem| problem.contains("null was kept")), "{problems:?}");
    assert_eq!(problems.len(), 1);
}

#[test]
fn what_is_lost_changed_or_invented_is_found() {
    for (from, to, why) in [
        (r#","level":"low""#, "", ".level: \"low\" is lost"),
        (r#""level":"low""#, r#""level":"high""#, ".level: \"low\" became \"high\""),
        (r#"{"type":"text","text":"a"}"#, "", "1 elements became 0"),
        (r#""text":"a"}"#, r#""text":"a","more":1}"#, ".blocks[0].more: 1 comes from nowhere"),
        ("9007199254740993", "9007199254740992", ".open: "),
        (r#"{"z":9007199254740993,"a":[]}"#, r#"{"a":[],"z":9007199254740993}"#, ".open: "),
        ("1.0", "2", ".count: 1.0 became 2"),
    ] {
        let problems = found(EXAMPLE, |json| {
            ok(if json == EXAMPLE { json.replace(from, to) } else { without_nulls(json).to_string() })
        });
        assert_eq!(problems.len(), 1, "{from}: {problems:?}");
        assert!(problems[0].starts_with("as it is: ") && problems[0].contains(why), "{problems:?}");
    }
}

#[test]
fn a_number_may_be_written_in_another_way_and_members_in_another_order() {
    let problems = found(EXAMPLE, |json| {
        let json = without_nulls(json).to_string().replace("\"count\":1.0", "\"count\":1");
        ok(json.replace(r#"{"type":"text","text":"a"}"#, r#"{"text":"a","type":"text"}"#))
    });
    assert_eq!(problems, [""; 0]);
}

#[test]
fn a_struct_may_lose_unknown_members_and_open_json_may_not() {
    let unknown = r#""x-unknown-first":{"z":9007199254740993,"a":[1.50,null,{"y":"","b":1e2}]},"#;
    let problems = found(EXAMPLE, |json| ok(without_nulls(json).to_string().replace(unknown, "")));
    assert_eq!(problems.len(), 1);
    assert!(problems[0].starts_with("with unknown members: .open: "), "{problems:?}");
    let json = EXAMPLE.replace("\"level\"", "\"levels\"");
    let problems = found(&json, |json| ok(without_nulls(json).to_string().replace(r#""levels":"low","#, "")));
    assert!(problems.contains(&"as it is: .levels: is lost".to_string()), "{problems:?}");
}

#[test]
fn a_refusal_tells_the_reason() {
    let problems = found(EXAMPLE, |_| "error\tno such thing".to_string());
    assert!(problems.iter().all(|problem| problem.contains("refused, no such thing: {")), "{problems:?}");
}

#[test]
fn an_example_without_a_type_is_found() {
    let document = Document::parse(Revision::LATEST, r#"{"$defs":{"Other":{"type":"object"}}}"#).unwrap();
    let example = |definition: &str| Example {
        definition: definition.to_string(),
        file: "plain".to_string(),
        json: Json::Object(Vec::new()),
    };
    let examples = [example("Other"), example("Nowhere")];
    let outcome = examples::check(&inventory(), &document, &examples, |lines| Ok(lines.to_string())).unwrap();
    let places: Vec<_> = outcome.findings.iter().map(in_short).collect();
    assert_eq!(places, ["Other/plain example", "Nowhere/plain example"]);
}

#[test]
fn answers_must_be_as_many_as_questions() {
    let document = Document::parse(Revision::LATEST, &format!(r#"{{"$defs":{{{SCHEMA}}}}}"#)).unwrap();
    let example = Example {
        definition: "Result".to_string(),
        file: "plain".to_string(),
        json: Json::parse(EXAMPLE).unwrap(),
    };
    let failure = examples::check(&inventory(), &document, &[example], |_| Ok(String::new())).unwrap_err();
    assert!(failure.to_string().contains("came back"), "{failure}");
}
