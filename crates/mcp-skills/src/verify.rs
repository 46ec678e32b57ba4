//! What was read, held against its entry.

use data_encoding::{BASE64, HEXLOWER};
use mcp_types::{
    List, ResourceContents,
    extensions::skills::{Skill, SkillResource, SkillResources},
};
use sha2::{Digest, Sha256};

use crate::{Mismatch, entry::digest, frontmatter};

/// Checks that `bytes` are those of `file`: their number, and their SHA-256.
///
/// A match says that entry and content belong together, not that either can be trusted: both come from the server.
/// Source: `specification/stable/skills.mdx`, section Verification on Read.
///
/// # Errors
/// [`Mismatch::Size`] or [`Mismatch::Digest`].
pub fn verify_file(file: &SkillResource, bytes: &[u8]) -> Result<(), Mismatch> {
    let actual = bytes.len() as u64;
    if actual != file.size {
        return Err(Mismatch::Size { uri: file.uri.clone(), expected: file.size, actual });
    }
    let computed = HEXLOWER.encode(&Sha256::digest(bytes));
    if digest(file) == Some(computed.as_str()) {
        Ok(())
    } else {
        Err(Mismatch::Digest { uri: file.uri.clone() })
    }
}

/// Checks a `SKILL.md` against the entry of its skill: size and digest, where the entry lists its files, then the front
/// matter, member by member.
///
/// Source: `specification/stable/skills.mdx`, section Frontmatter Verification.
///
/// # Errors
/// The first thing that differs.
pub fn verify_skill_md(skill: &Skill, bytes: &[u8]) -> Result<(), Mismatch> {
    if let SkillResources::Listed(files) = &skill.resources {
        let file = files.iter().find(|file| file.uri == skill.uri);
        verify_file(file.ok_or_else(|| Mismatch::Unlisted(skill.uri.clone()))?, bytes)?;
    }
    let text = std::str::from_utf8(bytes)
        .map_err(|error| Mismatch::FrontMatter(format!("SKILL.md is not UTF-8: {error}")))?;
    frontmatter::verify(text, &skill.frontmatter).map_err(Mismatch::FrontMatter)
}

/// The bytes of the one file that was asked for.
pub(crate) fn bytes(uri: &str, contents: List<ResourceContents>) -> Result<Vec<u8>, Mismatch> {
    let odd = |why: String| Mismatch::Contents { uri: uri.to_owned(), why };
    let (contents, rejected) = contents.into_parts();
    if let Some(rejected) = rejected.first() {
        return Err(odd(format!("a part of it cannot be read: {}", rejected.reason)));
    }
    let count = contents.len();
    let Ok([content]) = <[ResourceContents; 1]>::try_from(contents) else {
        return Err(odd(format!("{count} parts")));
    };
    if content.uri() != uri {
        return Err(odd(format!("it is {:?}", content.uri())));
    }
    match content {
        ResourceContents::Text(content) => Ok(content.text.into_bytes()),
        ResourceContents::Blob(content) => {
            BASE64.decode(content.blob.as_bytes()).map_err(|error| odd(format!("base64: {error}")))
        }
        _ => Err(odd("neither text nor bytes".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use mcp_types::{BlobResourceContents, TextResourceContents, extensions::skills::SkillFrontmatter};

    use super::*;

    const URI: &str = "skill://a/SKILL.md";
    /// `printf abc | sha256sum`
    const ABC: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn size_and_digest_are_those_of_the_entry() {
        let file = |digest: &str, size: u64| SkillResource::new(URI, digest, size);
        assert_eq!(verify_file(&file(ABC, 3), b"abc"), Ok(()));
        assert_eq!(verify_file(&file(ABC, 3), b"abd"), Err(Mismatch::Digest { uri: URI.to_owned() }));
        let size = Mismatch::Size { uri: URI.to_owned(), expected: 4, actual: 3 };
        assert_eq!(verify_file(&file(ABC, 4), b"abc"), Err(size));
        let upper = file(&ABC.to_uppercase().replace("SHA", "sha"), 3);
        assert_eq!(verify_file(&upper, b"abc"), Err(Mismatch::Digest { uri: URI.to_owned() }));
    }

    #[test]
    fn the_front_matter_is_checked_also_where_nothing_else_can_be() {
        let dynamic = Skill::new(URI, SkillFrontmatter::new("a", "A"), SkillResources::Dynamic);
        assert_eq!(verify_skill_md(&dynamic, b"---\nname: a\ndescription: A\n---\n"), Ok(()));
        let other = verify_skill_md(&dynamic, b"---\nname: a\ndescription: B\n---\n").unwrap_err();
        assert!(matches!(&other, Mismatch::FrontMatter(why) if why.contains("description")), "{other}");
        assert!(verify_skill_md(&dynamic, b"---\nname: \xff\n---\n").is_err());
        let unlisted = Skill::new(URI, SkillFrontmatter::new("a", "A"), SkillResources::Listed(Vec::new()));
        assert_eq!(verify_skill_md(&unlisted, b""), Err(Mismatch::Unlisted(URI.to_owned())));
    }

    #[test]
    fn a_file_comes_as_one_part_under_its_own_uri() {
        let text = |uri: &str| ResourceContents::from(TextResourceContents::new(uri, "é"));
        let blob = |blob: &str| ResourceContents::from(BlobResourceContents::new(URI, blob));
        let of = |parts: Vec<ResourceContents>| bytes(URI, parts.into());
        assert_eq!(of(vec![text(URI)]), Ok("é".as_bytes().to_vec()));
        assert_eq!(of(vec![blob("/wA=")]), Ok(vec![0xff, 0]));
        for odd in [vec![], vec![text(URI), text(URI)], vec![text("skill://b/SKILL.md")], vec![blob("/w")]] {
            assert!(matches!(of(odd), Err(Mismatch::Contents { .. })));
        }
        let rejected: List<ResourceContents> =
            serde_json::from_str(r#"[{"uri":"skill://a/SKILL.md","text":"x"},{"uri":"b"}]"#).unwrap();
        assert!(matches!(bytes(URI, rejected), Err(Mismatch::Contents { .. })));
    }
}
