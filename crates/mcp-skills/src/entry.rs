//! What can be said of an entry before any file is read.

use std::collections::HashSet;

use mcp_types::extensions::skills::{Skill, SkillResource, SkillResources};

use crate::Mismatch;

/// How many files a skill may have, its `SKILL.md` included. Section: Limits.
pub const MAX_FILES: usize = 512;
/// How many bytes the files of a skill may have together. Section: Limits.
pub const MAX_BYTES: u64 = 16 * 1024 * 1024;

const SKILL_MD: &str = "/SKILL.md";

/// Checks an entry by itself: its URI ends with the name of the skill and `SKILL.md`, its files are in the folder of the
/// skill, each once, `SKILL.md` among them, with well-formed digests, within [`MAX_FILES`] and [`MAX_BYTES`].
///
/// Source: `specification/stable/skills.mdx`, sections Resource Mapping, Resources and Limits.
///
/// # Errors
/// What is wrong; [`Mismatch::Dynamic`] when the files are not listed.
pub fn check(skill: &Skill) -> Result<(), Mismatch> {
    let root = root(skill)?;
    let name = root.rsplit('/').next().unwrap_or_default();
    if name != skill.frontmatter.name() {
        return Err(Mismatch::Entry(format!(
            "its URI ends with {name:?}, and its name is {:?}",
            skill.frontmatter.name()
        )));
    }
    let files = files(skill)?;
    let bytes = files.iter().fold(0_u64, |sum, file| sum.saturating_add(file.size));
    if files.len() > MAX_FILES || bytes > MAX_BYTES {
        return Err(Mismatch::TooLarge { files: files.len(), bytes });
    }
    let mut seen = HashSet::new();
    for file in files {
        let path = file.uri.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
        if !path.is_some_and(is_plain) {
            return Err(Mismatch::Entry(format!("{:?} is not in its folder", file.uri)));
        }
        if !seen.insert(&file.uri) {
            return Err(Mismatch::Entry(format!("{:?} is listed twice", file.uri)));
        }
        if digest(file).is_none() {
            return Err(Mismatch::Entry(format!("{:?} has the digest {:?}", file.uri, file.digest)));
        }
    }
    if !seen.contains(&skill.uri) {
        return Err(Mismatch::Entry("its SKILL.md is not listed".to_owned()));
    }
    Ok(())
}

/// The file that `reference` names: a path from the root of the skill, or a whole URI.
pub(crate) fn resolve<'a>(skill: &'a Skill, reference: &str) -> Result<&'a SkillResource, Mismatch> {
    let unlisted = || Mismatch::Unlisted(reference.to_owned());
    let files = files(skill)?;
    if let Some(file) = files.iter().find(|file| file.uri == reference) {
        return Ok(file);
    }
    let mut path = Vec::new();
    for part in reference.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(path.pop().ok_or_else(unlisted)?),
            part => path.push(part),
        }
    }
    let uri = format!("{}/{}", root(skill)?, path.join("/"));
    files.iter().find(|file| file.uri == uri).ok_or_else(unlisted)
}

/// The digest of the entry, if it is well-formed: 64 lower-case hexadecimal digits.
pub(crate) fn digest(file: &SkillResource) -> Option<&str> {
    let hex = file.digest.strip_prefix("sha256:")?;
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (hex.len() == 64 && hex.bytes().all(is_hex)).then_some(hex)
}

/// The folder of the skill, without a slash at its end.
fn root(skill: &Skill) -> Result<&str, Mismatch> {
    let uri = &skill.uri;
    uri.strip_suffix(SKILL_MD)
        .ok_or_else(|| Mismatch::Entry(format!("its URI {uri:?} does not end with `{SKILL_MD}`")))
}

fn files(skill: &Skill) -> Result<&[SkillResource], Mismatch> {
    match &skill.resources {
        SkillResources::Listed(files) => Ok(files),
        _ => Err(Mismatch::Dynamic),
    }
}

/// Whether a path stays where it seems to be, also where somebody makes files of it.
fn is_plain(path: &str) -> bool {
    let is_dots = |part: &str| {
        let part = part.to_ascii_lowercase().replace("%2e", ".");
        part.is_empty() || part == "." || part == ".."
    };
    !path.contains(['\\', '\0']) && !path.split('/').any(is_dots)
}

#[cfg(test)]
mod tests {
    use mcp_types::extensions::skills::SkillFrontmatter;

    use super::*;

