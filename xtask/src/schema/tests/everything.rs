//! Messages, errors, names.

use super::*;

const SCHEMA: &str = r##"
    "RequestId": {"type": ["string", "integer"]},
    "Request": {"type": "object", "properties": {"method": {"type": "string"}, "params": {"type": "object",
        "properties": {"_meta": {"type": "object", "additionalProperties": {}}}}}},
    "CallRequest": {"type": "object", "properties": {"jsonrpc": {"const": "2.0"}, "id": {"$ref": "#/$defs/RequestId"},
        "method": {"const": "call"}, "params": {"type": "object", "properties": {"name": {"type": "string"}},
        "required": ["name"]}}, "required": ["method", "params"]},
    "CallResult": {"type": "object", "properties": {"ok": {"type": "boolean"}}, "required": ["ok"]},
    "CallResultResponse": {"type": "object", "properties": {"jsonrpc": {"const": "2.0"},
        "id": {"$ref": "#/$defs/RequestId"}, "result": {"$ref": "#/$defs/CallResult"}}},
    "ClientRequest": {"anyOf": [{"$ref": "#/$defs/CallRequest"}]}"##;

fn rust() -> Rust {
    Rust::default()
        .ty("CallParams", &object(&[required("name", "String"), optional("_meta", "JsonObject")]))
        .ty("CallResult", &object(&[required("ok", "bool")]))
        .ty("EmptyResult", &object(&[]))
        .alias("Request", "Json")
}

fn with_marker(name: &str, method: &str, params: &str, result: Option<&str>) -> Vec<String> {
    let found =
        rust().marker(name, method, params, result).method("call", "Request", "ToServer").against(SCHEMA);
    // What stands here for the base of all requests.
    found.into_iter().filter(|found| !found.starts_with("Request ") && found != "EmptyResult extra").collect()
}

#[test]
fn a_message_needs_a_marker_type_with_its_method_parameters_and_result() {
    assert_eq!(with_marker("CallRequest", "call", "CallParams", Some("CallResult")), [""; 0]);
    assert_eq!(with_marker("CallRequest", "cell", "CallParams", Some("CallResult")), ["CallRequest marker"]);
    let found = with_marker("CallRequest", "call", "CallParams", Some("EmptyResult"));
    assert_eq!(found, ["CallRequest marker", "CallResultResponse marker"]);
    let found = with_marker("CallRequest", "call", "CallResult", Some("CallResult"));
    assert!(found.contains(&"CallResult.name member".to_string()), "{found:?}");
    let found = with_marker("CallRequest", "call", "CallParams", None);
    assert!(found.contains(&"CallRequest marker".to_string()), "{found:?}");
    let found = with_marker("OtherRequest", "call", "CallParams", Some("CallResult"));
    let expected =
        ["CallParams extra", "CallRequest type", "CallResultResponse marker", "OtherRequest extra"];
    assert_eq!(found, expected);
}

