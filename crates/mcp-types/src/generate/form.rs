use schemars::generate::SchemaSettings;
use serde_core::de::DeserializeOwned;
use serde_json::Value;

use super::{UnfitType, fields::Fields, member};
use crate::{ElicitationSchema, Map, PrimitiveSchemaDefinition};

/// With feature `schemars`.
impl ElicitationSchema {
    /// The form that asks for a `T`. What the user enters can be read into `T`: see
    /// [`ElicitResult::content`](crate::ElicitResult::content).
    ///
    /// | member of `T` | in the form |
    /// |---|---|
    /// | `String`, `char`, date and time types, URLs | a text, with `format`, `minLength`, `maxLength` |
    /// | integers, floats | a number, with `minimum` and `maximum` |
    /// | `bool` | yes or no |
    /// | an enum of variants without data | one of some values |
    /// | `Vec` or a set of such an enum | several of some values |
    /// | `Option` of these | the same, not required |
    ///
    /// Doc comments become descriptions; `#[schemars(title = "…")]` sets a title. A variant's title, or else its doc
    /// comment, is the text to show for it. Members stand in the order of their declaration, by name if `T` uses
    /// `#[serde(flatten)]`. What only annotates, the width of an integer or an example, is left out; no keyword that
    /// makes fewer values valid is.
    ///
    /// ```
    /// use mcp_types::{ElicitRequestFormParams, ElicitationSchema};
    ///
    /// /// Where to deploy.
    /// #[derive(schemars::JsonSchema, serde::Deserialize)]
    /// struct Target {
    ///     /// The branch to take.
    ///     branch: String,
    ///     /// How many machines.
    ///     #[schemars(range(min = 1, max = 9))]
    ///     machines: Option<u8>,
    /// }
    ///
    /// # fn main() -> Result<(), mcp_types::UnfitType> {
    /// let form = ElicitationSchema::of::<Target>()?;
    /// assert!(form.is_required("branch") && !form.is_required("machines"));
    /// let request = ElicitRequestFormParams::new("Where to?", form);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// When a member does not fit the subset of JSON Schema that the specification allows: members inside members, lists
    /// of anything but an enum, patterns, and whatever else a form cannot ask for.
    pub fn of<T: schemars::JsonSchema + DeserializeOwned>() -> Result<Self, UnfitType> {
        let mut settings = SchemaSettings::draft2020_12();
        settings.inline_subschemas = true;
        let schema = settings.into_generator().into_root_schema_for::<T>();
        form(schema.as_value(), &Fields::of::<T>()).map_err(UnfitType::of::<T>)
    }
}

fn form(schema: &Value, fields: &Fields) -> Result<ElicitationSchema, UnfitType> {
    if schema.get("type").is_none_or(|kind| kind != "object") {
        return Err(UnfitType::whole(NO_STRUCT));
    }
    for (keyword, value) in schema.as_object().into_iter().flatten() {
        whole(keyword, value).map_err(UnfitType::whole)?;
    }
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let mut members: Vec<(&str, PrimitiveSchemaDefinition)> = properties
        .map(|(name, schema)| match member::read(schema) {
            Ok(member) => Ok((name.as_str(), member)),
            Err(reason) => Err(UnfitType::member_of(name, reason)),
        })
        .collect::<Result<_, _>>()?;
    fields.sort(&mut members, |(name, _)| name);
    let required = schema.get("required").and_then(Value::as_array);
    let is_required =
        |name: &str| required.is_some_and(|names| names.iter().any(|required| required == name));
    let required: Vec<_> =
        members.iter().filter(|(name, _)| is_required(name)).map(|(name, _)| (*name).to_owned()).collect();
    let form = ElicitationSchema::new(members.into_iter().collect::<Map<_>>());
    Ok(if required.is_empty() { form } else { form.with_required(required) })
}

const NO_STRUCT: &str = "a form is a struct with named members";

/// Whether the form can do without this keyword of the whole.
fn whole(keyword: &str, value: &Value) -> Result<(), String> {
    match keyword {
        "type" | "properties" | "required" | "title" | "description" | "default" | "$schema" | "$defs" => {
            Ok(())
        }
        "additionalProperties" | "unevaluatedProperties" if value == false => Ok(()),
        "additionalProperties" | "unevaluatedProperties" | "patternProperties" => {
            Err("it has members of any name; the members of a form are named".to_owned())
        }
        "oneOf" | "anyOf" => Err(NO_STRUCT.to_owned()),
        _ if member::only_annotates(keyword) => Ok(()),
        _ => Err(format!("a form has no keyword `{keyword}`")),
    }
}
