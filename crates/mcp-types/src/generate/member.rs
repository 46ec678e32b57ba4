use serde_json::{Map, Value};

use crate::{
    BooleanSchema, EnumOption, Json, Number, NumberKind, NumberSchema, PrimitiveSchemaDefinition,
    StringFormat, StringSchema, TitledItems, TitledMultiSelectEnumSchema, TitledSingleSelectEnumSchema,
    UntitledItems, UntitledMultiSelectEnumSchema, UntitledSingleSelectEnumSchema,
};

/// The member of a form that `schema` describes, or why there is none.
pub(super) fn read(schema: &Value) -> Result<PrimitiveSchemaDefinition, String> {
    let Value::Object(keywords) = schema else {
        return Err("it can be any value at all".to_owned());
    };
    let mut keywords = Keywords(without_null(keywords.clone())?);
    let member = match keywords.kind() {
        "string" | "" if keywords.lists_options() => single_select(&mut keywords)?,
        "string" => string(&mut keywords)?.into(),
        "number" => number(&mut keywords, NumberKind::Number)?.into(),
        "integer" => number(&mut keywords, NumberKind::Integer)?.into(),
        "boolean" => boolean(&mut keywords)?.into(),
        "array" => multi_select(&mut keywords)?,
        "object" => return Err("a form has no members inside members".to_owned()),
        "null" => return Err("it has no value but `null`".to_owned()),
        _ if keywords.has("$ref") => {
            return Err("it holds itself; a form has no members inside members".to_owned());
        }
        _ => return Err("its schema names no one type".to_owned()),
    };
    keywords.finish()?;
    Ok(member)
}

/// Whether a keyword can be left out without making another value valid.
pub(super) fn only_annotates(keyword: &str) -> bool {
    matches!(keyword, "examples" | "deprecated" | "readOnly" | "writeOnly" | "$comment")
        || keyword.starts_with("x-")
}

fn string(keywords: &mut Keywords) -> Result<StringSchema, String> {
    let format = keywords.text("format")?.map(StringFormat::from);
    if let Some(StringFormat::Other(format)) = format {
        return Err(format!("a form has no text of the format `{format}`"));
    }
    let mut schema = StringSchema::new();
    schema.title = keywords.text("title")?;
    schema.description = keywords.text("description")?;
    schema.min_length = keywords.count("minLength")?;
    schema.max_length = keywords.count("maxLength")?;
    schema.format = format;
    schema.default = keywords.text("default")?;
    Ok(schema)
}

fn number(keywords: &mut Keywords, kind: NumberKind) -> Result<NumberSchema, String> {
    // Says which Rust type it is. What that excludes, decoding finds.
    keywords.0.remove("format");
    let mut schema = NumberSchema::new(kind);
    schema.title = keywords.text("title")?;
    schema.description = keywords.text("description")?;
    schema.minimum = keywords.number("minimum")?;
    schema.maximum = keywords.number("maximum")?;
    schema.default = keywords.number("default")?;
    Ok(schema)
}

fn boolean(keywords: &mut Keywords) -> Result<BooleanSchema, String> {
    let mut schema = BooleanSchema::new();
    schema.title = keywords.text("title")?;
    schema.description = keywords.text("description")?;
    schema.default = keywords.take("default", Value::as_bool)?;
    Ok(schema)
}

/// Sets members of the same names.
macro_rules! with {
    ($schema:expr; $($member:ident),*) => {{
        let mut schema = $schema;
        $(schema.$member = $member;)*
        schema.into()
    }};
}

fn single_select(keywords: &mut Keywords) -> Result<PrimitiveSchemaDefinition, String> {
    let (title, description) = (keywords.text("title")?, keywords.text("description")?);
    let default = keywords.text("default")?;
    Ok(match options(keywords)? {
        Options::Untitled(values) => {
            with!(UntitledSingleSelectEnumSchema::new(values); title, description, default)
        }
        Options::Titled(options) => {
            with!(TitledSingleSelectEnumSchema::new(options); title, description, default)
        }
    })
}

fn multi_select(keywords: &mut Keywords) -> Result<PrimitiveSchemaDefinition, String> {
    const NO_OPTIONS: &str = "a list must be of an enum whose variants hold no data";
    let Some(Value::Object(items)) = keywords.0.remove("items") else {
        return Err(NO_OPTIONS.to_owned());
    };
    let mut items = Keywords(items);
    if !items.lists_options() || !matches!(items.kind(), "string" | "") {
        return Err(NO_OPTIONS.to_owned());
    }
    let options = options(&mut items)?;
    let (item_title, item_description) = (items.text("title")?, items.text("description")?);
    items.finish()?;
    // Of several values of a choice each is another one anyhow.
    keywords.0.remove("uniqueItems");
    let title = keywords.text("title")?.or(item_title);
    let description = keywords.text("description")?.or(item_description);
    let (min_items, max_items) = (keywords.count("minItems")?, keywords.count("maxItems")?);
    let default = keywords.take("default", texts)?;
    Ok(match options {
        Options::Untitled(values) => with!(
            UntitledMultiSelectEnumSchema::new(UntitledItems::new(values));
            title, description, min_items, max_items, default
        ),
        Options::Titled(options) => with!(
            TitledMultiSelectEnumSchema::new(TitledItems::new(options));
            title, description, min_items, max_items, default
        ),
    })
}

