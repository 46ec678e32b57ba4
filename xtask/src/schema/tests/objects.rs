use super::*;

const TOOL: &str = r#""Tool": {"type": "object", "properties": {
    "name": {"type": "string"}, "size": {"type": "integer"}, "kind": {"const": "tool"}}, "required": ["name", "kind"]}"#;

fn tool(members: &[String]) -> Rust {
    Rust::default().ty("Tool", &object(members))
}

fn members() -> Vec<String> {
    vec![required("name", "String"), optional("size", "u64"), constant("kind", "tool")]
}

#[test]
fn what_agrees_passes() {
    assert_eq!(tool(&members()).against(TOOL), [""; 0]);
}

#[test]
fn a_definition_needs_a_type() {
    assert_eq!(Rust::default().against(TOOL), ["Tool type"]);
}

#[test]
fn a_property_needs_a_member() {
    let found = tool(&[required("name", "String"), constant("kind", "tool")]).findings([TOOL; 5]);
    assert_eq!(found.len(), 5);
    let text = found[3].to_string();
    assert!(
        text.starts_with(
            "2025-11-25 Tool.size [member]: the schema has it (integer), the type does not; fix: "
        )
    );
}

#[test]
fn a_member_needs_a_property() {
    let mut with = members();
    with.push(optional("more", "String"));
    assert_eq!(tool(&with).against(TOOL), ["Tool.more extra"]);
}

#[test]
fn a_type_needs_a_definition() {
    let rust = tool(&members()).ty("Other", &object(&[]));
    assert_eq!(rust.against(TOOL), ["Other extra"]);
}

#[test]
fn a_member_of_an_extension_needs_a_source() {
    let mut with = members();
    with.push(of_an_extension("taskIds", "Vec<String>"));
    assert_eq!(tool(&with).against(TOOL), ["Tool.taskIds extension"]);
    with[1] = of_an_extension("size", "u64");
    assert_eq!(tool(&with).against(TOOL), ["Tool.size lifetime", "Tool.taskIds extension"]);
}

#[test]
fn what_is_required_must_be_required_in_every_revision() {
    let mut with = members();
    with[1] = required("size", "u64");
    assert_eq!(tool(&with).against(TOOL), ["Tool.size required"]);
    let without = r#""Tool": {"type": "object", "properties": {"kind": {"const": "tool"}, "size": {"type": "integer"}}}"#;
    let found = tool(&members()).findings([TOOL, without, TOOL, TOOL, TOOL]);
    let found: Vec<_> = found.iter().map(ToString::to_string).collect();
    assert!(found.iter().any(|text| text.starts_with("2025-03-26 Tool.name [required]")), "{found:?}");
    assert!(found.iter().any(|text| text.starts_with("2025-03-26 Tool.kind [required]")), "{found:?}");
}

#[test]
fn what_is_optional_must_be_optional_in_some_revision() {
    let mut with = members();
    with[0] = optional("name", "String");
    assert_eq!(tool(&with).against(TOOL), ["Tool.name optional"]);
    let without = r#""Tool": {"type": "object", "properties": {
        "name": {"type": "string"}, "size": {"type": "integer"}, "kind": {"const": "tool"}}, "required": ["kind"]}"#;
    assert_eq!(tool(&with).against_each([TOOL, TOOL, TOOL, TOOL, without]), [""; 0]);
}

#[test]
fn a_member_must_hold_what_the_schema_allows() {
    for (ty, rule) in [
        ("String", "kind"),
        ("Vec<u64>", "kind"),
        ("Map<u64>", "kind"),
        ("Nowhere", "kind"),
        ("Json", "wider"),
        ("RequestId", "wider"),
        ("f64", "wider"),
        ("Number", "wider"),
    ] {
        let mut with = members();
        with[1] = optional("size", ty);
        assert_eq!(tool(&with).against(TOOL), [format!("Tool.size {rule}")], "{ty}");
    }
}

#[test]
fn a_number_is_no_integer() {
    let rust = Rust::default().ty("P", &object(&[required("progress", "u64")]));
    let schema = r#""P": {"type": "object", "properties": {"progress": {"type": "number"}}, "required": ["progress"]}"#;
    assert_eq!(rust.against(schema), ["P.progress kind"]);
}

#[test]
fn a_wide_type_is_right_when_some_revision_needs_it() {
    let rust = Rust::default().ty("R", &object(&[optional("data", "Json")]));
    let narrow =
        r#""R": {"type": "object", "properties": {"data": {"type": "object", "properties": {"x": {}}}}}"#;
    let wide = r#""R": {"type": "object", "properties": {"data": {}}}"#;
    assert_eq!(rust.against_each([narrow, narrow, narrow, narrow, wide]), [""; 0]);
    assert_eq!(rust.against(narrow), ["R.data wider"]);
}

