//! What the types of mcp-types say about themselves, as their example `inventory` prints it.

use std::collections::{BTreeMap, BTreeSet};

use super::{builtin, json::Json, revision::Revision, rust_type::RustType};

#[derive(Debug, Default, Clone)]
pub(super) struct Inventory {
    /// Those of the protocol, by name.
    pub(super) types: BTreeMap<String, TypeInfo>,
    /// The marker types of the protocol's methods, by name.
    pub(super) markers: BTreeMap<String, Marker>,
    /// The table of methods, by name on the wire.
    pub(super) methods: BTreeMap<String, Method>,
    /// Definitions whose type has another name.
    pub(super) aliases: BTreeMap<String, RustType>,
    /// The constants of error codes: the code, and its name.
    pub(super) codes: BTreeMap<i64, String>,
    /// The types and marker types of extensions, with the module that they are in.
    pub(super) extensions: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypeInfo {
    pub(super) name: String,
    pub(super) lifetime: Lifetime,
    pub(super) shape: TypeShape,
}

/// What a type is on the wire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypeShape {
    Object {
        members: Vec<Member>,
        /// Whether it keeps members that it does not know.
        open: bool,
    },
    /// The known values of an open set of strings.
    Enum(BTreeSet<String>),
    Union {
        /// The member that tells which variant it is.
        key: Option<String>,
        variants: Vec<(String, RustType)>,
    },
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) required: bool,
    pub(super) ty: RustType,
    pub(super) constant: Option<String>,
    pub(super) lifetime: Lifetime,
}

/// The revisions that the docs promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lifetime {
    since: Revision,
    until: Revision,
    /// It belongs to no revision.
    pub(super) extension: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Marker {
    pub(super) method: String,
    pub(super) params: RustType,
    /// `None`: a notification.
    pub(super) result: Option<RustType>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Method {
    pub(super) is_request: bool,
    /// `ToServer`, `ToClient` or `Both`, for each revision that has the method.
    pub(super) directions: BTreeMap<Revision, String>,
    /// From here on it stands in a result instead of travelling by itself.
    pub(super) embedded_since: Option<Revision>,
}

/// What a Rust type is on the wire, with the types that do not describe themselves.
#[derive(Debug, Clone)]
pub(super) enum Shape<'a> {
    Any,
    Scalar(&'static [&'static str]),
    Array(RustType),
    /// A JSON object of any members with such values.
    Map(RustType),
    /// A JSON Schema, kept as it is.
    JsonSchema,
    Nullable(RustType),
    Type(&'a TypeInfo),
}

impl Inventory {
    /// # Errors
    /// The program printed something else than expected.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let json = Json::parse(text)?;
        let mut inventory = Self::default();
        for entry in list(&json, "types")? {
            let info = type_info(entry)?;
            if info.lifetime.extension {
                inventory.extensions.push((text_of(entry, "module")?, info.name));
            } else if let Some(twice) = inventory.types.insert(info.name.clone(), info) {
                return Err(format!("two types are named {}", twice.name));
            }
        }
        for entry in list(&json, "markers")? {
            let (name, module) = (text_of(entry, "name")?, text_of(entry, "module")?);
            if module.contains("::extensions::") {
                inventory.extensions.push((module, name));
                continue;
            }
            let result = entry.text("result").map(RustType::parse).transpose()?;
            let params = RustType::parse(&text_of(entry, "params")?)?;
            inventory.markers.insert(name, Marker { method: text_of(entry, "method")?, params, result });
        }
        for entry in list(&json, "methods")? {
            inventory.methods.insert(text_of(entry, "name")?, method(entry)?);
        }
        for (name, of) in json.get("aliases").map(Json::members).unwrap_or_default() {
            let of = of.as_str().ok_or("an alias is no string")?;
            inventory.aliases.insert(name.clone(), RustType::parse(of)?);
        }
        for entry in list(&json, "codes")? {
            let Some(Json::Number(code)) = entry.get("code") else {
                return Err("an error code is no number".to_string());
            };
            inventory
                .codes
                .insert(code.parse().map_err(|_| "an error code is too large")?, text_of(entry, "name")?);
        }
        Ok(inventory)
    }

    /// The Rust type for a definition of the schema.
    pub(super) fn place(&self, definition: &str) -> Option<RustType> {
        self.aliases.get(definition).cloned().or_else(|| {
            let ty = RustType::named(definition);
            self.shape(&ty).is_some().then_some(ty)
        })
    }

    pub(super) fn shape(&self, ty: &RustType) -> Option<Shape<'_>> {
        if let ("Box", [inner]) = (ty.name.as_str(), ty.arguments.as_slice()) {
            return self.shape(inner);
        }
        if let Some(info) = self.types.get(&ty.name) {
            return Some(Shape::Type(info));
        }
        if let Some(other) = self.aliases.get(&ty.name) {
            return self.shape(other);
        }
        builtin::shape(ty)
    }
}

