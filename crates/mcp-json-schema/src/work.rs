//! How much work a check is, found out before it is done.
//!
//! Without references a check applies each part of the schema to each part of the value at most once. References can
//! double the work at every step: thirty of them are a schema of a few kilobytes that takes hours. So for schemas that have
//! references the applications are counted first, each pair of schema and value once.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::{Problem, limits};

/// A schema as places that refer to each other.
pub(crate) struct Graph {
    places: Vec<Place>,
}

/// A place in the schema that is a schema itself, by what it applies to what.
#[derive(Default)]
struct Place {
    /// To the same value.
    here: Vec<usize>,
    /// To a member by its name.
    member: Vec<(String, usize)>,
    /// To every member and element, at most.
    every: Vec<usize>,
}

/// Pairs that are remembered while steps are counted. Beyond that many, the work is taken to be too much.
const PAIRS: usize = 1_000_000;

impl Graph {
    /// `None` when the schema has no references.
    pub(crate) fn of(schema: &Value) -> Result<Option<Self>, Problem> {
        let mut builder = Builder::default();
        builder.place(schema, "", "");
        if builder.references.is_empty() {
            return Ok(None);
        }
        builder.resolve()?;
        Ok(Some(Self { places: builder.places }))
    }

    /// How often a schema is applied to a value, at most. `None` when that is too often.
    pub(crate) fn steps(&self, value: &Value) -> Option<u64> {
        let limit = limits::STEPS.max(20 * count(value));
        let mut counter = Counter { graph: self, limit, known: HashMap::new() };
        counter.steps(0, value).filter(|steps| *steps <= limit)
    }
}

fn count(value: &Value) -> u64 {
    match value {
        Value::Array(items) => 1 + items.iter().map(count).sum::<u64>(),
        Value::Object(members) => 1 + members.values().map(count).sum::<u64>(),
        _ => 1,
    }
}

struct Counter<'a> {
    graph: &'a Graph,
    limit: u64,
    /// Zero while it is being counted: a place that leads to itself on the same value is not entered again.
    known: HashMap<(usize, *const Value), u64>,
}

impl Counter<'_> {
    fn steps(&mut self, at: usize, value: &Value) -> Option<u64> {
        let place = &self.graph.places[at];
        if place.here.is_empty() && place.member.is_empty() && place.every.is_empty() {
            return Some(1);
        }
        let pair = (at, std::ptr::from_ref(value));
        if let Some(known) = self.known.get(&pair) {
            return Some(*known);
        }
        if self.known.len() >= PAIRS {
            return None;
        }
        self.known.insert(pair, 0);
        let mut steps = 1_u64;
        for to in &place.here {
            steps = self.add(steps, *to, value)?;
        }
        if let Value::Object(members) = value {
            for (name, to) in &place.member {
                if let Some(member) = members.get(name) {
                    steps = self.add(steps, *to, member)?;
                }
            }
        }
        for to in &place.every {
            match value {
                Value::Array(items) => {
                    for item in items {
                        steps = self.add(steps, *to, item)?;
                    }
                }
                Value::Object(members) => {
                    for member in members.values() {
                        steps = self.add(steps, *to, member)?;
                    }
                }
                _ => {}
            }
        }
        self.known.insert(pair, steps);
        Some(steps)
    }

    fn add(&mut self, steps: u64, at: usize, value: &Value) -> Option<u64> {
        let sum = steps.saturating_add(self.steps(at, value)?);
        (sum <= self.limit).then_some(sum)
    }
}

#[derive(Default)]
struct Builder {
    places: Vec<Place>,
    /// By the resource that it is in (its `$id`) and the pointer or anchor in it.
    named: HashMap<(String, String), usize>,
    /// Every place with `$dynamicAnchor`, or the root of a schema with `$recursiveAnchor`: where a dynamic reference may lead.
    dynamic: Vec<usize>,
    references: Vec<(usize, Reference)>,
}

enum Reference {
    Plain { resource: String, to: String },
    Dynamic,
}

