//! What all revisions together have shown, and what follows only from all of them.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    finding::{Finding, Rule},
    inventory::{Inventory, Member, Shape, TypeInfo, TypeShape},
    revision::{Revision, in_words},
};

#[derive(Default)]
pub(super) struct Seen {
    /// The revisions in which a type was met.
    pub(super) revisions: BTreeMap<String, BTreeSet<Revision>>,
    /// The objects of the schemas that a type was compared with.
    pub(super) nodes: BTreeMap<String, Vec<Node>>,
    /// The values of enums.
    pub(super) values: BTreeMap<String, BTreeSet<String>>,
    /// The tags of variants of unions.
    pub(super) variants: BTreeMap<String, BTreeSet<String>>,
    /// The definitions that have a marker type.
    pub(super) markers: BTreeSet<String>,
    /// The parameters that messages have, by the name of the message.
    pub(super) params: BTreeMap<String, BTreeSet<String>>,
    /// The names of all definitions.
    pub(super) definitions: BTreeSet<String>,
    pub(super) codes: BTreeSet<i64>,
    held: BTreeMap<String, Held>,
}

/// An object of a schema: its properties, and which of them are required.
pub(super) struct Node {
    pub(super) revision: Revision,
    pub(super) properties: BTreeMap<String, bool>,
}

/// A place whose type holds more than one revision may need.
struct Held {
    /// What the type holds and no schema so far allows.
    surplus: BTreeSet<String>,
    /// What the schemas allow.
    allowed: BTreeSet<String>,
}

impl Seen {
    /// A place whose type holds anything: `exact` if the schema allows anything, too.
    pub(super) fn hold(&mut self, at: &str, exact: bool, allowed: impl FnOnce() -> String) {
        let surplus = || BTreeSet::from(["anything".to_string()]);
        let held = self
            .held
            .entry(at.to_string())
            .or_insert_with(|| Held { surplus: surplus(), allowed: BTreeSet::new() });
        if exact {
            held.surplus.clear();
        } else {
            held.allowed.insert(allowed());
        }
    }

