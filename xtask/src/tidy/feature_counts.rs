//! How many crates of others each combination of the features of mcp-transport-http brings, and that its README says so.

use std::collections::BTreeSet;

use super::{
    Finding, Report, Tree,
    crate_count::{TARGET, foreign},
};
use crate::process::Invocation;

const README: &str = "crates/mcp-transport-http/README.md";

/// The columns of the table; the features that bring TLS are its rows.
const COLUMNS: &[&[&str]] = &[&[], &["http2"], &["proxy"], &["http2", "proxy"]];
const ROWS: &[Option<&str>] = &[None, Some("tls"), Some("ring")];

pub(super) fn check(tree: &Tree) -> Report {
    let members: BTreeSet<_> = tree.metadata.members().iter().map(|member| member.name.clone()).collect();
    let mut report = Report::default();
    let mut rows = Vec::new();
    for tls in ROWS {
        let mut counts = Vec::new();
        for others in COLUMNS {
            let features: Vec<_> = tls.iter().chain(*others).copied().collect();
            match Invocation::new(&command(&features)).output(&tree.root) {
                Ok(listing) => {
                    let count = foreign(&listing, &members).len();
                    let name = if features.is_empty() { "no feature".into() } else { features.join(", ") };
                    report.notes.push(format!("client over stdio and HTTP, {name}: {count}"));
                    counts.push(count);
                }
                Err(failure) => {
                    let problem = format!("crates with {features:?} cannot be counted: {failure}");
                    report.findings.push(Finding::new("Cargo.toml", problem, "make the command work"));
                }
            }
        }
        rows.push(row(*tls, &counts));
    }
    let text = std::fs::read_to_string(tree.root.join(README)).unwrap_or_default();
    report.findings.extend(missing(&text, &rows));
    report
}

fn command(features: &[&str]) -> String {
    let features: Vec<_> = features.iter().map(|feature| format!("mcp-transport-http/{feature}")).collect();
    let features = if features.is_empty() { String::new() } else { format!(" -F {}", features.join(",")) };
    let packages = "-p mcp-client -p mcp-transport-stdio -p mcp-transport-http";
    format!("cargo tree --target {TARGET} -e normal --prefix none {packages} --no-default-features{features}")
}

/// A row of the table in the README.
fn row(tls: Option<&str>, counts: &[usize]) -> String {
    let name = tls.map_or_else(|| "–".into(), |feature| format!("`{feature}`"));
    let counts: Vec<_> = counts.iter().map(ToString::to_string).collect();
    format!("| {name} | {} |", counts.join(" | "))
}

fn missing(readme: &str, rows: &[String]) -> Vec<Finding> {
    let told = |row: &&String| !readme.lines().any(|line| line == **row);
    let finding = |row: &String| {
        let fix = format!("write this row into its table of features: {row}");
        Finding::new(README, "the count of crates is not what it says", fix)
    };
    rows.iter().filter(told).map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_the_readme_does_not_have_is_found() {
        let rows = [row(None, &[1, 2]), row(Some("tls"), &[3, 4])];
        assert_eq!(rows[0], "| – | 1 | 2 |");
        let findings = missing("a\n| – | 1 | 2 |\n| `tls` | 3 | 5 |\n", &rows);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].fix.ends_with("| `tls` | 3 | 4 |"), "{findings:?}");
    }

    #[test]
    fn features_are_asked_for_alone() {
        assert!(command(&[]).ends_with("-p mcp-transport-http --no-default-features"));
        assert!(command(&["tls", "http2"]).ends_with("-F mcp-transport-http/tls,mcp-transport-http/http2"));
    }
}
