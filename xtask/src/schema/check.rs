//! All revisions compared with the inventory: the order in which it is done, and how much there was.

use std::fmt;

use super::{
    compare::Comparison,
    document::{Document, Kind, Schema},
    errors::error_of,
    finding::{Finding, Rule},
    inventory::Inventory,
    json::Json,
    messages::{answered, is_envelope, is_sender, method_of},
    revision::Revision,
    waivers::Waivers,
};

/// What a comparison has shown.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) findings: Vec<Finding>,
    counts: Vec<Count>,
}

#[derive(Debug, Clone, Copy)]
struct Count {
    revision: Revision,
    definitions: usize,
    properties: usize,
    /// Properties that were compared.
    compared: usize,
}

/// Compares every definition and property of the documents.
pub(super) fn compare(inventory: &Inventory, documents: &[Document]) -> Outcome {
    let mut comparison = Comparison::new(inventory);
    for document in documents {
        comparison.table(document);
        for (name, schema) in document.definitions() {
            comparison.seen.definitions.insert(name.to_string());
            comparison.definition(document, name, schema);
        }
    }
    let mut counts = Vec::new();
    for document in documents {
        let mut count = Count { revision: document.revision, definitions: 0, properties: 0, compared: 0 };
        for (name, schema) in document.definitions() {
            count.definitions += 1;
            comparison.count(document, name, schema, &mut count);
        }
        counts.push(count);
    }
    let mut findings = comparison.findings;
    findings.extend(comparison.seen.sum_up(inventory));
    findings.extend(inventory.extensions.iter().map(|(module, name)| {
        let module = module.strip_prefix("mcp_types::").unwrap_or(module);
        let problem = "belongs to an extension, and no source is named for it";
        let fix = "a waiver for the module that names the text";
        Finding::new(None, format!("{module}::{name}"), Rule::Extension, problem, fix)
    }));
    findings.sort();
    findings.dedup();
    Outcome { findings, counts }
}

impl<'a> Comparison<'a> {
    fn definition(&mut self, document: &'a Document, name: &'a str, schema: &'a Json) {
        let read = document.read(schema);
        if is_sender(name) {
            return self.reach_all(document, &Schema { definition: None, ..read });
        }
        if let Kind::Object(object) = &read.kind {
            if is_envelope(name) {
                return self.envelope(document, name, object);
            }
            if let Some(method) = method_of(document, &read) {
                return self.message(document, name, object, &method);
            }
            if let Some(request) = answered(document, name) {
                return self.response(document, name, object, &request);
            }
        }
        if let Some((error, code)) = error_of(document, &read) {
            return self.error(document, name, &read, &error, code);
        }
        match self.inventory.place(name) {
            Some(ty) => self.value(document, &read, &ty, name),
            None => self.gap(
                document,
                name,
                Rule::Type,
                "the definition has no type",
                "add the type, or a waiver",
            ),
        }
    }

    /// Counts the properties in a definition, and reports those that no comparison has reached.
    fn count(&mut self, document: &'a Document, name: &str, schema: &'a Json, count: &mut Count) {
        let untyped = |finding: &Finding| {
            finding.rule == Rule::Type && finding.place == name && finding.revision == Some(document.revision)
        };
        let is_typed = !self.findings.iter().any(untyped);
        let mut open = vec![(name.to_string(), schema)];
        while let Some((place, schema)) = open.pop() {
            for (keyword, value) in schema.members() {
                match keyword.as_str() {
                    "properties" => {
                        for (property, schema) in value.members() {
                            let place = format!("{place}.{property}");
                            count.properties += 1;
                            if self.reached.contains(&std::ptr::from_ref(schema)) {
                                count.compared += 1;
                            } else if is_typed {
                                let problem = "the comparison did not reach it";
                                let fix = "a type for what holds it, or a waiver";
                                self.gap(document, &place, Rule::Reached, problem, fix);
                            }
                            open.push((place, schema));
                        }
                    }
                    "items" | "additionalProperties" => open.push((place.clone(), value)),
                    "anyOf" | "allOf" => {
                        open.extend(value.elements().iter().map(|part| (place.clone(), part)));
                    }
                    _ => {}
                }
            }
        }
    }
}

/// A table of how much was compared. Properties that were not compared are those of untyped definitions.
pub(super) struct Table<'a>(pub(super) &'a Outcome, pub(super) &'a Waivers);

impl fmt::Display for Table<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(outcome, waivers) = self;
        writeln!(f, "revision      definitions  untyped  properties  compared  waived  gaps")?;
        let row = |revision: Option<Revision>| {
            let findings = outcome.findings.iter().filter(|finding| finding.revision == revision);
            let (waived, gaps): (Vec<_>, Vec<_>) = findings.partition(|finding| waivers.cover(finding));
            format!("{:>6}  {:>4}", waived.len(), gaps.len())
        };
        for count in &outcome.counts {
            let Count { revision, definitions, properties, compared } = count;
            let untyped = |finding: &&Finding| {
                finding.revision == Some(*revision)
                    && finding.rule == Rule::Type
                    && !finding.place.contains('.')
            };
            let untyped = outcome.findings.iter().filter(untyped).count();
            write!(f, "{revision:<12}  {definitions:>11}  {untyped:>7}  {properties:>10}  {compared:>8}  ")?;
            writeln!(f, "{}", row(Some(*revision)))?;
        }
        writeln!(f, "{:<56}{}", "all of them", row(None))
    }
}
