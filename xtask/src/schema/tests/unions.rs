use super::*;

const LEVEL: &str = r#""Level": {"type": "string", "enum": ["low", "high"]}"#;

const BLOCKS: &str = r##"
    "Block": {"anyOf": [{"$ref": "#/$defs/Text"}, {"$ref": "#/$defs/Image"}]},
    "Text": {"type": "object", "properties": {"type": {"const": "text"}, "text": {"type": "string"}}, "required": ["type", "text"]},
    "Image": {"type": "object", "properties": {"type": {"const": "image"}}, "required": ["type"]}"##;

fn blocks(variants: &str) -> Rust {
    Rust::default()
        .ty("Block", &format!(r#"{{"union":[{variants}],"key":"type"}}"#))
        .ty("Text", &object(&[constant("type", "text"), required("text", "String")]))
        .ty("Image", &object(&[constant("type", "image")]))
}

#[test]
fn an_enum_has_the_values_of_the_schema() {
    let level = |values: &str| Rust::default().ty("Level", &format!(r#"{{"enum":[{values}]}}"#));
    assert_eq!(level(r#""low","high""#).against(LEVEL), [""; 0]);
    assert_eq!(level(r#""low""#).against(LEVEL), ["Level value"]);
    assert_eq!(level(r#""low","high","higher""#).against(LEVEL), ["Level.higher extra"]);
    // A schema may leave the values open: then they have another source.
    let open = r#""Level": {"type": "string"}"#;
    assert_eq!(level(r#""low","high""#).against_each([open, open, LEVEL, open, open]), [""; 0]);
    assert_eq!(level(r#""low""#).against(open), ["Level.low extra"]);
    assert_eq!(
        level(r#""low""#).against(r#""Level": {"type": "integer"}"#),
        ["Level kind", "Level.low extra"]
    );
}

#[test]
fn a_union_has_the_alternatives_of_the_schema() {
    assert_eq!(blocks(r#"["text","Text"],["image","Image"]"#).against(BLOCKS), [""; 0]);
    assert_eq!(blocks(r#"["text","Text"]"#).against(BLOCKS), ["Block variant"]);
    let more = blocks(r#"["text","Text"],["image","Image"],["video","Video"]"#).ty("Video", &object(&[]));
    assert_eq!(more.against(BLOCKS), ["Block(Video) extra", "Video extra"]);
}

#[test]
fn a_union_in_a_union_is_taken_apart() {
    let schema = format!(
        r##"{BLOCKS}, "Content": {{"anyOf": [{{"$ref": "#/$defs/Block"}}, {{"type": "array", "items": {{"$ref": "#/$defs/Block"}}}}]}}"##
    );
    let rust = blocks(r#"["text","Text"],["image","Image"]"#);
    let content = r#"{"union":[["{","Block"],["[","List<Block>"]],"key":null}"#;
    assert_eq!(rust.clone().ty("Content", content).against(&schema), [""; 0]);
    let content = r#"{"union":[["{","Block"]],"key":null}"#;
    assert_eq!(rust.ty("Content", content).against(&schema), ["Content variant"]);
}

#[test]
fn what_has_a_type_of_its_own_does_not_pass_for_another() {
    let schema = r##""Form": {"anyOf": [{"$ref": "#/$defs/Plain"}, {"$ref": "#/$defs/Named"}]},
        "Plain": {"type": "object", "properties": {"enum": {}}, "required": ["enum"]},
        "Named": {"type": "object", "properties": {"enum": {}, "names": {}}, "required": ["enum"]}"##;
    let rust = Rust::default()
        .ty("Plain", &object(&[required("enum", "Json")]))
        .ty("Named", &object(&[required("enum", "Json"), optional("names", "Json")]));
    let form = |variants: &str| rust.clone().ty("Form", &format!(r#"{{"union":[{variants}],"key":null}}"#));
    assert_eq!(form(r#"["enum","Plain"],["names","Named"]"#).against(schema), [""; 0]);
    assert_eq!(form(r#"["names","Named"]"#).against(schema), ["Form variant"]);
}

#[test]
fn alternatives_without_a_tag_are_told_apart_by_what_they_have() {
    let schema = r#""Contents": {"anyOf": [
        {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
        {"type": "object", "properties": {"blob": {"type": "string"}}, "required": ["blob"]}]}"#;
    let rust = Rust::default()
        .ty("Contents", r#"{"union":[["text","TextContents"],["blob","BlobContents"]],"key":null}"#)
        .ty("TextContents", &object(&[required("text", "String")]));
    let blob = |ty: &str| rust.clone().ty("BlobContents", &object(&[required("blob", ty)]));
    assert_eq!(blob("String").against(schema), [""; 0]);
    assert_eq!(blob("u64").against(schema), ["BlobContents.blob kind"]);
}
