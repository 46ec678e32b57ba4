//! `cargo test --workspace` must test all code: a feature that nothing switches on there is compiled by clippy alone.

use super::{Finding, Report, Tree};
use crate::metadata::Metadata;

/// Features that the tests may leave out: package, feature, reason.
const UNTESTED: &[(&str, &str, &str)] = &[];

pub(super) fn check(tree: &Tree) -> Report {
    untested(&tree.metadata, UNTESTED).into()
}

fn untested(metadata: &Metadata, exceptions: &[(&str, &str, &str)]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in metadata.members() {
        for feature in member.features.difference(&member.features_on) {
            if exceptions.iter().any(|(package, name, _)| *package == member.name && name == feature) {
                continue;
            }
            let problem =
                format!("feature `{feature}` of `{}` is off in `cargo test --workspace`", member.name);
            let fix = "switch it on in the dev-dependencies of a crate that tests it, or list it, with a reason, in \
                       xtask/src/tidy/features.rs";
            findings.push(Finding::new(&member.manifest, problem, fix));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_that_no_test_switches_on_fails_unless_listed() {
        let metadata = Metadata::default().package("mcp-transport", &[], |package| {
            package.is_member = true;
            package.features = ["default", "contract"].map(str::to_string).into();
            package.features_on = ["default"].map(str::to_string).into();
        });
        let findings = untested(&metadata, &[]);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].problem.contains("`contract` of `mcp-transport`"), "{findings:?}");
        assert_eq!(untested(&metadata, &[("mcp-transport", "contract", "it is slow")]), []);
    }
}