#[test]
fn null_must_be_allowed_where_a_required_member_holds_it() {
    let rust = Rust::default().ty("T", &object(&[required("ttl", "Option<u64>")]));
    let with = |kind: &str| {
        format!(
            r#""T": {{"type": "object", "properties": {{"ttl": {{"type": {kind}}}}}, "required": ["ttl"]}}"#
        )
    };
    assert_eq!(rust.against(&with(r#"["integer", "null"]"#)), [""; 0]);
    assert_eq!(rust.against(&with(r#""integer""#)), ["T.ttl? wider"]);
    let rust = Rust::default().ty("T", &object(&[required("ttl", "u64")]));
    assert_eq!(rust.against(&with(r#"["integer", "null"]"#)), ["T.ttl kind"]);
}

#[test]
fn a_constant_must_be_that_of_the_schema() {
    let mut with = members();
    with[2] = constant("kind", "other");
    assert_eq!(tool(&with).against(TOOL), ["Tool.kind value"]);
}

#[test]
fn docs_must_promise_the_right_revisions() {
    let later = r#""Tool": {"type": "object", "properties": {
        "name": {"type": "string"}, "title": {"type": "string"}}, "required": ["name"]}"#;
    let earlier =
        r#""Tool": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}"#;
    let with = |first, last| {
        tool(&[required("name", "String"), optional_in("title", "String", first, last)])
            .against_each([earlier, earlier, later, later, earlier])
    };
    assert_eq!(with(2, 3), [""; 0]);
    for (first, last) in [(0, 4), (2, 4), (1, 3), (3, 3)] {
        assert_eq!(with(first, last), ["Tool.title lifetime"], "{first} {last}");
    }
    let rust =
        |first, last| Rust::default().ty_in("Tool", first, last, &object(&[required("name", "String")]));
    assert_eq!(rust(3, 4).against_each(["", "", "", earlier, earlier]), [""; 0]);
    // The members of a type that promises too much are not reported again.
    assert_eq!(rust(0, 4).against_each(["", "", "", earlier, earlier]), ["Tool lifetime"]);
    assert_eq!(
        rust(3, 3).against_each(["", "", "", earlier, earlier]),
        ["Tool lifetime", "Tool.name lifetime"]
    );
}

#[test]
fn objects_that_are_written_out_are_compared_too() {
    let schema = r#""Tool": {"type": "object", "properties": {"list": {"type": "array", "items":
        {"type": "object", "properties": {"x": {"type": "string"}, "y": {}}, "required": ["x"]}}}}"#;
    let inner = object(&[required("x", "String")]);
    let rust = tool(&[optional("list", "List<Inner>")]).ty("Inner", &inner);
    assert_eq!(rust.against(schema), ["Inner.y member"]);
}

#[test]
fn intersections_are_one_object() {
    let schema = r##""Tool": {"allOf": [{"$ref": "#/$defs/Base"}, {"type": "object", "properties": {"x": {}}}]},
        "Base": {"type": "object", "properties": {"y": {"type": "string"}}, "required": ["y"]}"##;
    let rust = tool(&[required("y", "String"), optional("x", "Json")]).alias("Base", "Inner");
    let rust = rust.ty("Inner", &object(&[required("y", "String")]));
    assert_eq!(rust.against(schema), [""; 0]);
}

#[test]
fn open_objects_are_maps() {
    let schema = |additional: &str| {
        format!(
            r#""Tool": {{"type": "object", "properties": {{"m": {{"type": "object", "additionalProperties": {additional}}}}}}}"#
        )
    };
    let with = |ty: &str, additional: &str| tool(&[optional("m", ty)]).against(&schema(additional));
    assert_eq!(with("JsonObject", "{}"), [""; 0]);
    assert_eq!(with("Map<String>", r#"{"type": "string"}"#), [""; 0]);
    assert_eq!(with("Map<String>", "{}"), ["Tool.m{} kind"]);
    assert_eq!(with("JsonObject", r#"{"type": "string"}"#), ["Tool.m{} wider"]);
}

#[test]
fn a_json_schema_is_kept_whatever_keywords_are_named() {
    let schema = |keyword: &str| {
        format!(
            r#""Tool": {{"type": "object", "properties": {{"s": {{"type": "object", "properties":
            {{"type": {{"const": "object"}}, "{keyword}": {{}}}}, "required": ["type"]}}}}}}"#
        )
    };
    let rust = tool(&[optional("s", "JsonSchema")]);
    assert_eq!(rust.against(&schema("properties")), [""; 0]);
    assert_eq!(rust.against(&schema("shape")), ["Tool.s kind"]);
}

#[test]
fn a_circle_of_references_ends() {
    let schema = r##""Tool": {"type": "object", "properties": {"inner": {"$ref": "#/$defs/Tool"}}}"##;
    assert_eq!(tool(&[optional("inner", "Box<Tool>")]).against(schema), [""; 0]);
}