impl Builder {
    /// Takes in a schema, at `pointer` in the resource `resource`.
    fn place(&mut self, schema: &Value, resource: &str, pointer: &str) -> usize {
        let at = self.places.len();
        self.places.push(Place::default());
        self.named.insert((resource.to_owned(), format!("#{pointer}")), at);
        let Value::Object(members) = schema else { return at };
        let text = |key| members.get(key).and_then(Value::as_str);
        // A resource of its own; it stays reachable by the pointer from outside.
        let (mut resource, mut pointer) = (resource.to_owned(), pointer.to_owned());
        match text("$id").or_else(|| text("id")) {
            Some(id) if !id.starts_with('#') => {
                (resource, pointer) = (last_segment(id).to_owned(), String::new());
                self.named.insert((resource.clone(), "#".to_owned()), at);
            }
            Some(anchor) => drop(self.named.insert((resource.clone(), anchor.to_owned()), at)),
            None => {}
        }
        for key in ["$anchor", "$dynamicAnchor"] {
            if let Some(anchor) = text(key) {
                self.named.insert((resource.clone(), format!("#{anchor}")), at);
            }
        }
        if members.contains_key("$dynamicAnchor") || members.contains_key("$recursiveAnchor") {
            self.dynamic.push(at);
        }
        if let Some(reference) = text("$ref") {
            let (to_resource, fragment) = reference.split_once('#').unwrap_or((reference, ""));
            let to_resource = if to_resource.is_empty() { &resource } else { last_segment(to_resource) };
            let to = format!("#{}", unescaped(fragment));
            self.references.push((at, Reference::Plain { resource: to_resource.to_owned(), to }));
        }
        if members.contains_key("$dynamicRef") || members.contains_key("$recursiveRef") {
            self.references.push((at, Reference::Dynamic));
        }
        self.parts(at, members, &resource, &pointer);
        at
    }

