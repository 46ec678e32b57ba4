//! Schemas of Rust types, from what `schemars` says about them.

mod fields;
mod form;
mod member;

use std::fmt;

use schemars::generate::SchemaSettings;
use serde_core::de::DeserializeOwned;
use serde_json::Value;

use crate::{Json, JsonObject, JsonSchema};
use fields::Fields;

/// With feature `schemars`.
impl JsonSchema {
    /// The schema of a tool's arguments: what `T` reads, in 2020-12.
    ///
    /// Doc comments become descriptions. Types that `T` holds are in `$defs`. The members of `T` itself stand in the order
    /// of their declaration, unless `T` uses `#[serde(flatten)]`; everything else in the order that `serde_json` keeps,
    /// which is by name unless something in the build switches its `preserve_order` on.
    ///
    /// ```
    /// # #[derive(schemars::JsonSchema, serde::Deserialize)]
    /// # struct Sum {
    /// #     a: i64,
    /// #     b: i64,
    /// # }
    /// # fn main() -> Result<(), mcp_types::UnfitType> {
    /// use mcp_types::{JsonSchema, Tool};
    ///
    /// let tool = Tool::new("add", JsonSchema::input_of::<Sum>()?);
    /// assert_eq!(tool.input_schema.keyword("required"), Some(r#"["a","b"]"#));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When `T` is not always an object, as the specification wants it of arguments. A tool without any takes
    /// [`JsonSchema::any_object`].
    pub fn input_of<T: schemars::JsonSchema + DeserializeOwned>() -> Result<Self, UnfitType> {
        let mut schema = SchemaSettings::draft2020_12().into_generator().into_root_schema_for::<T>();
        if !is_object(schema.as_value(), schema.as_value(), MAX_REFERENCES) {
            return Err(UnfitType::whole("arguments are an object, and it can be something else").of::<T>());
        }
        schema.insert("type".into(), "object".into());
        let mut schema = written(&schema);
        if let Some(properties) = schema.get("properties").and_then(|json| json.decode::<JsonObject>().ok()) {
            let mut properties: Vec<_> = properties.into_iter().collect();
            Fields::of::<T>().sort(&mut properties, |(name, _)| name);
            schema.insert("properties", Json::from(JsonObject::from_iter(properties)));
        }
        Ok(Self::from(schema))
    }

    /// The schema of a tool's structured result: what `T` writes, in 2020-12.
    ///
    /// Until 2025-11-25 a structured result is an object; make it of a type that is one. Everything else is as for
    /// [`JsonSchema::input_of`], but all members stand in the order that `serde_json` keeps.
    pub fn output_of<T: schemars::JsonSchema + ?Sized>() -> Self {
        let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
        Self::from(written(&generator.into_root_schema_for::<T>()))
    }
}

/// A Rust type has no schema of the form that is wanted: which member does not fit, and why. With feature `schemars`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfitType {
    type_name: &'static str,
    member: Option<String>,
    reason: String,
}

impl UnfitType {
    /// The member that does not fit, by its name on the wire; `None` when it is the type as a whole.
    pub fn member(&self) -> Option<&str> {
        self.member.as_deref()
    }

    /// Why it does not fit, for the author of the type.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    fn whole(reason: impl Into<String>) -> Self {
        Self { type_name: "", member: None, reason: reason.into() }
    }

    fn member_of(name: &str, reason: impl Into<String>) -> Self {
        Self { member: Some(name.to_owned()), ..Self::whole(reason) }
    }

    fn of<T: ?Sized>(self) -> Self {
        Self { type_name: std::any::type_name::<T>(), ..self }
    }
}

impl fmt::Display for UnfitType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` does not fit", self.type_name)?;
        if let Some(member) = &self.member {
            write!(f, ", member `{member}`")?;
        }
        write!(f, ": {}", self.reason)
    }
}

impl std::error::Error for UnfitType {}

/// How many references are followed one after the other; a longer chain is a circle.
const MAX_REFERENCES: usize = 32;

/// Whether only objects are valid, as far as types and alternatives say so.
fn is_object(schema: &Value, root: &Value, references: usize) -> bool {
    if let Some(kind) = schema.get("type") {
        return kind == "object";
    }
    if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
        let target = target.strip_prefix('#').and_then(|pointer| root.pointer(pointer));
        return references > 0 && target.is_some_and(|target| is_object(target, root, references - 1));
    }
    ["oneOf", "anyOf"].into_iter().filter_map(|key| schema.get(key)?.as_array()).any(|alternatives| {
        references > 0 && alternatives.iter().all(|schema| is_object(schema, root, references - 1))
    })
}

/// With the keywords in the order that `schemars` finds readable.
fn written(schema: &schemars::Schema) -> JsonObject {
    let json = Json::encode(schema).expect("a schema can always be written as JSON");
    json.decode().expect("the schema of a document is an object")
}