    fn skill(uri: &str, files: &[(&str, u64)]) -> Skill {
        let file = |(uri, size): &(&str, u64)| SkillResource::new(*uri, format!("sha256:{:064x}", 1), *size);
        let files = SkillResources::Listed(files.iter().map(file).collect());
        Skill::new(uri, SkillFrontmatter::new("refunds", "Refunds"), files)
    }

    const URI: &str = "skill://acme/refunds/SKILL.md";

    fn why(skill: &Skill) -> String {
        check(skill).unwrap_err().to_string()
    }

    #[test]
    fn a_whole_entry_passes() {
        let files = [(URI, 3), ("skill://acme/refunds/a/b.md", 4), ("skill://acme/refunds/..a", 0)];
        assert_eq!(check(&skill(URI, &files)), Ok(()));
    }

    #[test]
    fn an_entry_that_breaks_a_rule_is_refused() {
        assert!(why(&skill("skill://acme/refunds", &[])).contains("does not end"));
        let other = "skill://acme/payments/SKILL.md";
        assert!(why(&skill(other, &[(other, 1)])).contains("\"payments\""));
        assert!(why(&skill(URI, &[("skill://acme/refunds/a.md", 1)])).contains("SKILL.md is not listed"));
        assert!(why(&skill(URI, &[(URI, 1), (URI, 1)])).contains("twice"));
        for foreign in [
            "skill://acme/other/a.md",
            "skill://acme/refundsx/a.md",
            "skill://acme/refunds",
            "skill://acme/refunds/",
            "skill://acme/refunds/../other/a.md",
            "skill://acme/refunds/%2E./other/a.md",
            "skill://acme/refunds/a//b",
            "skill://acme/refunds/a\\b",
            "file:///etc/passwd",
        ] {
            assert!(why(&skill(URI, &[(URI, 1), (foreign, 1)])).contains("not in its folder"), "{foreign}");
        }
    }

    #[test]
    fn digests_are_well_formed() {
        for wrong in ["", "sha256:", "sha256:ABC", "sha512:00"] {
            let mut skill = skill(URI, &[(URI, 1)]);
            if let SkillResources::Listed(files) = &mut skill.resources {
                wrong.clone_into(&mut files[0].digest);
            }
            assert!(why(&skill).contains("digest"), "{wrong}");
        }
        assert!(digest(&SkillResource::new(URI, format!("sha256:{:064X}", 10), 0_u64)).is_none());
    }

    #[test]
    fn limits_are_checked_before_anything_is_read() {
        assert_eq!(check(&skill(URI, &[(URI, MAX_BYTES)])), Ok(()));
        let two = skill(URI, &[(URI, MAX_BYTES), ("skill://acme/refunds/a", 1)]);
        assert_eq!(check(&two), Err(Mismatch::TooLarge { files: 2, bytes: MAX_BYTES + 1 }));
        let huge = skill(URI, &[(URI, u64::MAX), ("skill://acme/refunds/a", u64::MAX)]);
        assert_eq!(check(&huge), Err(Mismatch::TooLarge { files: 2, bytes: u64::MAX }));
        let names: Vec<String> = (0..MAX_FILES).map(|n| format!("skill://acme/refunds/{n}")).collect();
        let many: Vec<_> = names.iter().map(|name| (name.as_str(), 0)).chain([(URI, 0)]).collect();
        assert_eq!(check(&skill(URI, &many)), Err(Mismatch::TooLarge { files: MAX_FILES + 1, bytes: 0 }));
        let mut dynamic = skill(URI, &[]);
        dynamic.resources = SkillResources::Dynamic;
        assert_eq!(check(&dynamic), Err(Mismatch::Dynamic));
    }

    #[test]
    fn references_stay_in_the_skill_and_name_a_listed_file() {
        let file = "skill://acme/refunds/references/GUIDE.md";
        let skill = skill(URI, &[(URI, 1), (file, 2)]);
        for reference in ["references/GUIDE.md", "./references/GUIDE.md", "a/../references/GUIDE.md", file] {
            assert_eq!(resolve(&skill, reference).unwrap().uri, file, "{reference}");
        }
        assert_eq!(resolve(&skill, "SKILL.md").unwrap().uri, URI);
        for unlisted in ["", ".", "references", "../refunds/SKILL.md", "/../SKILL.md", "http://x/y", "a.md"] {
            let expected = Mismatch::Unlisted(unlisted.to_owned());
            assert_eq!(resolve(&skill, unlisted).unwrap_err(), expected);
        }
    }
}
