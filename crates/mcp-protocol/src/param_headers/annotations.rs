//! Finds the annotations of a schema, in one pass over its text.

use std::collections::HashSet;

use serde::de::{IgnoredAny, MapAccess, SeqAccess};

use super::{
    HeaderPlan, InvalidHeader, InvalidHeaderReason as Reason, PREFIX, Parameter,
    loose::{Loose, Read},
};

const KEYWORD: &str = "x-mcp-header";

/// Keywords whose value is a schema, or a list of schemas.
pub(super) const APPLICATORS: [&str; 16] = [
    "items",
    "prefixItems",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "propertyNames",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "contentSchema",
];

/// Keywords whose value is an object of schemas, by names that are no keywords.
pub(super) const NAMED: [&str; 5] =
    ["$defs", "definitions", "patternProperties", "dependentSchemas", "dependencies"];

pub(super) fn plan(schema: &str) -> Result<HeaderPlan, InvalidHeader> {
    let literal = memchr::memmem::find(schema.as_bytes(), KEYWORD.as_bytes()).is_some();
    if !literal && !has_escaped_letter(schema.as_bytes()) {
        return Ok(HeaderPlan::default());
    }
    let root: Schema = match serde_json::from_str(schema) {
        Ok(Read(root)) => root,
        Err(_) if !literal => return Ok(HeaderPlan::default()),
        Err(_) => return Err(InvalidHeader { path: Vec::new(), reason: Reason::TooDeep }),
    };
    let mut path = Vec::new();
    let mut check = Check { path: &mut path, names: HashSet::new() };
    match check.root(root) {
        Ok(parameters) => Ok(HeaderPlan { parameters }),
        Err(reason) => Err(InvalidHeader { path, reason }),
    }
}

/// Whether a character of [`KEYWORD`] may be written as an escape. None of them has a shorter one.
fn has_escaped_letter(schema: &[u8]) -> bool {
    const ESCAPE: &[u8] = b"\\u00";
    memchr::memmem::find_iter(schema, ESCAPE)
        .any(|at| matches!(schema.get(at + ESCAPE.len()), Some(b'2' | b'6' | b'7')))
}

/// What matters of a schema. Properties without annotations in them are left out.
#[derive(Default)]
struct Schema {
    annotation: Option<Annotation>,
    types: Types,
    properties: Vec<(String, Self)>,
    /// The keyword behind which an annotation stands where none may.
    beyond: Option<&'static str>,
}

/// What a member of a schema is.
#[derive(Clone, Copy, Default)]
enum Keyword {
    Annotation,
    Type,
    Properties,
    /// Of [`APPLICATORS`].
    Applicator(&'static str),
    /// Of [`NAMED`].
    Named(&'static str),
    #[default]
    Other,
}

/// The annotated ones of an object of schemas, by name.
#[derive(Default)]
struct Schemas(Vec<(String, Schema)>);

#[derive(Default)]
enum Annotation {
    Text(String),
    #[default]
    Other,
}

/// What the keyword `type` permits.
#[derive(Default)]
struct Types {
    /// String, integer or boolean.
    header: bool,
    other: bool,
}

struct Check<'a> {
    path: &'a mut Vec<String>,
    names: HashSet<String>,
}

impl Check<'_> {
    fn root(&mut self, root: Schema) -> Result<Box<[Parameter]>, Reason> {
        if root.annotation.is_some() {
            return Err(Reason::Unreachable(None));
        }
        self.members(root)
    }

    fn members(&mut self, schema: Schema) -> Result<Box<[Parameter]>, Reason> {
        if let Some(keyword) = schema.beyond {
            return Err(Reason::Unreachable(Some(keyword)));
        }
        let mut members = Vec::with_capacity(schema.properties.len());
        for (name, property) in schema.properties {
            self.path.push(name);
            members.push(self.parameter(property)?);
            self.path.pop();
        }
        Ok(members.into())
    }