impl Lifetime {
    pub(super) const ALL: Self = Self { since: Revision::ALL[0], until: Revision::LATEST, extension: false };

    pub(super) fn has(self, revision: Revision) -> bool {
        self.since <= revision && revision <= self.until
    }
}

fn type_info(entry: &Json) -> Result<TypeInfo, String> {
    let name = text_of(entry, "name")?;
    let shape = entry.get("shape").ok_or("a type without a shape")?;
    let shape = if let Some(members) = shape.get("object") {
        TypeShape::Object {
            members: members.elements().iter().map(member).collect::<Result<_, _>>()?,
            open: shape
                .get("open")
                .and_then(Json::as_bool)
                .ok_or("an object that is neither open nor closed")?,
        }
    } else if let Some(values) = shape.get("enum") {
        TypeShape::Enum(values.elements().iter().filter_map(Json::as_str).map(str::to_string).collect())
    } else if let Some(variants) = shape.get("union") {
        let variant = |pair: &Json| match pair.elements() {
            [Json::String(tag), Json::String(ty)] => Ok((tag.clone(), RustType::parse(ty)?)),
            _ => Err(format!("{name}: a variant is no pair")),
        };
        TypeShape::Union {
            key: shape.text("key").map(str::to_string),
            variants: variants.elements().iter().map(variant).collect::<Result<_, _>>()?,
        }
    } else {
        return Err(format!("{name}: no known shape"));
    };
    Ok(TypeInfo { lifetime: lifetime(entry)?, name, shape })
}

fn member(entry: &Json) -> Result<Member, String> {
    Ok(Member {
        name: text_of(entry, "name")?,
        required: entry.get("required").and_then(Json::as_bool).ok_or("no `required`")?,
        ty: RustType::parse(&text_of(entry, "kind")?)?,
        constant: entry.text("constant").map(str::to_string),
        lifetime: lifetime(entry)?,
    })
}

fn lifetime(entry: &Json) -> Result<Lifetime, String> {
    let span = entry.get("lifetime").ok_or("no `lifetime`")?;
    Ok(Lifetime {
        since: revision(&text_of(span, "since")?)?,
        until: revision(&text_of(span, "until")?)?,
        extension: span.get("extension").and_then(Json::as_bool).unwrap_or(false),
    })
}

fn method(entry: &Json) -> Result<Method, String> {
    let directions = entry.get("directions").map(Json::members).unwrap_or_default();
    let direction = |(name, direction): &(String, Json)| -> Result<_, String> {
        Ok((revision(name)?, direction.as_str().unwrap_or_default().to_string()))
    };
    Ok(Method {
        is_request: text_of(entry, "kind")? == "Request",
        directions: directions.iter().map(direction).collect::<Result<_, _>>()?,
        embedded_since: entry.text("embeddedSince").map(revision).transpose()?,
    })
}

fn revision(name: &str) -> Result<Revision, String> {
    Revision::from_name(name).ok_or_else(|| format!("{name} is no revision that `xtask schema` knows"))
}

fn list<'a>(json: &'a Json, name: &str) -> Result<&'a [Json], String> {
    match json.get(name) {
        Some(Json::Array(elements)) => Ok(elements),
        _ => Err(format!("no list of {name}")),
    }
}

fn text_of(json: &Json, name: &str) -> Result<String, String> {
    json.text(name).map(str::to_string).ok_or_else(|| format!("no string `{name}` in {json}"))
}
