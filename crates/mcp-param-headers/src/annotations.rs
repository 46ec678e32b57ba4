//! Finds the annotations of a schema, in one pass over its text.

use mcp_types::read::{self, Reader};

use super::{HeaderPlan, InvalidHeader, InvalidHeaderReason as Reason, PREFIX, Parameter};

const KEYWORD: &str = "x-mcp-header";

/// The deepest schema that is read: as deep as `serde_json` reads.
const DEPTH: usize = 127;

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
    let root = match Schema::read(&mut Reader::new(schema), DEPTH) {
        Ok(root) => root,
        Err(_) if !literal => return Ok(HeaderPlan::default()),
        Err(_) => return Err(InvalidHeader { path: Vec::new(), reason: Reason::TooDeep }),
    };
    let mut path = Vec::new();
    let mut check = Check { path: &mut path, names: Vec::new() };
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
    /// Few, and in lower case.
    names: Vec<String>,
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
        let lower = name.to_ascii_lowercase();
        if self.names.contains(&lower) {
            return Err(Reason::Duplicate);
        }
        self.names.push(lower);
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

    /// What is of no use is let pass, whatever it is. At most `depth` more levels are read.
    fn read(reader: &mut Reader<'_>, depth: usize) -> read::Result<Self> {
        let Some(depth) = depth.checked_sub(1) else { return Err(reader.error("too deep")) };
        let mut schema = Self::default();
        match reader.peek() {
            Some(b'{') => reader.entries("a schema", &mut |keyword, reader| {
                schema.member(Keyword::of(&keyword), reader, depth)
            })?,
            // A list of schemas: what matters is whether one of them is annotated.
            Some(b'[') => reader.elements(&mut |reader| {
                if Self::read(reader, depth)?.is_annotated() {
                    schema.beyond = Some("[]");
                }
                Ok(())
            })?,
            _ => reader.skip()?,
        }
        Ok(schema)
    }

    fn member(&mut self, keyword: Keyword, reader: &mut Reader<'_>, depth: usize) -> read::Result<()> {
        match keyword {
            Keyword::Annotation => self.annotation = Some(Annotation::read(reader)?),
            Keyword::Type => self.types = Types::read(reader)?,
            Keyword::Properties => self.properties = annotated(reader, depth)?,
            Keyword::Applicator(keyword) => {
                let found = Self::read(reader, depth)?.is_annotated().then_some(keyword);
                self.beyond = self.beyond.or(found);
            }
            Keyword::Named(keyword) => {
                let found = (!annotated(reader, depth)?.is_empty()).then_some(keyword);
                self.beyond = self.beyond.or(found);
            }
            Keyword::Other => reader.skip()?,
        }
        Ok(())
    }
}

/// The annotated ones of an object of schemas, by name.
fn annotated(reader: &mut Reader<'_>, depth: usize) -> read::Result<Vec<(String, Schema)>> {
    let mut schemas = Vec::new();
    if reader.peek() != Some(b'{') {
        return reader.skip().map(|()| schemas);
    }
    let Some(depth) = depth.checked_sub(1) else { return Err(reader.error("too deep")) };
    reader.entries("schemas", &mut |name, reader| {
        let schema = Schema::read(reader, depth)?;
        if schema.is_annotated() {
            schemas.push((name.into_owned(), schema));
        }
        Ok(())
    })?;
    Ok(schemas)
}

impl Keyword {
    fn of(text: &str) -> Self {
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

impl Annotation {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        if reader.peek() == Some(b'"') {
            return Ok(Self::Text(reader.string()?.into_owned()));
        }
        reader.skip().map(|()| Self::Other)
    }
}

impl Types {
    /// One type, or a union of them.
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        let mut types = Self::default();
        match reader.peek() {
            Some(b'"') => types.add(&reader.string()?),
            Some(b'[') => reader.elements(&mut |reader| {
                if reader.peek() != Some(b'"') {
                    return reader.skip();
                }
                types.add(&reader.string()?);
                Ok(())
            })?,
            _ => reader.skip()?,
        }
        Ok(types)
    }

    fn add(&mut self, text: &str) {
        let header = matches!(text, "string" | "integer" | "boolean");
        self.header |= header;
        self.other |= !header && text != "null";
    }
}
