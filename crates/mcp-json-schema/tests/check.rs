//! Values against schemas of servers that are not trusted.

use std::time::{Duration, Instant};

use mcp_json_schema::{Problem, Validator, limits};
use mcp_types::{Json, JsonSchema};

fn check(schema: &str, value: &str) -> Result<(), Problem> {
    let schema = JsonSchema::from_text(schema).unwrap();
    Validator::default().check(&schema, &Json::from_text(value).unwrap())
}

#[test]
fn values_are_held_to_their_schema() {
    for (schema, good, bad) in [
        (r#"{"type":"object","required":["a"]}"#, r#"{"a":1}"#, "{}"),
        (r#"{"type":"array","items":{"type":"integer"}}"#, "[1,2]", r#"[1,"2"]"#),
        (r#"{"type":"integer","maximum":9007199254740993}"#, "9007199254740993", "9007199254740994"),
        (r#"{"type":["string","null"]}"#, "null", "1"),
        (r#"{"prefixItems":[{"type":"string"}]}"#, r#"["a"]"#, "[1]"),
        (
            r#"{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}]}"#,
            r#"["a"]"#,
            "[1]",
        ),
        (r##"{"$ref":"#/$defs/n","$defs":{"n":{"type":"number"}}}"##, "1", "true"),
        (r#"{"pattern":"^(?!no)"}"#, r#""yes""#, r#""no""#),
    ] {
        assert_eq!(check(schema, good), Ok(()), "{schema}");
        assert!(matches!(check(schema, bad), Err(Problem::Unfit { .. })), "{schema}");
    }
}

#[test]
fn a_problem_says_where_and_keeps_the_value_to_itself() {
    let schema = r#"{"properties":{"a":{"items":{"type":"number"}}}}"#;
    let Err(Problem::Unfit { at, why }) = check(schema, r#"{"a":[1,"secret"]}"#) else { panic!() };
    assert_eq!(at, "/a/1");
    assert!(!why.contains("secret") && why.contains("number"), "{why}");
}

/// Field report C-03, e.
#[test]
fn a_foreign_dialect_is_named() {
    for dialect in ["http://json-schema.org/draft-03/schema#", "urn:mine"] {
        let schema = format!(r#"{{"$schema":"{dialect}"}}"#);
        assert_eq!(check(&schema, "1"), Err(Problem::UnsupportedDialect(dialect.into())));
    }
}

/// Field report C-03, f.
#[test]
fn nothing_is_fetched() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let address = listener.local_addr().unwrap();
    for schema in [
        format!(r#"{{"$ref":"http://{address}/schema.json"}}"#),
        format!(r#"{{"$id":"http://{address}/root.json","properties":{{"a":{{"$ref":"other.json"}}}}}}"#),
        r#"{"$ref":"file:///etc/passwd"}"#.to_owned(),
    ] {
        assert!(matches!(check(&schema, "{}"), Err(Problem::UnusableSchema(_))), "{schema}");
    }
    assert_eq!(listener.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
}

#[test]
fn what_is_no_schema_cannot_be_used() {
    for schema in [
        r#"{"type":"nonsense"}"#,
        r#"{"pattern":"("}"#,
        r#"{"properties":7}"#,
        r##"{"$ref":"#/nowhere"}"##,
        r#"{"pattern":"(a{1000}){1000}"}"#,
    ] {
        assert!(matches!(check(schema, "{}"), Err(Problem::UnusableSchema(_))), "{schema}");
    }
    let long = format!(r#"{{"description":"{}"}}"#, "x".repeat(limits::SCHEMA));
    assert!(matches!(check(&long, "{}"), Err(Problem::UnusableSchema(_))));
}

/// Each of these takes hours, or the whole stack, where nobody counts.
#[test]
fn hostile_schemas_end_soon() {
    let begun = Instant::now();
    let twice = |n: usize| format!(r##"{{"$ref":"#/$defs/d{n}"}}"##);
    let definitions: Vec<_> =
        (0..40).map(|n| format!(r#""d{n}":{{"anyOf":[{0},{0}]}}"#, twice(n + 1))).collect();
    let doubling = format!(
        r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d40":{{"type":"string"}}}}}}"##,
        definitions.join(",")
    );
    assert_eq!(check(&doubling, "1"), Err(Problem::TooMuchWork));
    let deep = format!("{}1{}", r#"{"x":"#.repeat(60), "}".repeat(60));
    let by_depth = r##"{"properties":{"x":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}"##;
    assert_eq!(check(by_depth, &deep), Err(Problem::TooMuchWork));
    for circle in [r##"{"$ref":"#"}"##, r##"{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}"##] {
        // What it accepts is a matter of taste; that it ends is not.
        let _ = check(circle, &deep);
    }
    let backtracking = format!(r#""{}!""#, "a".repeat(5000));
    assert!(check(r#"{"pattern":"^(?=a)((a|aa)+)\\1$"}"#, &backtracking).is_err());
    assert!(check(r#"{"pattern":"^(a+)+$"}"#, &backtracking).is_err());
    let nested = format!("{}{}{}", r#"{"not":"#.repeat(200), "{}", "}".repeat(200));
    assert!(matches!(check(&nested, "1"), Err(Problem::UnusableSchema(_))));
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

#[test]
fn compiled_schemas_are_kept_and_bounded() {
    let validator = Validator::default();
    for n in 0..limits::KEPT.0 + 10 {
        let schema = JsonSchema::from_text(format!(r#"{{"minimum":{n}}}"#)).unwrap();
        for value in [n, n + 1] {
            validator.check(&schema, &Json::from(value as u64)).unwrap();
        }
    }
    assert_eq!(format!("{validator:?}"), "Validator { kept: 10 }");
}
