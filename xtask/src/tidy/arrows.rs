//! Which crate may depend on which: the arrows of the architecture as an allow-list.

use super::{Finding, Report, Tree};
use crate::metadata::{Edge, Kind, Metadata, Package};

const TYPES: &str = "mcp-types";
const PARAM_HEADERS: &str = "mcp-param-headers";
const PROTOCOL: &str = "mcp-protocol";
const JSON_SCHEMA: &str = "mcp-json-schema";
const TRANSPORT: &str = "mcp-transport";
const STDIO: &str = "mcp-transport-stdio";
const HTTP: &str = "mcp-transport-http";
const AUTH: &str = "mcp-auth";
const TESTKIT: &str = "mcp-testkit";
const CLIENT: &str = "mcp-client";
const SKILLS: &str = "mcp-skills";
const HOST: &str = "mcp-host";
const CLI: &str = "mcp-cli";

/// What one package of this workspace may stand on.
struct Rule {
    package: &'static str,
    /// Packages of this workspace in `[dependencies]`.
    normal: &'static [&'static str],
    /// More of them in `[dev-dependencies]`, beside `normal`.
    dev: &'static [&'static str],
    /// Packages of others that it must not reach over normal dependencies, near or far. Stands for `NAME-*` too.
    never: &'static [&'static str],
}

/// Lower crates first. A package that is not here fails; nothing of this workspace is a build dependency.
const RULES: &[Rule] = &[
    // Itself: its tests switch its features on.
    Rule { package: TYPES, normal: &[], dev: &[TYPES, TESTKIT], never: &["tokio", "futures", "hyper"] },
    Rule {
        package: PARAM_HEADERS,
        normal: &[TYPES],
        dev: &[],
        never: &["tokio", "futures", "http", "hyper"],
    },
    Rule { package: PROTOCOL, normal: &[TYPES], dev: &[TESTKIT], never: &["tokio", "futures", "hyper"] },
    // Its tests judge what a client got.
    Rule {
        package: JSON_SCHEMA,
        normal: &[TYPES],
        dev: &[CLIENT, TRANSPORT, TESTKIT],
        never: &["tokio", "hyper", "reqwest", "rustls"],
    },
    Rule { package: TRANSPORT, normal: &[TYPES], dev: &[TESTKIT], never: &["hyper"] },
    // Of mcp-protocol the framing only. Itself: its tests switch its features on.
    Rule { package: STDIO, normal: &[TYPES, PROTOCOL, TRANSPORT], dev: &[STDIO, TESTKIT], never: &["hyper"] },
    // Its tests drive it as the client does.
    Rule {
        package: HTTP,
        normal: &[TYPES, PARAM_HEADERS, TRANSPORT],
        dev: &[TESTKIT, CLIENT],
        never: &["reqwest", "url", "thiserror"],
    },
    // A layer on the HTTP seam; it knows no type of the protocol.
    Rule { package: AUTH, normal: &[HTTP], dev: &[TESTKIT], never: &["reqwest"] },
    Rule {
        package: TESTKIT,
        normal: &[TYPES, PARAM_HEADERS, PROTOCOL, TRANSPORT, STDIO, HTTP],
        dev: &[],
        never: &["reqwest"],
    },
    // Knows no transport; its tests do. Base64 is of header fields, which a transport brings.
    Rule {
        package: CLIENT,
        normal: &[TYPES, PROTOCOL, TRANSPORT],
        dev: &[STDIO, HTTP, AUTH, TESTKIT],
        never: &["base64", "hyper", "nix", "process-wrap", "rustix"],
    },
    // An extension, for hosts that want it: what it needs stays out of the client.
    Rule { package: SKILLS, normal: &[TYPES, CLIENT], dev: &[TRANSPORT, TESTKIT], never: &["hyper"] },
    Rule {
        package: HOST,
        normal: &[TYPES, TRANSPORT, STDIO, HTTP, AUTH, CLIENT, SKILLS],
        dev: &[TESTKIT],
        never: &["reqwest"],
    },
    Rule {
        package: CLI,
        normal: &[TYPES, JSON_SCHEMA, PROTOCOL, TRANSPORT, STDIO, HTTP, AUTH, TESTKIT, CLIENT, SKILLS, HOST],
        dev: &[],
        never: &["reqwest"],
    },
    Rule {
        package: "mcp-examples",
        normal: &[TYPES, JSON_SCHEMA, PROTOCOL, TRANSPORT, STDIO, HTTP, AUTH, TESTKIT, CLIENT, SKILLS, HOST],
        dev: &[],
        never: &["reqwest"],
    },
    // A thin dispatcher: what it lacks belongs into the crates that it stands on.
    Rule {
        package: "mcp-conformance",
        normal: &[TYPES, HTTP, AUTH, CLIENT, SKILLS],
        dev: &[],
        never: &["reqwest"],
    },
    // It must work when the product does not compile.
    Rule { package: "xtask", normal: &[], dev: &[], never: &["tokio", "futures", "hyper"] },
];

pub(super) fn check(tree: &Tree) -> Report {
    violations(&tree.metadata).into()
}

