//! Schemas of Rust types: what `schemars` says of them, as tools and forms need it.

use std::collections::{BTreeMap, BTreeSet};

use mcp_types::{ElicitationSchema, JsonSchema, UnfitType};
use schemars::JsonSchema as Derive;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

fn form<T: Derive + DeserializeOwned>() -> String {
    serde_json::to_string(&ElicitationSchema::of::<T>().unwrap()).unwrap()
}

/// A form for one member, which is a `T` under the name `m`.
#[derive(Derive, Deserialize)]
struct Only<T> {
    #[expect(dead_code, reason = "only its type is of interest")]
    m: T,
}

fn member<T: Derive + DeserializeOwned>() -> String {
    let form = ElicitationSchema::of::<Only<T>>().unwrap();
    serde_json::to_string(form.properties.get("m").unwrap()).unwrap()
}

fn refused<T: Derive + DeserializeOwned>() -> UnfitType {
    ElicitationSchema::of::<T>().unwrap_err()
}

/// Why a member that is a `T` does not fit.
fn refused_member<T: Derive + DeserializeOwned>() -> String {
    let unfit = refused::<Only<T>>();
    assert_eq!(unfit.member(), Some("m"));
    unfit.reason().to_owned()
}

#[derive(Derive, Deserialize, Serialize, PartialEq, Eq, PartialOrd, Ord, Default)]
enum Plain {
    #[default]
    Red,
    #[serde(rename = "blau")]
    Blue,
}

#[derive(Derive, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Documented {
    /// For people who work
    /// at night.
    ///
    /// Not shown.
    Dark,
    #[schemars(title = "By day")]
    Light,
}

#[derive(Derive, Deserialize)]
enum Mixed {
    One,
    /// The second
    Two,
}

#[derive(Derive, Deserialize)]
#[serde(tag = "kind")]
#[expect(dead_code, reason = "only the type is of interest")]
enum Tagged {
    Path { path: String },
    Stdin,
}

#[derive(Derive, Deserialize)]
#[expect(dead_code, reason = "only the type is of interest")]
enum Data {
    Some(u8),
    None,
}

/// Field report T-07.
#[test]
fn a_form_has_its_members_in_the_order_of_their_declaration() {
    /// A signing-up.
    #[derive(Derive, Deserialize)]
    #[serde(rename_all = "camelCase")]
    #[expect(dead_code, reason = "only the type is of interest")]
    struct SignUp {
        /// The name to be called by.
        #[schemars(title = "User name", length(min = 3, max = 20))]
        user_name: String,
        #[schemars(email)]
        email: Option<String>,
        #[schemars(range(min = 18, max = 120))]
        age: u8,
        #[serde(default)]
        newsletter: bool,
        /// The colour of the site.
        #[serde(default)]
        colour: Plain,
    }
    assert_eq!(
        form::<SignUp>(),
        r#"{"type":"object","properties":{"userName":{"type":"string","title":"User name","description":"The name to be called by.","minLength":3,"maxLength":20},"email":{"type":"string","format":"email"},"age":{"type":"integer","minimum":18,"maximum":120},"newsletter":{"type":"boolean","default":false},"colour":{"type":"string","enum":["Red","blau"],"description":"The colour of the site.","default":"Red"}},"required":["userName","age"]}"#
    );
}