    fn parts(&mut self, at: usize, members: &Map<String, Value>, resource: &str, pointer: &str) {
        for (key, value) in members {
            let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
            match (key.as_str(), value) {
                ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                    for (index, schema) in schemas.iter().enumerate() {
                        let part = self.place(schema, resource, &format!("{pointer}/{index}"));
                        self.places[at].here.push(part);
                    }
                }
                ("items" | "prefixItems", Value::Array(schemas)) => {
                    for (index, schema) in schemas.iter().enumerate() {
                        let part = self.place(schema, resource, &format!("{pointer}/{index}"));
                        self.places[at].every.push(part);
                    }
                }
                ("not" | "if" | "then" | "else", _) => {
                    let part = self.place(value, resource, &pointer);
                    self.places[at].here.push(part);
                }
                (
                    "items"
                    | "additionalItems"
                    | "unevaluatedItems"
                    | "contains"
                    | "additionalProperties"
                    | "unevaluatedProperties"
                    | "propertyNames",
                    _,
                ) => {
                    let part = self.place(value, resource, &pointer);
                    self.places[at].every.push(part);
                }
                (
                    "properties" | "patternProperties" | "dependentSchemas" | "dependencies" | "$defs"
                    | "definitions",
                    Value::Object(schemas),
                ) => {
                    for (name, schema) in schemas {
                        let pointer = format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"));
                        let part = self.place(schema, resource, &pointer);
                        match key.as_str() {
                            "properties" => self.places[at].member.push((name.clone(), part)),
                            "patternProperties" => self.places[at].every.push(part),
                            "dependentSchemas" | "dependencies" => self.places[at].here.push(part),
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Turns references into applications.
    fn resolve(&mut self) -> Result<(), Problem> {
        for (from, reference) in std::mem::take(&mut self.references) {
            match reference {
                Reference::Dynamic => {
                    let targets = self.dynamic.clone();
                    // Without an anchor it leads to the root.
                    let targets = if targets.is_empty() { vec![0] } else { targets };
                    self.places[from].here.extend(targets);
                }
                Reference::Plain { resource, to } => {
                    let target = self.named.get(&(resource, to.clone())).ok_or_else(|| {
                        Problem::unusable(format!("its reference to `{to}` cannot be followed"))
                    })?;
                    self.places[from].here.push(*target);
                }
            }
        }
        Ok(())
    }
}

/// Enough of a URI to tell the resources of one schema apart.
fn last_segment(uri: &str) -> &str {
    let uri = uri.split('#').next().unwrap_or(uri);
    uri.rsplit('/').next().unwrap_or(uri)
}

/// A fragment without percent escapes.
fn unescaped(fragment: &str) -> String {
    let mut bytes = Vec::with_capacity(fragment.len());
    let mut rest = fragment.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = (*first == b'%')
            .then(|| after.get(..2))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        if let Some(byte) = escaped {
            bytes.push(byte);
            rest = &after[2..];
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(schema: &str, value: &str) -> Option<u64> {
        let graph = Graph::of(&serde_json::from_str(schema).unwrap()).unwrap().expect("it has references");
        graph.steps(&serde_json::from_str(value).unwrap())
    }

    /// Thirty definitions, each of which applies the next one twice.
    fn doubling(keyword: &str) -> String {
        let definitions: Vec<_> = (0..30)
            .map(|n| {
                let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, n + 1);
                format!(r#""d{n}":{{"{keyword}":[{next},{next}]}}"#)
            })
            .collect();
        format!(
            r##"{{"$ref":"#/$defs/d0","$defs":{{{},"d30":{{"type":"string"}}}}}}"##,
            definitions.join(",")
        )
    }

    #[test]
    fn work_that_doubles_is_too_much() {
        for keyword in ["allOf", "anyOf", "oneOf"] {
            assert_eq!(steps(&doubling(keyword), "1"), None, "{keyword}");
        }
        let by_depth = r##"{"properties":{"x":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}}}"##;
        let deep = |depth| format!("{}1{}", r#"{"x":"#.repeat(depth), "}".repeat(depth));
        assert!(steps(by_depth, &deep(10)).unwrap() > 1024);
        assert_eq!(steps(by_depth, &deep(40)), None);
        let dynamic =
            r##"{"$dynamicAnchor":"n","items":{"allOf":[{"$dynamicRef":"#n"},{"$dynamicRef":"#n"}]}}"##;
        assert_eq!(steps(dynamic, &format!("{}{}", "[".repeat(60), "]".repeat(60))), None);
    }

    #[test]
    fn ordinary_recursion_is_counted_once_for_each_value() {
        let tree = r##"{"type":"object","properties":{"left":{"$ref":"#"},"right":{"$ref":"#"}}}"##;
        assert!(steps(tree, r#"{"left":{"left":{},"right":{}},"right":{"left":{}}}"#).unwrap() < 20);
        let list = r##"{"$ref":"#/$defs/list","$defs":{"list":{"items":{"$ref":"#/$defs/list"}}}}"##;
        let many = format!("[{}1]", "[],".repeat(200_000));
        assert!(steps(list, &many).is_some());
        for circle in [r##"{"$ref":"#"}"##, r##"{"allOf":[{"$ref":"#"}]}"##, r##"{"not":{"$ref":"#"}}"##] {
            assert!(steps(circle, "1").unwrap() < 10, "{circle}");
        }
    }

    #[test]
    fn references_are_followed_as_they_are_written() {
        for schema in [
            r##"{"$ref":"#/$defs/a~1b%20c","$defs":{"a/b c":{}}}"##,
            r##"{"$ref":"#here","$defs":{"x":{"$anchor":"here"}}}"##,
            r#"{"$ref":"part.json#/$defs/y","$defs":{"x":{"$id":"https://example.com/part.json","$defs":{"y":{}}}}}"#,
            r#"{"$id":"https://example.com/root.json","$ref":"root.json#/$defs/y","$defs":{"y":{}}}"#,
            r##"{"definitions":{"x":{"$id":"#old"}},"items":{"$ref":"#old"}}"##,
            r##"{"allOf":[{"$ref":"#/allOf/1"},{"properties":{"a":{"$ref":"#/allOf/1/properties/b"},"b":{}}}]}"##,
        ] {
            assert!(steps(schema, "[1]").is_some(), "{schema}");
        }
        let nowhere = serde_json::from_str(r##"{"$ref":"#/$defs/x"}"##).unwrap();
        assert!(matches!(Graph::of(&nowhere), Err(Problem::UnusableSchema(_))));
    }
}
