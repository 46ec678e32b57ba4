//! The checker on made-up schemas: what agrees passes, and each way not to agree is found.

mod everything;
mod examples;
mod objects;
mod unions;

use super::{check::compare, document::Document, finding::Finding, inventory::Inventory, revision::Revision};

/// The parts of an inventory; everything else is empty.
#[derive(Default, Clone)]
struct Rust {
    types: Vec<String>,
    markers: Vec<String>,
    methods: Vec<String>,
    aliases: Vec<String>,
    codes: Vec<String>,
}

impl Rust {
    /// A type that is in all revisions.
    fn ty(self, name: &str, shape: &str) -> Self {
        self.ty_in(name, 0, 4, shape)
    }

    fn ty_in(mut self, name: &str, first: usize, last: usize, shape: &str) -> Self {
        let lifetime = lifetime(first, last, false);
        self.types.push(format!(
            r#"{{"name":"{name}","module":"mcp_types::m","lifetime":{lifetime},"shape":{shape}}}"#
        ));
        self
    }

    fn marker(mut self, name: &str, method: &str, params: &str, result: Option<&str>) -> Self {
        let result = result.map_or("null".to_string(), |result| format!("\"{result}\""));
        self.markers.push(format!(
            r#"{{"name":"{name}","module":"mcp_types::m","method":"{method}","params":"{params}","result":{result}}}"#
        ));
        self
    }

    /// A method in all revisions.
    fn method(mut self, name: &str, kind: &str, direction: &str) -> Self {
        let directions: Vec<_> =
            Revision::ALL.iter().map(|revision| format!(r#""{revision}":"{direction}""#)).collect();
        let directions = directions.join(",");
        self.methods.push(format!(
            r#"{{"name":"{name}","kind":"{kind}","directions":{{{directions}}},"embeddedSince":null}}"#
        ));
        self
    }

    fn alias(mut self, name: &str, of: &str) -> Self {
        self.aliases.push(format!(r#""{name}":"{of}""#));
        self
    }

    fn inventory(&self) -> Inventory {
        let Self { types, markers, methods, aliases, codes } = self;
        let text = format!(
            r#"{{"types":[{}],"markers":[{}],"methods":[{}],"aliases":{{{}}},"codes":[{}]}}"#,
            types.join(","),
            markers.join(","),
            methods.join(","),
            aliases.join(","),
            codes.join(",")
        );
        Inventory::parse(&text).unwrap()
    }

    /// What is found when every revision has these definitions.
    fn against(&self, definitions: &str) -> Vec<String> {
        self.against_each([definitions; 5])
    }

    /// What is found, without revisions, when each revision has its own definitions.
    fn against_each(&self, definitions: [&str; 5]) -> Vec<String> {
        let mut found: Vec<_> = self.findings(definitions).iter().map(in_short).collect();
        found.sort();
        found.dedup();
        found
    }

    fn findings(&self, definitions: [&str; 5]) -> Vec<Finding> {
        let documents: Vec<_> = Revision::ALL
            .into_iter()
            .zip(definitions)
            .map(|(revision, definitions)| {
                Document::parse(revision, &format!(r#"{{"$defs":{{{definitions}}}}}"#)).unwrap()
            })
            .collect();
        compare(&self.inventory(), &documents).findings
    }
}

/// An object of such members.
fn object(members: &[String]) -> String {
    format!(r#"{{"object":[{}],"open":false}}"#, members.join(","))
}

/// A member that must be there.
fn required(name: &str, ty: &str) -> String {
    member(name, ty, true, None, &lifetime(0, 4, false))
}

fn optional(name: &str, ty: &str) -> String {
    member(name, ty, false, None, &lifetime(0, 4, false))
}

fn optional_in(name: &str, ty: &str, first: usize, last: usize) -> String {
    member(name, ty, false, None, &lifetime(first, last, false))
}

fn constant(name: &str, value: &str) -> String {
    member(name, "String", true, Some(value), &lifetime(0, 4, false))
}

fn of_an_extension(name: &str, ty: &str) -> String {
    member(name, ty, false, None, &lifetime(0, 4, true))
}

fn member(name: &str, ty: &str, required: bool, constant: Option<&str>, lifetime: &str) -> String {
    let constant = constant.map_or("null".to_string(), |value| format!("\"{value}\""));
    format!(
        r#"{{"name":"{name}","required":{required},"kind":"{ty}","constant":{constant},"lifetime":{lifetime}}}"#
    )
}

fn lifetime(first: usize, last: usize, extension: bool) -> String {
    let (since, until) = (Revision::ALL[first], Revision::ALL[last]);
    format!(r#"{{"since":"{since}","until":"{until}","extension":{extension}}}"#)
}

fn in_short(finding: &Finding) -> String {
    format!("{} {}", finding.place, finding.rule.name())
}