#[test]
fn members_of_every_kind() {
    assert_eq!(member::<String>(), r#"{"type":"string"}"#);
    assert_eq!(member::<char>(), r#"{"type":"string","minLength":1,"maxLength":1}"#);
    assert_eq!(member::<bool>(), r#"{"type":"boolean"}"#);
    assert_eq!(member::<i64>(), r#"{"type":"integer"}"#);
    assert_eq!(member::<u8>(), r#"{"type":"integer","minimum":0,"maximum":255}"#);
    assert_eq!(member::<u64>(), r#"{"type":"integer","minimum":0}"#);
    assert_eq!(member::<f32>(), r#"{"type":"number"}"#);
    assert_eq!(member::<Plain>(), r#"{"type":"string","enum":["Red","blau"]}"#);
    assert_eq!(
        member::<Documented>(),
        r#"{"type":"string","oneOf":[{"const":"dark","title":"For people who work at night."},{"const":"light","title":"By day"}]}"#
    );
    assert_eq!(
        member::<Mixed>(),
        r#"{"type":"string","oneOf":[{"const":"One","title":"One"},{"const":"Two","title":"The second"}]}"#
    );
    assert_eq!(member::<Vec<Plain>>(), r#"{"type":"array","items":{"type":"string","enum":["Red","blau"]}}"#);
    assert_eq!(member::<BTreeSet<Plain>>(), member::<Vec<Plain>>());
    assert_eq!(
        member::<[Documented; 2]>(),
        r#"{"type":"array","items":{"anyOf":[{"const":"dark","title":"For people who work at night."},{"const":"light","title":"By day"}]},"minItems":2,"maxItems":2}"#
    );
}

#[test]
fn an_option_is_the_same_but_not_required() {
    fn check<T: Derive + DeserializeOwned>() {
        assert_eq!(member::<Option<T>>(), member::<T>());
        assert!(ElicitationSchema::of::<Only<T>>().unwrap().is_required("m"));
        assert_eq!(ElicitationSchema::of::<Only<Option<T>>>().unwrap().required, None);
    }
    check::<String>();
    check::<u8>();
    check::<bool>();
    check::<Plain>();
    check::<Documented>();
    check::<Vec<Plain>>();
    check::<Vec<Documented>>();
}

#[test]
fn defaults_and_annotations() {
    fn both() -> Vec<Plain> {
        vec![Plain::Blue, Plain::Red]
    }
    #[derive(Derive, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    #[expect(dead_code, reason = "only the type is of interest")]
    struct Defaults {
        text: String,
        #[schemars(extend("x-order" = 7), example = 3)]
        number: f64,
        none: Option<bool>,
        #[serde(default = "both")]
        several: Vec<Plain>,
    }
    impl Default for Defaults {
        fn default() -> Self {
            Self { text: "t".into(), number: 0.5, none: None, several: Vec::new() }
        }
    }
    assert_eq!(
        form::<Defaults>(),
        r#"{"type":"object","properties":{"text":{"type":"string","default":"t"},"number":{"type":"number","default":0.5},"none":{"type":"boolean"},"several":{"type":"array","items":{"type":"string","enum":["Red","blau"]},"default":["blau","Red"]}}}"#
    );
}

#[test]
fn members_of_flattened_structs_stand_by_name() {
    #[derive(Derive, Deserialize)]
    #[expect(dead_code, reason = "only the type is of interest")]
    struct Flat {
        z: bool,
        #[serde(flatten)]
        inner: Only<bool>,
        a: bool,
    }
    let form = ElicitationSchema::of::<Flat>().unwrap();
    let names: Vec<_> = form.properties.iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["a", "m", "z"]);
}

#[test]
fn what_does_not_fit_a_member_is_refused_with_the_reason() {
    #[derive(Derive, Deserialize)]
    struct Circle {
        #[expect(dead_code, reason = "only the type is of interest")]
        m: Option<Box<Circle>>,
    }
    assert!(refused_member::<Only<u8>>().contains("members inside members"));
    assert!(refused_member::<BTreeMap<String, String>>().contains("members inside members"));
    assert!(refused_member::<Vec<String>>().starts_with("a list"));
    assert!(refused_member::<Vec<Data>>().contains("not each of them is a text"));
    assert!(refused_member::<(u8, u8)>().starts_with("a list"));
    assert!(refused_member::<Data>().contains("not each of them is a text"));
    assert!(refused_member::<Tagged>().contains("not each of them is a text"));
    assert!(refused_member::<serde_json::Value>().contains("any value at all"));
    assert!(refused_member::<Option<serde_json::Value>>().contains("any value at all"));
    assert!(refused_member::<()>().contains("null"));
    let circle = refused::<Circle>();
    assert!(circle.reason().contains("holds itself"), "{circle}");
}

#[test]
fn no_keyword_that_excludes_values_is_dropped() {
    #[derive(Derive, Deserialize)]
    struct Pattern {
        #[schemars(pattern("^a"))]
        #[expect(dead_code, reason = "only the type is of interest")]
        m: String,
    }
    #[derive(Derive, Deserialize)]
    struct Multiple {
        #[schemars(extend("multipleOf" = 5))]
        #[expect(dead_code, reason = "only the type is of interest")]
        m: u8,
    }
    #[derive(Derive, Deserialize)]
    struct Format {
        #[schemars(extend("format" = "uuid"))]
        #[expect(dead_code, reason = "only the type is of interest")]
        m: String,
    }
    assert!(refused::<Pattern>().reason().contains("`pattern`"));
    assert!(refused::<Multiple>().reason().contains("`multipleOf`"));
    assert!(refused::<Format>().reason().contains("`uuid`"));
}

#[test]
fn only_a_struct_is_a_form() {
    #[derive(Derive, Deserialize)]
    struct More {
        #[serde(flatten)]
        #[expect(dead_code, reason = "only the type is of interest")]
        more: BTreeMap<String, String>,
    }
    for unfit in [
        refused::<String>(),
        refused::<Tagged>(),
        refused::<Plain>(),
        refused::<Option<Only<u8>>>(),
        refused::<Vec<Only<u8>>>(),
        refused::<serde_json::Value>(),
    ] {
        assert_eq!(unfit.member(), None);
        assert!(unfit.reason().contains("a struct with named members"), "{unfit}");
    }
    for unfit in [refused::<More>(), refused::<BTreeMap<String, String>>()] {
        assert!(unfit.reason().contains("any name"), "{unfit}");
    }
}

#[test]
fn an_error_names_the_type_and_the_member() {
    let unfit = refused::<Only<Only<bool>>>();
    let text = unfit.to_string();
    assert!(text.contains("generated_schemas::Only<"), "{text}");
    assert!(text.ends_with("member `m`: a form has no members inside members"), "{text}");
}

#[test]
fn the_schema_of_arguments() {
    /// What to look for.
    #[derive(Derive, Deserialize)]
    #[expect(dead_code, reason = "only the type is of interest")]
    struct Search {
        /// The words.
        words: Vec<String>,
        inside: Option<Inside>,
        #[serde(default)]
        limit: u32,
    }
    #[derive(Derive, Deserialize)]
    #[expect(dead_code, reason = "only the type is of interest")]
    struct Inside {
        path: String,
    }
    let schema = JsonSchema::input_of::<Search>().unwrap();
    assert_eq!(schema.dialect().as_deref(), Some("https://json-schema.org/draft/2020-12/schema"));
    assert_eq!(schema.keyword("type"), Some("\"object\""));
    assert_eq!(schema.keyword("description"), Some("\"What to look for.\""));
    assert_eq!(schema.keyword("required"), Some(r#"["words"]"#));
    let properties = schema.keyword("properties").unwrap();
    let places: Vec<_> = ["words", "inside", "limit"].map(|name| properties.find(name)).into();
    assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{properties}");
    assert!(properties.contains("#/$defs/Inside") && schema.keyword("$defs").is_some(), "{schema:?}");
}

#[test]
fn arguments_are_objects() {
    /// Its alternatives are references.
    #[derive(Derive, Deserialize)]
    #[serde(untagged)]
    #[expect(dead_code, reason = "only the type is of interest")]
    enum Either {
        Named(Only<bool>),
        Tagged(Tagged),
    }
    for schema in [
        JsonSchema::input_of::<Tagged>(),
        JsonSchema::input_of::<Either>(),
        JsonSchema::input_of::<BTreeMap<String, u8>>(),
        JsonSchema::input_of::<serde_json::Map<String, serde_json::Value>>(),
    ] {
        let schema = schema.unwrap();
        assert_eq!(schema.keyword("type"), Some("\"object\""), "{schema:?}");
    }
    for unfit in [
        JsonSchema::input_of::<String>(),
        JsonSchema::input_of::<()>(),
        JsonSchema::input_of::<Option<Tagged>>(),
        JsonSchema::input_of::<Data>(),
        JsonSchema::input_of::<serde_json::Value>(),
        JsonSchema::input_of::<Vec<Tagged>>(),
    ] {
        let unfit = unfit.unwrap_err();
        assert!(unfit.reason().contains("arguments are an object"), "{unfit}");
    }
}

#[test]
fn a_structured_result_is_what_the_type_writes() {
    #[derive(Derive, Serialize, Deserialize)]
    struct Weather {
        #[serde(rename(serialize = "celsius", deserialize = "kelvin"))]
        degrees: f64,
        #[serde(default)]
        words: String,
    }
    let written = JsonSchema::output_of::<Weather>();
    assert_eq!(written.keyword("required"), Some(r#"["celsius","words"]"#));
    let read = JsonSchema::input_of::<Weather>().unwrap();
    assert_eq!(read.keyword("required"), Some(r#"["kelvin"]"#));
    assert_eq!(JsonSchema::output_of::<[u8]>().keyword("type"), Some("\"array\""));
    assert!(JsonSchema::output_of::<serde_json::Value>().keyword("type").is_none());
}