    fn parameter(&mut self, mut property: Schema) -> Result<Parameter, Reason> {
        let annotation = property.annotation.take();
        let header = annotation.map(|annotation| self.header(annotation, &property.types)).transpose()?;
        let name = self.path.last().map(String::as_str).unwrap_or_default().into();
        Ok(Parameter { name, header, members: self.members(property)? })
    }

    fn header(&mut self, annotation: Annotation, types: &Types) -> Result<Box<str>, Reason> {
        let Annotation::Text(name) = annotation else { return Err(Reason::NotText) };
        if name.is_empty() {
            return Err(Reason::Empty);
        }
        if let Some(c) = name.chars().find(|c| !is_token(*c)) {
            return Err(Reason::Character(c));
        }
        if !types.header || types.other {
            return Err(Reason::Type);
        }
        if !self.names.insert(name.to_ascii_lowercase()) {
            return Err(Reason::Duplicate);
        }
        Ok(format!("{PREFIX}{name}").into())
    }
}

/// A `tchar` of RFC 9110.
fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

impl Schema {
    fn is_annotated(&self) -> bool {
        self.annotation.is_some() || self.beyond.is_some() || !self.properties.is_empty()
    }

    fn read<'de, A: MapAccess<'de>>(&mut self, keyword: Keyword, object: &mut A) -> Result<(), A::Error> {
        match keyword {
            Keyword::Annotation => self.annotation = Some(value(object)?),
            Keyword::Type => self.types = value(object)?,
            Keyword::Properties => self.properties = value::<Schemas, _>(object)?.0,
            Keyword::Applicator(keyword) => {
                let found = value::<Self, _>(object)?.is_annotated().then_some(keyword);
                self.beyond = self.beyond.or(found);
            }
            Keyword::Named(keyword) => {
                let found = (!value::<Schemas, _>(object)?.0.is_empty()).then_some(keyword);
                self.beyond = self.beyond.or(found);
            }
            Keyword::Other => drop(object.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }
}

fn value<'de, T: Loose, A: MapAccess<'de>>(object: &mut A) -> Result<T, A::Error> {
    Ok(object.next_value::<Read<T>>()?.0)
}

impl Loose for Schema {
    fn object<'de, A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        let mut schema = Self::default();
        while let Some(Read(keyword)) = object.next_key()? {
            schema.read(keyword, &mut object)?;
        }
        Ok(schema)
    }

    /// A list of schemas: what matters is whether one of them is annotated.
    fn list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut all = Self::default();
        while let Some(Read(schema)) = list.next_element::<Read<Self>>()? {
            if schema.is_annotated() {
                all.beyond = Some("[]");
            }
        }
        Ok(all)
    }
}

impl Loose for Schemas {
    fn object<'de, A: MapAccess<'de>>(mut object: A) -> Result<Self, A::Error> {
        let mut schemas = Vec::new();
        while let Some((name, Read(schema))) = object.next_entry::<String, Read<Schema>>()? {
            if schema.is_annotated() {
                schemas.push((name, schema));
            }
        }
        Ok(Self(schemas))
    }
}

impl Loose for Keyword {
    fn text(text: &str) -> Self {
        let known = |keywords: &[&'static str]| keywords.iter().find(|it| **it == text).copied();
        match text {
            KEYWORD => Self::Annotation,
            "type" => Self::Type,
            "properties" => Self::Properties,
            _ => known(&APPLICATORS)
                .map(Self::Applicator)
                .or_else(|| known(&NAMED).map(Self::Named))
                .unwrap_or_default(),
        }
    }
}

impl Loose for Annotation {
    fn text(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl Loose for Types {
    fn text(text: &str) -> Self {
        let header = matches!(text, "string" | "integer" | "boolean");
        Self { header, other: !header && text != "null" }
    }

    /// A union.
    fn list<'de, A: SeqAccess<'de>>(mut list: A) -> Result<Self, A::Error> {
        let mut union = Self::default();
        while let Some(Read(types)) = list.next_element::<Read<Self>>()? {
            union.header |= types.header;
            union.other |= types.other;
        }
        Ok(union)
    }
}