    /// A place whose type holds some kinds of scalars, and those that the schema allows.
    pub(super) fn kinds<'k>(&mut self, at: &str, holds: &[&str], allowed: impl IntoIterator<Item = &'k str>) {
        let held = self.held.entry(at.to_string()).or_insert_with(|| Held {
            surplus: holds.iter().map(ToString::to_string).collect(),
            allowed: BTreeSet::new(),
        });
        for kind in allowed {
            held.surplus.remove(kind);
            held.allowed.insert(kind.to_string());
        }
    }

    /// What no single revision can tell.
    pub(super) fn sum_up(&self, inventory: &Inventory) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (at, held) in self.held.iter().filter(|(_, held)| !held.surplus.is_empty()) {
            let list = |set: &BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(", ");
            let allowed =
                if held.allowed.is_empty() { "some values".to_string() } else { list(&held.allowed) };
            let problem = format!("holds {}, the schemas allow {allowed}", list(&held.surplus));
            findings.push(Finding::new(None, at, Rule::Wider, problem, "a narrower type, or a waiver"));
        }
        for info in inventory.types.values() {
            self.sum_up_type(info, &mut findings);
        }
        findings.extend(self.borrowed_params(inventory));
        let mut extra = |name: &str, what: &str| {
            let problem = format!("no revision has this {what}");
            findings.push(Finding::new(
                None,
                name,
                Rule::Extra,
                problem,
                "delete it, or a waiver with its source",
            ));
        };
        for name in inventory.markers.keys().filter(|name| !self.markers.contains(*name)) {
            extra(name, "message");
        }
        for name in inventory.aliases.keys().filter(|name| !self.definitions.contains(*name)) {
            extra(name, "definition, which `ALIASES` names");
        }
        for (code, name) in inventory.codes.iter().filter(|(code, _)| !self.codes.contains(code)) {
            extra(&format!("ErrorCode.{name}"), &format!("error code, {code}"));
        }
        findings
    }

    /// Parameters that a message has only because it shares their type with another one.
    fn borrowed_params(&self, inventory: &Inventory) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (message, own) in &self.params {
            let Some(marker) = inventory.markers.get(message) else { continue };
            let Some(Shape::Type(info)) = inventory.shape(&marker.params) else { continue };
            let TypeShape::Object { members, .. } = &info.shape else { continue };
            for member in members.iter().filter(|member| !own.contains(&member.name)) {
                // A member that nothing has is reported for the type.
                let nodes = self.nodes.get(&info.name).map(Vec::as_slice).unwrap_or_default();
                if nodes.iter().any(|node| node.properties.contains_key(&member.name)) {
                    let problem = format!("`{}` has it, and no revision has it in this message", info.name);
                    let place = format!("{message}.params.{}", member.name);
                    findings.push(Finding::new(None, place, Rule::Extra, problem, "a type of its own"));
                }
            }
        }
        findings
    }

    fn sum_up_type(&self, info: &TypeInfo, findings: &mut Vec<Finding>) {
        let name = &info.name;
        let mut extra = |place: String, problem: String| {
            findings.push(Finding::new(
                None,
                place,
                Rule::Extra,
                problem,
                "delete it, or a waiver with its source",
            ));
        };
        let Some(revisions) = self.revisions.get(name) else {
            return extra(name.clone(), "no revision has this type".to_string());
        };
        let none = BTreeSet::new();
        match &info.shape {
            TypeShape::Object { members, .. } => {
                for member in members {
                    findings.extend(self.sum_up_member(info, member));
                }
            }
            TypeShape::Enum(known) => {
                for value in known.difference(self.values.get(name).unwrap_or(&none)) {
                    extra(format!("{name}.{value}"), "no revision has this value".to_string());
                }
            }
            TypeShape::Union { variants, .. } => {
                let seen = self.variants.get(name).unwrap_or(&none);
                let mut types: Vec<_> = variants.iter().map(|(_, ty)| ty).collect();
                types.dedup();
                for ty in types {
                    if variants.iter().all(|(tag, other)| other != ty || !seen.contains(tag)) {
                        extra(format!("{name}({ty})"), "no revision has this variant".to_string());
                    }
                }
            }
        }
        let promised: BTreeSet<_> =
            Revision::ALL.into_iter().filter(|revision| info.lifetime.has(*revision)).collect();
        findings.extend(lifetime(name, &promised, revisions));
    }

    fn sum_up_member(&self, info: &TypeInfo, member: &Member) -> Vec<Finding> {
        let place = format!("{}.{}", info.name, member.name);
        let nodes = self.nodes.get(&info.name).map(Vec::as_slice).unwrap_or_default();
        let with = nodes.iter().filter(|node| node.properties.contains_key(&member.name));
        let revisions: BTreeSet<_> = with.map(|node| node.revision).collect();
        if revisions.is_empty() || member.lifetime.extension {
            return match (revisions.is_empty(), member.lifetime.extension) {
                (true, true) => {
                    let problem = "belongs to an extension, and no source is named for it";
                    let fix = "a waiver that names the text";
                    vec![Finding::new(None, place, Rule::Extension, problem, fix)]
                }
                (true, false) => {
                    let fix = "delete it, or a waiver with its source";
                    vec![Finding::new(None, place, Rule::Extra, "no revision has this member", fix)]
                }
                (false, _) => {
                    let problem = format!("is said to be of an extension, and is in {}", in_words(revisions));
                    vec![Finding::new(None, place, Rule::Lifetime, problem, "take `extension` off")]
                }
            };
        }
        let always = nodes.iter().all(|node| node.properties.get(&member.name) == Some(&true));
        let mut findings = Vec::new();
        if always && !member.required {
            let problem = "may be absent, and every schema requires it";
            let fix = "make the member required, or a waiver";
            findings.push(Finding::new(None, place.clone(), Rule::Optional, problem, fix));
        }
        let promised: BTreeSet<_> = Revision::ALL
            .into_iter()
            // What the type itself promises in vain is reported once, for the type.
            .filter(|revision| info.lifetime.has(*revision) && member.lifetime.has(*revision))
            .filter(|revision| nodes.iter().any(|node| node.revision == *revision))
            .collect();
        findings.extend(lifetime(&place, &promised, &revisions));
        findings
    }
}

fn lifetime(place: &str, promised: &BTreeSet<Revision>, seen: &BTreeSet<Revision>) -> Option<Finding> {
    if promised == seen {
        return None;
    }
    let (Some(first), Some(last)) = (seen.first(), seen.last()) else { return None };
    let problem = format!(
        "is promised for {}, the schemas have it in {}",
        in_words(promised.iter().copied()),
        in_words(seen.iter().copied())
    );
    let fix = format!("since {first}, until {last}; or a waiver");
    Some(Finding::new(None, place, Rule::Lifetime, problem, fix))
}
