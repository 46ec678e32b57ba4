//! What the types of this crate say about themselves, as data: for tools that compare them with the official schemas.
//!
//! Not meant for programs that speak the protocol; it may change in any release.

use std::{borrow::Cow, fmt};

use serde_core::{Serialize, de::DeserializeOwned};

use crate::Revision;

mod list;

pub use list::{ALIASES, CODES, codecs, method_paths, methods, types};

/// A type that can describe itself.
pub trait Described {
    /// The description.
    const INFO: TypeInfo;
}

/// The description of one type.
#[derive(Debug, Clone, Copy)]
pub struct TypeInfo {
    /// The name, which is that of the schema's definition where there is one.
    pub name: &'static str,
    /// The revisions that have it, as far as the docs say.
    pub lifetime: Lifetime,
    /// What it is on the wire.
    pub shape: Shape,
}

/// What a type is on the wire.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    /// A JSON object.
    Object {
        /// Its members.
        members: &'static [MemberInfo],
        /// Whether unknown members are kept.
        open: bool,
    },
    /// A string out of an open set.
    Enum {
        /// The known values.
        values: &'static [&'static str],
    },
    /// One of several objects.
    Union {
        /// The member whose value tells; `None` when the members that are there tell.
        key: Option<&'static str>,
        /// What tells, and the type for each.
        variants: &'static [(&'static str, &'static str)],
    },
}

/// The description of one member of an object.
#[derive(Debug, Clone, Copy)]
pub struct MemberInfo {
    /// The name in Rust.
    pub field: &'static str,
    /// The name on the wire, if it is not the camel case of `field`.
    pub wire: Option<&'static str>,
    /// Whether it must be there.
    pub presence: Presence,
    /// The Rust type, without the `Option` of an optional member.
    pub kind: &'static str,
    /// The only value, of a member that has but one.
    pub constant: Option<&'static str>,
    /// The revisions that have it, as far as the docs say.
    pub lifetime: Lifetime,
}

/// A marker type of a method that can describe itself.
pub trait DescribedMethod {
    /// The description.
    const INFO: MethodTypes;
}

/// Which types a method has.
#[derive(Debug, Clone, Copy)]
pub struct MethodTypes {
    /// The name of the marker type, which is that of the schema's definition.
    pub name: &'static str,
    /// The name on the wire.
    pub method: &'static str,
    /// The Rust type of the parameters, with its path.
    pub params: fn() -> &'static str,
    /// The Rust type of the result, with its path; `None` for a notification.
    pub result: Option<fn() -> &'static str>,
}

/// How to read and write a type, without knowing it.
#[derive(Debug, Clone, Copy)]
pub struct Codec {
    /// The name of the type with its path.
    pub path: &'static str,
    /// Reads JSON into the type and writes it again.
    pub round_trip: fn(&str) -> serde_json::Result<String>,
    /// Whether two texts read as equal values.
    pub equal: fn(&str, &str) -> serde_json::Result<bool>,
    /// The value as `Debug` shows it.
    pub debug: fn(&str) -> serde_json::Result<String>,
}

impl Codec {
    /// The codec of `T`.
    pub fn of<T: Serialize + DeserializeOwned + PartialEq + fmt::Debug>() -> Self {
        Self {
            path: std::any::type_name::<T>(),
            round_trip: |text| serde_json::to_string(&serde_json::from_str::<T>(text)?),
            equal: |one, other| Ok(serde_json::from_str::<T>(one)? == serde_json::from_str(other)?),
            debug: |text| serde_json::from_str::<T>(text).map(|value| format!("{value:?}")),
        }
    }
}

/// Whether a member must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// In every revision that has it, as far as this crate asks for it.
    Required,
    /// It may be absent.
    Optional,
}

impl Presence {
    pub(crate) const fn required() -> Self {
        Self::Required
    }

    pub(crate) const fn optional() -> Self {
        Self::Optional
    }
}

/// A span of revisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lifetime {
    /// The first.
    pub since: Revision,
    /// The last.
    pub until: Revision,
    /// Whether it belongs to an extension, and so to no revision.
    pub extension: bool,
}

impl Lifetime {
    /// All known revisions.
    pub const ALL: Self = Self { since: Revision::ALL[0], until: Revision::LATEST, extension: false };
}

impl MemberInfo {
    pub(crate) const fn constant(key: &'static str, value: &'static str) -> Self {
        Self {
            field: key,
            wire: Some(key),
            presence: Presence::Required,
            kind: "String",
            constant: Some(value),
            lifetime: Lifetime::ALL,
        }
    }

    /// The name on the wire.
    pub fn wire_name(&self) -> Cow<'static, str> {
        self.wire.map_or_else(|| Cow::Owned(camel_case(self.field)), Cow::Borrowed)
    }
}

fn camel_case(field: &str) -> String {
    let mut out = String::with_capacity(field.len());
    let mut upper = false;
    for c in field.chars() {
        match c {
            '_' => upper = true,
            c if upper => {
                out.push(c.to_ascii_uppercase());
                upper = false;
            }
            c => out.push(c),
        }
    }
    out
}