#[test]
fn parameters_that_may_be_absent_must_not_require_anything() {
    let schema = SCHEMA.replace(r#""required": ["method", "params"]"#, r#""required": ["method"]"#);
    let rust = rust().marker("CallRequest", "call", "CallParams", Some("CallResult"));
    let found = rust.method("call", "Request", "ToServer").against(&schema);
    assert!(found.contains(&"CallRequest.params required".to_string()), "{found:?}");
}

#[test]
fn a_message_has_no_parameters_of_another_one() {
    let more = r#""MoreRequest": {"type": "object", "properties": {"method": {"const": "more"}, "params":
        {"type": "object", "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}, "required": ["name"]}},
        "required": ["method", "params"]}"#;
    let schema = format!("{SCHEMA}, {more}");
    let mut rust = rust().marker("CallRequest", "call", "CallParams", Some("CallResult")).marker(
        "MoreRequest",
        "more",
        "CallParams",
        Some("EmptyResult"),
    );
    rust.types[0] = rust.types[0].replace(
        &required("name", "String"),
        &format!("{},{}", required("name", "String"), optional("size", "u64")),
    );
    let found = rust.against(&schema);
    assert!(found.contains(&"CallRequest.params.size extra".to_string()), "{found:?}");
    assert!(found.iter().all(|found| !found.starts_with("MoreRequest.params")), "{found:?}");
}

#[test]
fn the_table_of_methods_says_what_the_schema_says() {
    let marked = rust().marker("CallRequest", "call", "CallParams", Some("CallResult"));
    let found = |rust: Rust| -> Vec<_> {
        rust.against(SCHEMA).into_iter().filter(|found| found.ends_with(" method")).collect()
    };
    assert_eq!(found(marked.clone().method("call", "Request", "ToServer")), [""; 0]);
    for (kind, direction) in [("Request", "ToClient"), ("Request", "Both"), ("Notification", "ToServer")] {
        assert_eq!(
            found(marked.clone().method("call", kind, direction)),
            ["call method"],
            "{kind} {direction}"
        );
    }
    assert_eq!(found(marked.clone()), ["call method"]);
    let more = marked.method("call", "Request", "ToServer").method("more", "Request", "ToServer");
    assert_eq!(found(more), ["more method"]);
}

#[test]
fn a_message_that_nobody_sends_stands_in_results() {
    let schema = SCHEMA.replace("\"ClientRequest\"", "\"InputRequest\"");
    let rust = rust().marker("CallRequest", "call", "CallParams", Some("CallResult"));
    let found = |rust: &Rust| -> Vec<_> {
        rust.against(&schema).into_iter().filter(|found| found.ends_with(" method")).collect()
    };
    let mut embedded = rust.clone();
    embedded
        .methods
        .push(r#"{"name":"call","kind":"Request","directions":{},"embeddedSince":"2024-11-05"}"#.to_string());
    assert_eq!(found(&embedded), [""; 0]);
    embedded.methods[0] =
        r#"{"name":"call","kind":"Request","directions":{},"embeddedSince":null}"#.to_string();
    assert_eq!(found(&embedded), ["call method"]);
}

#[test]
fn an_error_needs_its_code_and_the_type_of_its_data() {
    let schema = r##""Error": {"type": "object", "properties": {"code": {"type": "integer"}, "data": {}}, "required": ["code"]},
        "BadURLError": {"type": "object", "properties": {"jsonrpc": {"const": "2.0"}, "error": {"allOf": [{"$ref": "#/$defs/Error"},
            {"type": "object", "properties": {"code": {"const": -7},
             "data": {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}}, "required": ["data"]}]}}}"##;
    let error = || {
        let error = object(&[required("code", "ErrorCode"), optional("data", "Json")]);
        Rust::default().ty("JsonRpcError", &error).alias("Error", "JsonRpcError")
    };
    let with_code = |code: i64| {
        let mut rust = error();
        rust.codes.push(format!(r#"{{"name":"BAD_URL","code":{code}}}"#));
        rust
    };
    let data = object(&[required("url", "String")]);
    assert_eq!(with_code(-7).ty("BadUrlErrorData", &data).against(schema), [""; 0]);
    assert_eq!(with_code(-7).against(schema), ["BadURLError.data type"]);
    let unsigned = object(&[required("code", "u64"), optional("data", "Json")]);
    let mut rust = Rust::default().ty("JsonRpcError", &unsigned).alias("Error", "JsonRpcError");
    rust.codes.push(r#"{"name":"BAD_URL","code":-7}"#.to_string());
    assert_eq!(rust.ty("BadUrlErrorData", &data).against(schema), ["JsonRpcError.code kind"]);
    let found = with_code(-8).ty("BadUrlErrorData", &data).against(schema);
    assert_eq!(found, ["BadURLError value", "ErrorCode.BAD_URL extra"]);
    let other = object(&[required("uri", "String")]);
    let found = with_code(-7).ty("BadUrlErrorData", &other).against(schema);
    assert_eq!(
        found,
        ["BadUrlErrorData.uri extra", "BadUrlErrorData.uri required", "BadUrlErrorData.url member"]
    );
}

#[test]
fn another_name_needs_a_definition() {
    let rust = Rust::default().ty("Url", &object(&[])).alias("URL", "Url").alias("Gone", "Url");
    assert_eq!(rust.against(r#""URL": {"type": "object"}"#), ["Gone extra"]);
}

#[test]
fn envelopes_carry_anything_but_have_no_other_members() {
    let with = |more: &str| {
        format!(
            r#""JSONRPCRequest": {{"type": "object", "properties": {{"jsonrpc": {{"const": "2.0"}}, "method": {{"type": "string"}},
            "id": {{"type": ["string", "integer"]}}, "params": {{"type": "object", "properties": {{"x": {{}}}}}} {more}}}}}"#
        )
    };
    assert_eq!(Rust::default().against(&with("")), [""; 0]);
    assert_eq!(Rust::default().against(&with(r#", "trace": {}"#)), ["JSONRPCRequest.trace member"]);
}

#[test]
fn two_types_of_one_name_are_refused() {
    let rust = Rust::default().ty("Tool", &object(&[])).ty("Tool", &object(&[]));
    assert!(std::panic::catch_unwind(|| rust.inventory()).is_err());
}

#[test]
fn a_type_of_an_extension_needs_a_source() {
    let mut rust = Rust::default();
    let lifetime = lifetime(0, 4, true);
    rust.types.push(format!(
        r#"{{"name":"Task","module":"mcp_types::extensions::tasks","lifetime":{lifetime},"shape":{{"enum":[]}}}}"#
    ));
    assert_eq!(rust.against(""), ["extensions::tasks::Task extension"]);
}
