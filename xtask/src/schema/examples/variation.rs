//! Values made from an example that a peer of another revision, or a sloppy one, could send.

use super::view::{Site, View, site};
use crate::schema::{inventory::Inventory, json::Json, rust_type::RustType};

/// A member that no type knows, and a value that no enum knows, start so.
pub(super) const UNKNOWN: &str = "x-unknown";

pub(super) struct Variation {
    pub(super) name: &'static str,
    /// Changes a value at its place; what is in it has been changed before.
    edit: fn(&Site, Json) -> Json,
}

pub(super) const ALL: [Variation; 7] = [
    Variation { name: "as it is", edit: |_, json| json },
    Variation { name: "with unknown members", edit: unknown_members },
    Variation { name: "with unknown values of enums", edit: unknown_values },
    Variation { name: "with unknown kinds of objects", edit: unknown_kinds },
    Variation { name: "with null for absent members", edit: absent_as_null },
    Variation { name: "with null for optional members", edit: optional_as_null },
    Variation { name: "with members in reverse order", edit: reversed },
];

impl Variation {
    /// The changed example; equal to it when there was nothing to change.
    pub(super) fn apply(&self, inventory: &Inventory, json: &Json, ty: &RustType) -> Json {
        let site = site(inventory, json, ty);
        let changed = match (&site.view, json) {
            (View::Exact, _) => self.apply_exact(json),
            (View::Array(element), Json::Array(elements)) => {
                Json::Array(elements.iter().map(|json| self.apply(inventory, json, element)).collect())
            }
            (View::Map(value), Json::Object(members)) => {
                let member =
                    |(name, json): &(String, Json)| (name.clone(), self.apply(inventory, json, value));
                Json::Object(members.iter().map(member).collect())
            }
            (View::Object { members: known, .. }, Json::Object(members)) => {
                let member = |(name, json): &(String, Json)| {
                    let known = known.iter().find(|member| member.name == *name);
                    let json = match known.filter(|member| member.constant.is_none()) {
                        Some(member) => self.apply(inventory, json, &member.ty),
                        None => json.clone(),
                    };
                    (name.clone(), json)
                };
                Json::Object(members.iter().map(member).collect())
            }
            _ => json.clone(),
        };
        (self.edit)(&site, changed)
    }

    /// Inside of open JSON there are no types, but members and their order.
    fn apply_exact(&self, json: &Json) -> Json {
        let site = Site { view: View::Exact, key: None };
        match json {
            Json::Array(elements) => {
                Json::Array(elements.iter().map(|json| (self.edit)(&site, self.apply_exact(json))).collect())
            }
            Json::Object(members) => {
                let member = |(name, json): &(String, Json)| {
                    (name.clone(), (self.edit)(&site, self.apply_exact(json)))
                };
                Json::Object(members.iter().map(member).collect())
            }
            _ => json.clone(),
        }
    }
}

/// In front, so that what tells the kind comes late, and at the end; with what is easily lost.
fn unknown_members(site: &Site, json: Json) -> Json {
    let Json::Object(mut members) = json else { return json };
    // An entry of a typed map is no unknown member.
    if !matches!(site.view, View::Map(_)) {
        let value = Json::parse(r#"{"z":9007199254740993,"a":[1.50,null,{"y":"","b":1e2}]}"#);
        let value = value.expect("it is JSON");
        members.insert(0, (format!("{UNKNOWN}-first"), value.clone()));
        members.push((format!("{UNKNOWN}-last"), value));
    }
    Json::Object(members)
}

fn unknown_values(site: &Site, json: Json) -> Json {
    if matches!(site.view, View::Value) { Json::String(UNKNOWN.to_string()) } else { json }
}

fn unknown_kinds(site: &Site, json: Json) -> Json {
    match (&site.key, json) {
        (Some(key), Json::Object(mut members)) => {
            match members.iter_mut().find(|(name, _)| name == key) {
                Some((_, kind)) => *kind = Json::String(UNKNOWN.to_string()),
                None => members.push((key.clone(), Json::String(UNKNOWN.to_string()))),
            }
            Json::Object(members)
        }
        (_, json) => json,
    }
}

fn absent_as_null(site: &Site, json: Json) -> Json {
    match (&site.view, json) {
        (View::Object { members: known, .. }, Json::Object(mut members)) => {
            for member in known.iter().filter(|member| !member.required) {
                if members.iter().all(|(name, _)| *name != member.name) {
                    members.push((member.name.clone(), Json::Null));
                }
            }
            Json::Object(members)
        }
        (_, json) => json,
    }
}

fn optional_as_null(site: &Site, json: Json) -> Json {
    match (&site.view, json) {
        (View::Object { members: known, .. }, Json::Object(mut members)) => {
            for (name, value) in &mut members {
                if known.iter().any(|member| member.name == *name && !member.required) {
                    *value = Json::Null;
                }
            }
            Json::Object(members)
        }
        (_, json) => json,
    }
}

fn reversed(_: &Site, json: Json) -> Json {
    match json {
        Json::Object(mut members) => {
            members.reverse();
            Json::Object(members)
        }
        json => json,
    }
}
