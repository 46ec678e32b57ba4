use mcp_types::inventory::{self, MemberInfo, Presence, Shape, TypeInfo};

use super::{Json, Random};

/// Makes values of the types of mcp-types, after what these say of themselves.
#[derive(Debug)]
pub struct Schemas<'a> {
    random: &'a mut Random,
    /// How much deeper it may go: some types hold themselves.
    depth: usize,
}

impl<'a> Schemas<'a> {
    /// Draws from `random`.
    pub fn new(random: &'a mut Random) -> Self {
        Self { random, depth: 6 }
    }

    /// A value of the type.
    pub fn value(&mut self, info: &TypeInfo) -> Json {
        match info.shape {
            Shape::Enum { values } if !self.random.one_in(6) => Json::text(self.random.pick(values)),
            Shape::Enum { .. } => Json::some_text(self.random),
            Shape::Object { members, open } => self.object(members, open),
            Shape::Union { key, variants } => self.union(key, variants),
        }
    }

    /// A value of the Rust type `kind`, as the inventory writes it.
    pub fn kind(&mut self, kind: &str) -> Json {
        if self.depth == 0 {
            return Json::any(self.random, 0);
        }
        self.depth -= 1;
        let value = self.nested(kind.rsplit_once("crate::").map_or(kind, |(_, name)| name));
        self.depth += 1;
        value
    }

    fn nested(&mut self, kind: &str) -> Json {
        if let Some((outer, inner)) = kind.strip_suffix('>').and_then(|kind| kind.split_once('<')) {
            let inner = inner.rsplit("::").next().unwrap_or(inner);
            return match outer {
                "Option" if self.random.one_in(3) => Json::raw("null"),
                "Option" => self.kind(inner),
                "Map" => {
                    let names = ["z", "a", "", "m\u{e9}"];
                    let count = self.random.below(names.len());
                    Json::Object(
                        names[..count].iter().map(|name| ((*name).to_owned(), self.kind(inner))).collect(),
                    )
                }
                _ => Json::Array((0..self.random.below(4)).map(|_| self.kind(inner)).collect()),
            };
        }
        match kind {
            "bool" => Json::raw(self.random.pick(&["true", "false"])),
            "u64" | "f64" | "Number" | "ErrorCode" => {
                Json::raw(self.random.pick(&["0", "1", "60000", "0.5", "-32601", "1e2", "9007199254740993"]))
            }
            "RequestId" | "ProgressToken" => Json::raw(self.random.pick(&["7", "\"a\"", "\"7\"", "1.0"])),
            "ProtocolVersion" => {
                Json::text(self.random.pick(&["2024-11-05", "2025-11-25", "2026-07-28", "DRAFT"]))
            }
            "InputRequests" => self.kind("Map<InputRequest>"),
            "InputResponses" | "JsonObject" | "JsonSchema" | "SkillFrontmatter" => self.open_object(),
            "Json" => Json::any(self.random, 3),
            name => match inventory::types().iter().find(|info| info.name == name) {
                Some(info) => self.value(info),
                None => Json::some_text(self.random),
            },
        }
    }

    fn object(&mut self, members: &[MemberInfo], open: bool) -> Json {
        let mut object = Vec::new();
        for member in members {
            if member.presence == Presence::Optional && self.random.one_in(2) {
                continue;
            }
            let value = match member.constant {
                Some(constant) => Json::text(constant),
                None if self.random.one_in(30) => Json::raw("null"),
                None => self.kind(member.kind),
            };
            object.push((member.wire_name().into_owned(), value));
        }
        if open && self.random.one_in(2) {
            object.push(("com.example/x".to_owned(), Json::any(self.random, 2)));
        }
        Json::Object(object)
    }

    fn union(&mut self, key: Option<&str>, variants: &[(&str, &str)]) -> Json {
        let (tag, kind) = self.random.pick(variants);
        let mut value = self.kind(kind);
        let (Some(key), Json::Object(members)) = (key, &mut value) else { return value };
        if key == "method" {
            // The variants are the types of its params.
            return Json::Object(vec![("method".to_owned(), Json::text(tag)), ("params".to_owned(), value)]);
        }
        if !members.iter().any(|(name, _)| name == key) {
            let tag = if self.random.one_in(8) { "hologram" } else { tag };
            members.push((key.to_owned(), Json::text(tag)));
        }
        value
    }

    fn open_object(&mut self) -> Json {
        let names = ["type", "properties", "x", "", "name", "description"];
        let count = self.random.below(names.len());
        Json::Object(
            names[..count].iter().map(|name| ((*name).to_owned(), Json::any(self.random, 2))).collect(),
        )
    }
}
