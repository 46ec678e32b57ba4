use mcp_types::Json;
use proptest::prelude::*;

use super::{
    HeaderPlan, InvalidHeader, InvalidHeaderReason as Reason, decode_value, encode_value, is_param_field,
};

fn plan(schema: &str) -> Result<HeaderPlan, InvalidHeader> {
    HeaderPlan::of(schema)
}

fn fault(schema: &str) -> (String, Reason) {
    let InvalidHeader { path, reason } = plan(schema).expect_err(schema);
    (path.join("."), reason)
}

fn fields(schema: &str, arguments: &str) -> Vec<(String, String)> {
    let plan = plan(schema).unwrap();
    plan.fields(arguments.as_bytes())
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.into_owned()))
        .collect()
}

fn property(schema: &str) -> String {
    format!(r#"{{"type":"object","properties":{{"p":{schema}}}}}"#)
}

#[test]
fn annotations_that_break_a_rule() {
    let on = |annotation: &str| property(&format!(r#"{{"type":"string","x-mcp-header":{annotation}}}"#));
    for (annotation, reason) in [
        (r#""""#, Reason::Empty),
        (r#""My Region""#, Reason::Character(' ')),
        (r#""Region:Primary""#, Reason::Character(':')),
        (r#""Région""#, Reason::Character('é')),
        (r#""Region\t1""#, Reason::Character('\t')),
        (r#""a\r\nx: y""#, Reason::Character('\r')),
        (r#""a\u0000""#, Reason::Character('\0')),
        (r#""a\u007f""#, Reason::Character('\u{7f}')),
        (r#""(a)""#, Reason::Character('(')),
        ("7", Reason::NotText),
        ("null", Reason::NotText),
        ("true", Reason::NotText),
        (r#"["Region"]"#, Reason::NotText),
        (r#"{"name":"Region"}"#, Reason::NotText),
    ] {
        assert_eq!(fault(&on(annotation)), ("p".into(), reason), "{annotation}");
    }
    for types in [
        r#""object""#,
        r#""array""#,
        r#""null""#,
        r#""number""#,
        r#""text""#,
        r#"["string","number"]"#,
        "[]",
        "1",
    ] {
        let schema = property(&format!(r#"{{"x-mcp-header":"A","type":{types}}}"#));
        assert_eq!(fault(&schema), ("p".into(), Reason::Type), "{types}");
    }
    for schema in
        [r#"{"x-mcp-header":"A"}"#, r#"{"x-mcp-header":"A","anyOf":[{"type":"string"},{"type":"null"}]}"#]
    {
        assert_eq!(fault(&property(schema)), ("p".into(), Reason::Type), "{schema}");
    }
}

#[test]
fn names_are_unique_whatever_their_case_and_depth() {
    let string = |name: &str| format!(r#"{{"type":"string","x-mcp-header":"{name}"}}"#);
    for other in ["Region", "REGION", "rEGION"] {
        let schema = format!(r#"{{"properties":{{"a":{},"b":{}}}}}"#, string("Region"), string(other));
        assert_eq!(fault(&schema), ("b".into(), Reason::Duplicate));
        let nested = format!(
            r#"{{"properties":{{"a":{},"b":{{"type":"object","properties":{{"c":{}}}}}}}}}"#,
            string("Region"),
            string(other)
        );
        assert_eq!(fault(&nested), ("b.c".into(), Reason::Duplicate));
    }
}

#[test]
fn only_a_chain_of_properties_leads_to_an_annotation() {
    let annotated = r#"{"type":"string","x-mcp-header":"A"}"#;
    assert_eq!(fault(annotated), (String::new(), Reason::Unreachable(None)));
    for keyword in super::annotations::APPLICATORS {
        for sub in [annotated.to_owned(), format!("[true,{annotated}]"), property(annotated)] {
            let schema = format!(r#"{{"{keyword}":{sub}}}"#);
            assert_eq!(fault(&schema), (String::new(), Reason::Unreachable(Some(keyword))), "{schema}");
            assert_eq!(fault(&property(&schema)), ("p".into(), Reason::Unreachable(Some(keyword))));
        }
    }
    for keyword in super::annotations::NAMED {
        let schema = format!(r#"{{"{keyword}":{{"x":{annotated}}},"properties":{{"p":{annotated}}}}}"#);
        assert_eq!(fault(&schema), (String::new(), Reason::Unreachable(Some(keyword))), "{schema}");
    }
}

#[test]
fn what_only_looks_like_an_annotation_is_none() {
    for schema in [
        r#"{"properties":{"x-mcp-header":{"type":"array"}}}"#,
        r#"{"$defs":{"x-mcp-header":{"type":"array"}}}"#,
        r#"{"default":{"x-mcp-header":""},"examples":[{"x-mcp-header":""}],"const":{"x-mcp-header":""}}"#,
        r#"{"enum":[{"x-mcp-header":""}],"description":"see x-mcp-header","x-other":{"x-mcp-header":""}}"#,
        r#"{"properties":[{"x-mcp-header":""}],"$defs":7,"items":"x-mcp-header","allOf":null,"not":1.5}"#,
        r#"{"title":"\u0061"}"#,
    ] {
        assert!(plan(schema).unwrap().is_empty(), "{schema}");
    }
    let escaped = property(r#"{"type":"string","x-mcp\u002dheader":""}"#);
    assert_eq!(fault(&escaped).1, Reason::Empty);
}

#[test]
fn a_schema_without_end_is_refused_only_where_it_matters() {
    let deep = |inside: &str| format!("{}{inside}{}", r#"{"not":"#.repeat(100_000), "}".repeat(100_000));
    assert!(plan(&deep("true")).unwrap().is_empty());
    assert!(plan(&deep(r#"{"title":"\u0061"}"#)).unwrap().is_empty());
    assert_eq!(fault(&deep(r#"{"x-mcp-header":"A"}"#)), (String::new(), Reason::TooDeep));
    // What is no schema may be as deep as it likes.
    let value = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let schema =
        format!(r#"{{"default":{value},"properties":{{"p":{{"type":"string","x-mcp-header":"A"}}}}}}"#);
    assert_eq!(plan(&schema).unwrap().names(), ["Mcp-Param-A"]);
}

const SCHEMA: &str = r##"{"type":"object","properties":{
    "text":{"type":"string","x-mcp-header":"Text"},
    "maybe":{"type":["string","null"],"x-mcp-header":"Maybe"},
    "count":{"x-mcp-header":"Count","type":"integer"},
    "flag":{"type":"boolean","x-mcp-header":"Flag"},
    "method":{"type":"string","x-mcp-header":"Method"},
    "free":{"type":"number"},
    "place":{"type":"object","properties":{
        "zone":{"type":"string","x-mcp-header":"Zone","$ref":"#/$defs/zone"},
        "x\"y":{"type":"integer","x-mcp-header":"Odd"}}}},
    "$defs":{"zone":{"type":"string"}}}"##;

#[test]
fn arguments_become_fields() {
    let one = |argument: &str| {
        let arguments = format!(r#"{{"free":1.5,"other":{{"zone":"no"}},{argument},"more":[]}}"#);
        let fields = fields(SCHEMA, &arguments);
        assert!(fields.len() <= 1, "{fields:?}");
        fields.into_iter().next()
    };
    for (argument, name, value) in [
        (r#""text":"us-west1""#, "Text", "us-west1"),
        (r#""text":"us west 1""#, "Text", "us west 1"),
        (r#""text":"""#, "Text", ""),
        (r#""text":"\u0061\n""#, "Text", "=?base64?YQo=?="),
        (r#""te\u0078t":"a""#, "Text", "a"),
        (r#""text":"no","text":"last""#, "Text", "last"),
        (r#""maybe":"a""#, "Maybe", "a"),
        (r#""count":42"#, "Count", "42"),
        (r#""count":-7"#, "Count", "-7"),
        (r#""count":0"#, "Count", "0"),
        (r#""count":-0"#, "Count", "0"),
        (r#""count":-0.0e5"#, "Count", "0"),
        (r#""count":9007199254740993"#, "Count", "9007199254740993"),
        (r#""count":123456789012345678901234567890"#, "Count", "123456789012345678901234567890"),
        (r#""count":42.0"#, "Count", "42"),
        (r#""count":4.2e1"#, "Count", "42"),
        (r#""count":4200E-2"#, "Count", "42"),
        (r#""count":-1.50e+3"#, "Count", "-1500"),
        (r#""count":1e20"#, "Count", "100000000000000000000"),
        (r#""count":3.14"#, "Count", "3.14"),
        (r#""count":5e-1"#, "Count", "5e-1"),
        (r#""count":1e999999999"#, "Count", "1e999999999"),
        (r#""count":1e99999999999999999999"#, "Count", "1e99999999999999999999"),
        (r#""count":1e-9223372036854775808"#, "Count", "1e-9223372036854775808"),
        (r#""count":"42""#, "Count", "42"),
        (r#""flag":true"#, "Flag", "true"),
        (r#""flag":false"#, "Flag", "false"),
        (r#""method":"m""#, "Method", "m"),
        (r#""place":{"a":1,"zone":"z"}"#, "Zone", "z"),
        (r#""place" : { "x\"y" : 3 } "#, "Odd", "3"),
    ] {
        assert_eq!(one(argument), Some((format!("Mcp-Param-{name}"), value.into())), "{argument}");
    }
    for argument in [
        r#""text":null"#,
        r#""text":{"a":1}"#,
        r#""text":["a"]"#,
        r#""free":1"#,
        r#""place":"zone""#,
        r#""place":null"#,
        r#""place":[{"zone":"z"}]"#,
        r#""zone":"z""#,
        r#""text":"a","text":null"#,
    ] {
        assert_eq!(one(argument), None, "{argument}");
    }
    for arguments in ["null", "[]", "", "{", "7"] {
        assert_eq!(fields(SCHEMA, arguments), [], "{arguments}");
    }
}

#[test]
fn fields_come_in_the_order_of_the_schema() {
    let plan = plan(SCHEMA).unwrap();
    let names =
        ["Text", "Maybe", "Count", "Flag", "Method", "Zone", "Odd"].map(|name| format!("Mcp-Param-{name}"));
    assert_eq!(plan.names(), names);
    let fields = plan.fields(br#"{"place":{"zone":"z"},"flag":true,"text":"a"}"#);
    let names: Vec<_> = fields.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["Mcp-Param-Text", "Mcp-Param-Flag", "Mcp-Param-Zone"]);
}

/// The examples of the specification, and of its proposal.
#[test]
fn values_are_encoded_where_they_must_be() {
    for (text, encoded) in [
        ("us-west1", "us-west1"),
        ("", ""),
        ("us  west 1", "us  west 1"),
        ("Hello, \u{4e16}\u{754c}", "=?base64?SGVsbG8sIOS4lueVjA==?="),
        (" padded ", "=?base64?IHBhZGRlZCA=?="),
        (" us-west1", "=?base64?IHVzLXdlc3Qx?="),
        ("us-west1 ", "=?base64?dXMtd2VzdDEg?="),
        ("\u{65e5}\u{672c}\u{8a9e}", "=?base64?5pel5pys6Kqe?="),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
        ("line1\r\nline2", "=?base64?bGluZTENCmxpbmUy?="),
        ("\tindented", "=?base64?CWluZGVudGVk?="),
        ("a\tb", "=?base64?YQli?="),
        ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
        ("=?base64?=", "=?base64?PT9iYXNlNjQ/PQ==?="),
        ("=?BASE64?SGVsbG8=?=", "=?BASE64?SGVsbG8=?="),
        ("\u{7f}", "=?base64?fw==?="),
        (" ", "=?base64?IA==?="),
    ] {
        assert_eq!(encode_value(text), encoded);
        assert_eq!(decode_value(encoded).unwrap(), text);
    }
}

#[test]
fn a_broken_base64_form_is_no_value() {
    assert_eq!(decode_value("=?base64?SGVsbG8=?=").unwrap(), "Hello");
    for broken in [
        "=?base64?SGVsbG8?=",
        "=?base64?SGVs!!!bG8=?=",
        "=?base64?SGVsbG9=?=",
        "=?base64?/w==?=",
        "=?base64?SGVsbG8= ?=",
    ] {
        assert_eq!(decode_value(broken), None, "{broken}");
    }
    for plain in ["SGVsbG8=", "=?base64?SGVsbG8=", "SGVsbG8=?=", "=?BASE64?SGVsbG8=?="] {
        assert_eq!(decode_value(plain).unwrap(), plain);
    }
}

#[test]
fn a_mirrored_field_is_known_by_its_name() {
    for name in ["Mcp-Param-Region", "mcp-param-region", "MCP-PARAM-é", "Mcp-Param-"] {
        assert!(is_param_field(name), "{name}");
    }
    for name in
        ["", "Mcp-Param", "Mcp-Name", "X-Mcp-Param-Region", "mcp_param_region", "Mcp-Paramé", "éééééé"]
    {
        assert!(!is_param_field(name), "{name}");
    }
}

proptest! {
    #[test]
    fn what_is_encoded_is_read_back(text in any::<String>()) {
        let encoded = encode_value(&text);
        prop_assert!(encoded.bytes().all(|byte| matches!(byte, b' '..=b'~')));
        prop_assert_eq!(encoded.trim(), &*encoded);
        prop_assert_eq!(decode_value(&encoded).unwrap(), &*text);
    }

    #[test]
    fn what_looks_encoded_is_read_back(text in "(=\\?base64\\?)?[ -~]{0,12}(\\?=)?") {
        let encoded = encode_value(&text);
        prop_assert_eq!(decode_value(&encoded).unwrap(), &*text);
    }

    #[test]
    fn a_text_goes_through_its_field(text in any::<String>()) {
        let arguments = format!(r#"{{"text":{}}}"#, Json::from(text.as_str()));
        let fields = fields(SCHEMA, &arguments);
        prop_assert_eq!(fields.len(), 1);
        prop_assert_eq!(decode_value(&fields[0].1).unwrap(), text);
    }

    #[test]
    fn a_whole_number_keeps_its_value(value in any::<i64>(), zeros in 0..5_usize) {
        let arguments = format!(r#"{{"count":{value}.{}}}"#, "0".repeat(zeros + 1));
        prop_assert_eq!(&fields(SCHEMA, &arguments)[0].1, &value.to_string());
        let arguments = format!(r#"{{"count":{value}{}e-{zeros}}}"#, "0".repeat(zeros));
        prop_assert_eq!(&fields(SCHEMA, &arguments)[0].1, &value.to_string());
    }

    #[test]
    fn no_schema_or_arguments_are_too_odd(text in "[{}\\[\\]\":,a0-9 ]{0,40}", header in "[ -~]{0,4}") {
        let annotation = Json::from(header.as_str());
        let schema = format!(r#"{{"x":"x-mcp-header","properties":{{"a":{{"type":"string","x-mcp-header":{annotation}}}}}}}"#);
        if let Ok(plan) = plan(&schema) {
            plan.fields(text.as_bytes());
        }
    }
}
