//! How the types of this crate are written: each says what it is made of, as [`Node`]s. What walks those is generic over
//! serde's serializer alone, so that it is compiled once for each of them, not again for each type.
//!
//! What a type is made of is `#[inline]` everywhere: no crate writes all types, and each compiles only those that it writes.

use serde_core::{
    Serialize, Serializer,
    ser::{SerializeMap, SerializeSeq},
};

use crate::{Json, List, Map, RequestId, read::Names};

/// A piece of JSON to be written.
#[derive(Clone, Copy)]
pub(crate) enum Node<'a> {
    /// Nothing is written, not even a name.
    Absent,
    Null,
    Flag(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(&'a str),
    Json(&'a Json),
    Id(&'a RequestId),
    List(&'a dyn Elements),
    Object(&'a dyn Members),
}

/// What can be written.
pub(crate) trait Write {
    fn node(&self) -> Node<'_>;
}

/// An object to be written.
pub(crate) trait Members {
    /// Shows the members, in order. Those that are absent are not shown.
    fn visit(&self, each: &mut dyn FnMut(&str, Node<'_>));
}

/// A list to be written.
pub(crate) trait Elements {
    /// The element at a place; `None` behind the last one.
    fn element(&self, place: usize) -> Option<Node<'_>>;

    fn length(&self) -> usize;
}

/// Shows those of `values` that are there, one for each of the [`names!`](crate::read::names).
pub(crate) fn members(names: &'static str, values: &[&dyn Write], each: &mut dyn FnMut(&str, Node<'_>)) {
    let mut names = Names::of(names);
    for value in values {
        let name = names.next().unwrap_or_default();
        match value.node() {
            Node::Absent => {}
            node => each(name, node),
        }
    }
}

/// A member that is written as `null` when it is absent.
pub(crate) struct OrNull<'a, T>(pub(crate) &'a Option<T>);

impl<T: Write> Write for OrNull<'_, T> {
    fn node(&self) -> Node<'_> {
        match self.0 {
            Some(value) => value.node(),
            None => Node::Null,
        }
    }
}

/// What serde's `Serialize` is for a type of this crate.
pub(crate) fn serialize<S: Serializer>(value: &dyn Write, serializer: S) -> Result<S::Ok, S::Error> {
    value.node().serialize(serializer)
}

/// Implements serde's `Serialize` for types that can be written.
macro_rules! serialize_by_writing {
    ($($name:ty),*) => {$(
        impl serde_core::Serialize for $name {
            fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $crate::write::serialize(self, serializer)
            }
        }
    )*};
}
pub(crate) use serialize_by_writing;

/// As [`serialize_by_writing`], for objects: implements [`Write`] too.
macro_rules! serialize_by_members {
    ($name:ty) => {
        impl $crate::write::Write for $name {
            #[inline]
            fn node(&self) -> $crate::write::Node<'_> {
                $crate::write::Node::Object(self)
            }
        }

        $crate::write::serialize_by_writing!($name);
    };
}
pub(crate) use serialize_by_members;

/// Implements [`Write`] for types that are written as something that they hold.
macro_rules! written_as {
    ($($name:ty: $value:ident => $inner:expr;)*) => {$(
        impl $crate::write::Write for $name {
            #[inline]
            fn node(&self) -> $crate::write::Node<'_> {
                let $value = self;
                $crate::write::Write::node($inner)
            }
        }
    )*};
}
pub(crate) use written_as;

impl Serialize for Node<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Absent | Self::Null => serializer.serialize_none(),
            Self::Flag(value) => serializer.serialize_bool(*value),
            Self::Unsigned(value) => serializer.serialize_u64(*value),
            Self::Signed(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Json(json) => json.serialize(serializer),
            Self::Id(id) => id.serialize(serializer),
            Self::List(list) => {
                let mut out = serializer.serialize_seq(Some(list.length()))?;
                let mut place = 0;
                while let Some(node) = list.element(place) {
                    out.serialize_element(&node)?;
                    place += 1;
                }
                out.end()
            }
            Self::Object(object) => {
                let mut count = 0;
                object.visit(&mut |_, _| count += 1);
                let mut out = serializer.serialize_map(Some(count))?;
                let mut written = Ok(());
                object.visit(&mut |name, node| {
                    if written.is_ok() {
                        written = out.serialize_entry(name, &node);
                    }
                });
                written.and_then(|()| out.end())
            }
        }
    }
}

