//! The file of waivers: what does not agree, and may stay so, each with its reason.
//!
//! One line each: `REVISIONS PLACE RULE: REASON`. Revisions are one name, `FIRST..LAST`, or `-` for findings that are
//! about all of them together. A `*` at an end of the place stands for anything. Lines that start with `#` are for people.

use std::{cell::Cell, fmt};

use super::{
    finding::{Finding, Rule},
    revision::Revision,
};

/// Where it is, from the root of the workspace.
pub(super) const FILE: &str = "xtask/schema-waivers.txt";

#[derive(Debug, Default)]
pub(super) struct Waivers(Vec<Waiver>);

#[derive(Debug)]
struct Waiver {
    line: usize,
    /// The first and the last.
    revisions: Option<(Revision, Revision)>,
    place: String,
    rule: Rule,
    /// Whether the first, and the last, revision had a finding.
    used: Cell<(bool, bool)>,
}

impl Waivers {
    /// # Errors
    /// A line that is no waiver.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let lines = text.lines().enumerate();
        let lines = lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'));
        lines
            .map(|(index, line)| {
                waiver(index + 1, line).map_err(|why| format!("{FILE}:{}: {why}", index + 1))
            })
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Whether a waiver covers the finding.
    pub(super) fn cover(&self, finding: &Finding) -> bool {
        // All that cover it count as used: which one came first is no reason to call the other stale.
        self.0.iter().filter(|waiver| waiver.cover(finding)).count() > 0
    }

    /// Waivers without a finding.
    pub(super) fn stale(&self) -> Vec<String> {
        self.0
            .iter()
            .filter(|waiver| waiver.used.get() != (true, true))
            .map(|waiver| {
                let which = match waiver.used.get() {
                    (true, false) => "is not needed any more in the last of its revisions",
                    (false, true) => "is not needed any more in the first of its revisions",
                    _ => "is not needed any more",
                };
                format!(
                    "{FILE}:{}: the waiver for {waiver} {which}; fix: correct or delete the line",
                    waiver.line
                )
            })
            .collect()
    }
}

impl Waiver {
    fn cover(&self, finding: &Finding) -> bool {
        let within = match (self.revisions, finding.revision) {
            (Some((first, last)), Some(revision)) => first <= revision && revision <= last,
            (None, None) => true,
            _ => false,
        };
        if self.rule != finding.rule || !within || !matches(&self.place, &finding.place) {
            return false;
        }
        let (first, last) = self.used.get();
        let at = |end: fn((Revision, Revision)) -> Revision| self.revisions.map(end) == finding.revision;
        self.used.set((first || at(|span| span.0), last || at(|span| span.1)));
        true
    }
}

impl fmt::Display for Waiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} [{}]", self.place, self.rule.name())
    }
}

fn matches(pattern: &str, place: &str) -> bool {
    match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
        (Some(end), _) => place.ends_with(end),
        (None, Some(start)) => place.starts_with(start),
        (None, None) => place == pattern,
    }
}

fn waiver(line: usize, text: &str) -> Result<Waiver, String> {
    let (head, reason) = text.split_once(": ").ok_or("no `: REASON`")?;
    if reason.trim().len() < 10 {
        return Err("a waiver needs a reason".to_string());
    }
    let words: Vec<_> = head.split_whitespace().collect();
    let [revisions, place, rule] = words.as_slice() else {
        return Err("not `REVISIONS PLACE RULE: REASON`".to_string());
    };
    let known = |name: &str| Revision::from_name(name).ok_or_else(|| format!("no revision `{name}`"));
    let revisions = match (*revisions, revisions.split_once("..")) {
        ("-", _) => None,
        (_, Some((first, last))) => Some((known(first)?, known(last)?)),
        (one, None) => Some((known(one)?, known(one)?)),
    };
    let rule = Rule::from_name(rule).ok_or_else(|| format!("no rule `{rule}`"))?;
    Ok(Waiver { line, revisions, place: (*place).to_string(), rule, used: Cell::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(revision: usize, place: &str) -> Finding {
        Finding::new(Revision::ALL[revision], place, Rule::Member, "p", "f")
    }

    #[test]
    fn a_waiver_covers_its_revisions_place_and_rule_only() {
        let waivers =
            Waivers::parse("# why\n\n2025-03-26..2025-11-25 A.b member: because of this\n").unwrap();
        assert!(!waivers.cover(&finding(0, "A.b")) && !waivers.cover(&finding(1, "A.c")));
        assert!(!waivers.cover(&Finding { rule: Rule::Kind, ..finding(1, "A.b") }));
        assert!(!waivers.cover(&Finding { revision: None, ..finding(1, "A.b") }));
        assert!(waivers.cover(&finding(1, "A.b")));
        assert!(waivers.stale()[0].contains("in the last of its revisions"));
        assert!(waivers.cover(&finding(3, "A.b")) && waivers.stale().is_empty());
    }

    #[test]
    fn a_stale_waiver_is_named_with_its_line() {
        let waivers =
            Waivers::parse("\n- A.* extra: there is a reason\n- *.z extra: there is a reason").unwrap();
        let finding = Finding { revision: None, rule: Rule::Extra, ..finding(0, "A.x") };
        assert!(waivers.cover(&finding));
        let stale = waivers.stale();
        assert!(stale.len() == 1 && stale[0].contains(":3: ") && stale[0].contains("*.z"), "{stale:?}");
    }

    #[test]
    fn lines_that_are_no_waivers_are_refused() {
        for (line, why) in [
            ("- A.b member", "REASON"),
            ("- A.b member: x", "reason"),
            ("- A.b: there is a reason", "REVISIONS"),
            ("- A.b mumber: there is a reason", "no rule"),
            ("2025-03-27 A.b member: there is a reason", "no revision"),
        ] {
            let error = Waivers::parse(line).unwrap_err();
            assert!(error.contains(why) && error.contains(":1: "), "{error}");
        }
    }
}