enum Options {
    Untitled(Vec<String>),
    Titled(Vec<EnumOption>),
}

/// An enum with docs is a list of alternatives, in which those variants that have none may stand together.
fn options(keywords: &mut Keywords) -> Result<Options, String> {
    keywords.0.remove("type");
    let mut found = Vec::new();
    let alternatives = ["oneOf", "anyOf"].into_iter().find_map(|key| keywords.0.remove(key));
    if let Some(Value::Array(alternatives)) = alternatives {
        for alternative in alternatives {
            let mut alternative = match alternative {
                Value::Object(keywords) => Keywords(keywords),
                _ => return Err(DATA.to_owned()),
            };
            let title = alternative.text("title")?;
            let title = title.or(alternative.text("description")?.map(|text| first_paragraph(&text)));
            found.extend(alternative.values()?.into_iter().map(|value| (value, title.clone())));
            alternative.0.remove("type");
            alternative.finish()?;
        }
    } else {
        found.extend(keywords.values()?.into_iter().map(|value| (value, None)));
    }
    if found.iter().all(|(_, title)| title.is_none()) {
        return Ok(Options::Untitled(found.into_iter().map(|(value, _)| value).collect()));
    }
    let titled =
        found.into_iter().map(|(value, title)| EnumOption::new(value.clone(), title.unwrap_or(value)));
    Ok(Options::Titled(titled.collect()))
}

const DATA: &str = "it is one of several things, and not each of them is a text";

fn first_paragraph(text: &str) -> String {
    text.lines().take_while(|line| !line.trim().is_empty()).collect::<Vec<_>>().join(" ")
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|value| value.as_str().map(str::to_owned)).collect()
}

/// An optional member may be left out, which a form says by not requiring it.
fn without_null(mut keywords: Map<String, Value>) -> Result<Map<String, Value>, String> {
    if keywords.get("default").is_some_and(Value::is_null) {
        keywords.remove("default");
    }
    if let Some(Value::Array(kinds)) = keywords.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            keywords.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(values)) = keywords.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    for key in ["anyOf", "oneOf"] {
        let Some(Value::Array(alternatives)) = keywords.get_mut(key) else { continue };
        let before = alternatives.len();
        alternatives.retain(|alternative| alternative.get("type").is_none_or(|kind| kind != "null"));
        if alternatives.len() == before || alternatives.len() != 1 {
            continue;
        }
        let Some(Value::Object(inner)) = alternatives.pop() else {
            return Err("it can be any value at all".to_owned());
        };
        keywords.remove(key);
        // What the member says of itself counts before what its type says.
        for (key, value) in inner {
            keywords.entry(key).or_insert(value);
        }
    }
    Ok(keywords)
}

/// The keywords of a schema, taken one by one, so that none is overlooked.
struct Keywords(Map<String, Value>);

impl Keywords {
    /// The `type`, or nothing.
    fn kind(&self) -> &str {
        self.0.get("type").and_then(Value::as_str).unwrap_or_default()
    }

    fn has(&self, key: &str) -> bool {
        self.0.contains_key(key)
    }

    fn lists_options(&self) -> bool {
        ["enum", "const", "oneOf", "anyOf"].into_iter().any(|key| self.has(key))
    }

    /// The texts of `enum` or `const`.
    fn values(&mut self) -> Result<Vec<String>, String> {
        if let Some(values) = self.take("enum", texts)? {
            return Ok(values);
        }
        let value = self.text("const")?.ok_or(DATA)?;
        Ok(vec![value])
    }

    fn text(&mut self, key: &str) -> Result<Option<String>, String> {
        self.take(key, |value| value.as_str().map(str::to_owned))
    }

    fn count(&mut self, key: &str) -> Result<Option<u64>, String> {
        self.take(key, Value::as_u64)
    }

    fn number(&mut self, key: &str) -> Result<Option<Number>, String> {
        self.take(key, |value| Json::encode(value.as_number()?).ok()?.decode().ok())
    }

    fn take<T>(&mut self, key: &str, read: impl Fn(&Value) -> Option<T>) -> Result<Option<T>, String> {
        let Some(value) = self.0.remove(key) else { return Ok(None) };
        match read(&value) {
            Some(value) => Ok(Some(value)),
            None => Err(format!("a form has no `{key}` of the value `{value}`")),
        }
    }

    fn finish(mut self) -> Result<(), String> {
        self.0.remove("type");
        match self.0.keys().find(|keyword| !only_annotates(keyword)) {
            Some(keyword) => Err(format!("a form has no keyword `{keyword}`")),
            None => Ok(()),
        }
    }
}