/// Members are shown by reference: what the table of a `dyn Write` names is linked, and a reference has nothing to drop.
impl<T: Write + ?Sized> Write for &T {
    fn node(&self) -> Node<'_> {
        (**self).node()
    }
}

impl Write for str {
    fn node(&self) -> Node<'_> {
        Node::Text(self)
    }
}

impl Write for String {
    fn node(&self) -> Node<'_> {
        Node::Text(self)
    }
}

impl Write for bool {
    fn node(&self) -> Node<'_> {
        Node::Flag(*self)
    }
}

impl Write for u64 {
    fn node(&self) -> Node<'_> {
        Node::Unsigned(*self)
    }
}

impl Write for i64 {
    fn node(&self) -> Node<'_> {
        Node::Signed(*self)
    }
}

/// Without a fraction when it is whole: see [`crate::float`].
impl Write for f64 {
    fn node(&self) -> Node<'_> {
        crate::float::whole(*self).map_or(Node::Float(*self), Node::Signed)
    }
}

impl Write for Json {
    fn node(&self) -> Node<'_> {
        Node::Json(self)
    }
}

impl Write for RequestId {
    fn node(&self) -> Node<'_> {
        Node::Id(self)
    }
}

impl<T: Write> Write for Option<T> {
    fn node(&self) -> Node<'_> {
        match self {
            Some(value) => value.node(),
            None => Node::Absent,
        }
    }
}

impl<T: Write> Write for Vec<T> {
    fn node(&self) -> Node<'_> {
        Node::List(self)
    }
}

impl<T: Write> Write for List<T> {
    fn node(&self) -> Node<'_> {
        Node::List(self.as_vec())
    }
}

impl<T: Write> Elements for Vec<T> {
    fn element(&self, place: usize) -> Option<Node<'_>> {
        Some(self.get(place)?.node())
    }

    fn length(&self) -> usize {
        self.len()
    }
}

impl<V: Write> Write for Map<V> {
    fn node(&self) -> Node<'_> {
        Node::Object(self)
    }
}

impl<V: Write> Members for Map<V> {
    fn visit(&self, each: &mut dyn FnMut(&str, Node<'_>)) {
        for (name, value) in self.iter() {
            each(name, value.node());
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        CallToolResult, ClientCapabilities, Implementation, InitializeRequestParams, Revision, TextContent,
    };

    #[test]
    fn members_are_written_in_order_and_absent_ones_are_not() {
        let info = Implementation::new("a", "1").with_title("t");
        let params = InitializeRequestParams::new(Revision::V2025_11_25, ClientCapabilities::new(), info);
        let text = r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1","title":"t"}}"#;
        let value: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_value(&params).unwrap(), value);
        let written: InitializeRequestParams =
            serde_json::from_str(&serde_json::to_string(&params).unwrap()).unwrap();
        assert_eq!(written, params);
    }

    #[test]
    fn the_layout_is_that_of_the_serializer() {
        let result = CallToolResult::new([TextContent::new("x").into()]);
        let pretty = serde_json::to_string_pretty(&result).unwrap();
        assert!(pretty.contains("\n  \"content\": [\n    {\n      \"type\": \"text\","), "{pretty}");
    }

    /// An error of the serializer ends the walk.
    #[test]
    fn what_cannot_be_written_is_told() {
        struct Full;
        impl std::io::Write for Full {
            fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
                Err(std::io::ErrorKind::StorageFull.into())
            }
            fn flush(&mut self) -> std::io::Result<()> {
                Ok(())
            }
        }
        let result = CallToolResult::new([TextContent::new("x").into()]);
        assert!(serde_json::to_writer(Full, &result).is_err());
    }
}