fn violations(metadata: &Metadata) -> Vec<Finding> {
    let mut findings = Vec::new();
    for member in metadata.members() {
        let Some(rule) = RULES.iter().find(|rule| rule.package == member.name) else {
            let problem = format!("`{}` is not in the list of arrows", member.name);
            findings.push(Finding::new(
                &member.manifest,
                problem,
                "add a rule for it to xtask/src/tidy/arrows.rs",
            ));
            continue;
        };
        let arrows = member.edges.iter().filter_map(|edge| Some((edge, metadata.target(edge)?)));
        findings.extend(
            arrows.filter(|(_, to)| to.is_member).filter_map(|(edge, to)| arrow(rule, member, edge, to)),
        );
        for foreign in metadata.closure(member, &[Kind::Normal]) {
            if let Some(never) = rule.never.iter().find(|never| is_of_family(&foreign.name, never)) {
                let problem =
                    format!("`{}` must not need `{never}`, but reaches `{}`", member.name, foreign.name);
                let command = format!("cargo tree -p {} -e normal -i {}", member.name, foreign.name);
                findings.push(Finding::new(
                    &member.manifest,
                    problem,
                    format!("`{command}` shows the way; cut it"),
                ));
            }
        }
    }
    findings
}

fn arrow(rule: &Rule, from: &Package, edge: &Edge, to: &Package) -> Option<Finding> {
    let name = to.name.as_str();
    let allowed = match edge.kind {
        Kind::Normal => rule.normal.contains(&name),
        Kind::Dev => rule.normal.contains(&name) || rule.dev.contains(&name),
        Kind::Build => false,
    };
    if allowed {
        return None;
    }
    let fix = if edge.kind == Kind::Normal && rule.dev.contains(&name) {
        "only its tests may: move it to [dev-dependencies]".to_string()
    } else {
        "do without it; an arrow is a decision: ARCHITECTURE.md first, then xtask/src/tidy/arrows.rs"
            .to_string()
    };
    let problem = format!("`{}` may not have `{name}` in [{}]", from.name, edge.kind.section());
    Some(Finding::new(&from.manifest, problem, fix))
}

fn is_of_family(name: &str, family: &str) -> bool {
    name.strip_prefix(family).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(metadata: &Metadata) -> Vec<String> {
        violations(metadata).into_iter().map(|finding| finding.problem).collect()
    }

    #[test]
    fn the_arrows_of_the_architecture_pass() {
        let metadata = Metadata::default()
            .member(TYPES, &[(Kind::Normal, "serde")])
            .member(PROTOCOL, &[(Kind::Normal, TYPES), (Kind::Dev, TESTKIT), (Kind::Dev, "tokio")])
            .member(TRANSPORT, &[(Kind::Normal, TYPES), (Kind::Normal, "tokio")])
            .member(TESTKIT, &[(Kind::Normal, PROTOCOL)])
            .member(CLIENT, &[(Kind::Normal, TRANSPORT), (Kind::Dev, TRANSPORT), (Kind::Dev, STDIO)])
            .member(STDIO, &[(Kind::Normal, PROTOCOL)])
            .member("mcp-examples", &[(Kind::Normal, TESTKIT)])
            .foreign("serde", &[])
            .foreign("tokio", &[]);
        assert_eq!(problems(&metadata), [""; 0]);
    }

    #[test]
    fn an_arrow_upwards_fails() {
        let metadata = Metadata::default().member(PROTOCOL, &[(Kind::Normal, CLIENT)]).member(CLIENT, &[]);
        assert_eq!(problems(&metadata), ["`mcp-protocol` may not have `mcp-client` in [dependencies]"]);
    }

    #[test]
    fn the_test_kit_is_a_dev_dependency_only() {
        let metadata = Metadata::default().member(CLIENT, &[(Kind::Normal, TESTKIT)]).member(TESTKIT, &[]);
        let findings = violations(&metadata);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].fix.contains("[dev-dependencies]"), "{findings:?}");
        let metadata = Metadata::default().member(CLI, &[(Kind::Normal, TESTKIT)]).member(TESTKIT, &[]);
        assert_eq!(problems(&metadata), [""; 0]);
    }

    #[test]
    fn each_kind_is_judged_by_itself() {
        let metadata = Metadata::default().member(STDIO, &[(Kind::Build, TYPES)]).member(TYPES, &[]);
        assert_eq!(
            problems(&metadata),
            ["`mcp-transport-stdio` may not have `mcp-types` in [build-dependencies]"]
        );
        let metadata = Metadata::default().member("xtask", &[(Kind::Dev, TYPES)]).member(TYPES, &[]);
        assert_eq!(problems(&metadata), ["`xtask` may not have `mcp-types` in [dev-dependencies]"]);
    }

    #[test]
    fn an_unknown_package_fails_until_it_is_in_the_list() {
        let metadata = Metadata::default().member("mcp-extra", &[]);
        assert_eq!(problems(&metadata), ["`mcp-extra` is not in the list of arrows"]);
    }

    #[test]
    fn a_banned_package_is_found_far_below_but_not_in_tests() {
        let below = Metadata::default()
            .member(TYPES, &[(Kind::Normal, "serde"), (Kind::Dev, "tokio")])
            .foreign("tokio", &[])
            .foreign("tokio-util", &[]);
        assert_eq!(problems(&below.foreign("serde", &[])), [""; 0]);
        let below = Metadata::default()
            .member(TYPES, &[(Kind::Normal, "serde")])
            .foreign("serde", &[(Kind::Normal, "tokio-util")])
            .foreign("tokio-util", &[]);
        assert_eq!(problems(&below), ["`mcp-types` must not need `tokio`, but reaches `tokio-util`"]);
    }

    #[test]
    fn rules_are_in_dependency_order() {
        for (place, rule) in RULES.iter().enumerate() {
            for lower in rule.normal {
                assert!(
                    RULES[..place].iter().any(|rule| rule.package == *lower),
                    "{} on {lower}",
                    rule.package
                );
            }
        }
    }
}
