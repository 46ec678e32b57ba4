//! Arguments of a tool that travel in header fields too: the `x-mcp-header` annotations of its `inputSchema`, and the
//! `Mcp-Param-*` fields that follow from them.
//!
//! - [`HeaderPlan`] says which arguments travel in which fields, or [why](InvalidHeader) a schema says it wrongly.
//! - [`encode_value`] and [`decode_value`] write the values of fields, and read them back.
//! - [`is_param_field`] tells these fields from others by their names.
//!
//! Deliberately absent: HTTP, async, and which definition of a tool counts. See `mcp-client` for that.
//!
//! Section: [Custom Headers from Tool Parameters](https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters).

mod annotations;
mod invalid;
#[cfg(test)]
mod tests;
mod value;

use std::borrow::Cow;

use mcp_types::jsonrpc::scan::Members;

pub use invalid::{InvalidHeader, InvalidHeaderReason};
pub use value::{decode_value, encode_value};

/// What the name of every such field begins with.
const PREFIX: &str = "Mcp-Param-";

/// Which arguments of a tool travel in which header fields.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeaderPlan {
    /// The parameters on the way to annotated ones; nothing else.
    parameters: Box<[Parameter]>,
}

/// A parameter, or a member of one, that is annotated or holds what is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Parameter {
    name: Box<str>,
    /// The name of the field.
    header: Option<Box<str>>,
    members: Box<[Self]>,
}

impl HeaderPlan {
    /// The plan of a tool with this `inputSchema`, a JSON text. Empty without annotations: most tools have none.
    ///
    /// `$ref` is not followed. A type may be a union of the permitted ones, and may permit `null` beside them, because a
    /// `null` argument has no field anyway.
    ///
    /// # Errors
    /// When an annotation breaks a rule of the specification: the tool is to be left out of listings then.
    pub fn of(input_schema: &str) -> Result<Self, InvalidHeader> {
        annotations::plan(input_schema)
    }

    /// Whether no argument travels in a field.
    pub fn is_empty(&self) -> bool {
        self.parameters.is_empty()
    }

    /// The names of the fields, in the order of the schema.
    pub fn names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        collect_names(&self.parameters, &mut names);
        names
    }

    /// The bytes that the plan takes.
    pub fn size(&self) -> usize {
        size(&self.parameters)
    }

    /// The fields, name and encoded value, of a call with these `arguments`: a JSON object.
    ///
    /// Absent arguments and `null` have no field. What is of another kind than the schema says is written as what it is;
    /// an array or an object has no field: whether it may be there is for the server to say.
    pub fn fields<'a>(&'a self, arguments: &'a [u8]) -> Vec<(&'a str, Cow<'a, str>)> {
        let mut fields = Vec::new();
        collect_fields(&self.parameters, arguments, &mut fields);
        fields
    }
}

/// Whether `name` is one of a field that mirrors an argument, of whatever tool: `Mcp-Param-*`, in upper or lower case.
pub fn is_param_field(name: &str) -> bool {
    name.get(..PREFIX.len()).is_some_and(|start| start.eq_ignore_ascii_case(PREFIX))
}

fn collect_names<'a>(parameters: &'a [Parameter], names: &mut Vec<&'a str>) {
    for parameter in parameters {
        names.extend(parameter.header.as_deref());
        collect_names(&parameter.members, names);
    }
}

fn size(parameters: &[Parameter]) -> usize {
    let text =
        |parameter: &Parameter| parameter.name.len() + parameter.header.as_ref().map_or(0, |it| it.len());
    parameters.iter().map(|it| size_of::<Parameter>() + text(it) + size(&it.members)).sum()
}

fn collect_fields<'a>(
    parameters: &'a [Parameter],
    object: &'a [u8],
    fields: &mut Vec<(&'a str, Cow<'a, str>)>,
) {
    let Ok(members) = Members::of(object) else { return };
    let mut values = vec![None; parameters.len()];
    for member in members.map_while(Result::ok) {
        // Of several members of one name the last counts, as for most readers of the body.
        if let Some(at) = parameters.iter().position(|it| member.is_named(object, &it.name)) {
            values[at] = Some(&object[member.value]);
        }
    }
    for (parameter, value) in parameters.iter().zip(values) {
        let Some(value) = value else { continue };
        if let Some(header) = &parameter.header
            && let Some(text) = value::text_of(value)
        {
            fields.push((header, encode(text)));
        }
        collect_fields(&parameter.members, value, fields);
    }
}

fn encode(text: Cow<'_, str>) -> Cow<'_, str> {
    match text {
        Cow::Borrowed(text) => encode_value(text),
        Cow::Owned(text) => Cow::Owned(encode_value(&text).into_owned()),
    }
}

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
