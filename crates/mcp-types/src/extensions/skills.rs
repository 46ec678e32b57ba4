//! The skills extension, `io.modelcontextprotocol/skills`: a server serves Agent Skills as resources, with a list of them
//! and of their files.
//!
//! Source: `specification/stable/skills.mdx` of
//! [`modelcontextprotocol/ext-skills`](https://github.com/modelcontextprotocol/ext-skills) at
//! `0682b7b6e9e661fbf8538e27cbd3e7282927b45a`; SEP-2640. Checking digests, sizes and front matter, and asking the user
//! before a skill is used, is the host's work; the crate `mcp-skills` checks.

use crate::{
    CacheScope, Cursor, Json, JsonObject, List, Meta, PaginatedRequestParams, Resource, ResultType,
    read::{self, Blank, Read, Reader},
    write::{self, Node, Write},
};

/// The identifier of the extension.
pub const ID: &str = "io.modelcontextprotocol/skills";

/// The MIME type of a resource that is a directory.
pub const DIRECTORY_MIME_TYPE: &str = "inode/directory";

requests! {
    /// Lists skills. The list may be empty or partial: it never proves that a skill is not there.
    ListSkillsRequest = "skills/list" (PaginatedRequestParams) -> ListSkillsResult;
    /// Gets the entry of one skill.
    GetSkillRequest = "skills/get" (GetSkillRequestParams) -> GetSkillResult;
    /// Lists the direct children of a directory. Only where the server declares `directoryRead`.
    ReadResourceDirectoryRequest =
        "resources/directory/read" (ReadResourceDirectoryRequestParams) -> ReadResourceDirectoryResult;
}

open_object! {
    /// The settings of the extension, as a server declares them.
    pub struct SkillsCapability [extension] {
        /// It answers `resources/directory/read`. Absent means no.
        directory_read? with_directory_read as "directoryRead": bool,
    }
}

object! {
    /// A skill, with all its files. Text of the peer: untrusted.
    ///
    /// A skill is identified by its server and its `uri`; its name is a label that need not be unique.
    pub struct Skill [extension] {
        /// The URI of its `SKILL.md`.
        uri: String,
        /// The front matter of its `SKILL.md`, as it is.
        frontmatter: SkillFrontmatter,
        /// Its files.
        resources: SkillResources,
    }
}

/// The front matter of a `SKILL.md`: open, with typed access to what every skill has.
///
/// An entry without a name or a description is refused, and so ends up in [`List::rejected`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFrontmatter {
    name: String,
    description: String,
    members: JsonObject,
}

impl SkillFrontmatter {
    /// The front matter with these two members only.
    pub fn new(name: impl Into<String>, description: impl Into<String>) -> Self {
        let (name, description) = (name.into(), description.into());
        let members =
            [("name", Json::from(name.as_str())), ("description", Json::from(description.as_str()))];
        Self { members: members.into(), name, description }
    }

    /// The name of the skill.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the skill is for.
    pub fn description(&self) -> &str {
        &self.description
    }

    /// All members, as they came.
    pub fn members(&self) -> &JsonObject {
        &self.members
    }
}

impl Write for SkillFrontmatter {
    fn node(&self) -> Node<'_> {
        self.members.node()
    }
}

write::serialize_by_writing!(SkillFrontmatter);

impl Read for SkillFrontmatter {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        let members = JsonObject::read(reader)?;
        let text = |key| match members.get(key) {
            Some(value) => read::value::<String>(value),
            None => Err(reader.error(format_args!("missing field `{key}`"))),
        };
        Ok(Self { name: text("name")?, description: text("description")?, members })
    }
}

read::deserialize_by_reading!(SkillFrontmatter, SkillResources);

impl Blank for SkillFrontmatter {
    const BLANK: Self = Self { name: String::new(), description: String::new(), members: JsonObject::new() };
}

impl Blank for SkillResources {
    const BLANK: Self = Self::Dynamic;
}

/// The files of a skill.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SkillResources {
    /// All of them, its `SKILL.md` included.
    Listed(Vec<SkillResource>),
    /// They are made on demand, so that nothing can be checked: `"dynamic"` on the wire.
    Dynamic,
}

object! {
    /// A file of a skill.
    #[derive(Eq)]
    pub struct SkillResource [extension] {
        /// Its URI.
        uri: String,
        /// The SHA-256 of its bytes: `sha256:` and 64 lower-case hexadecimal digits. Not checked.
        digest: String,
        /// Its length in bytes.
        size: u64,
    }
}

impl Write for SkillResources {
    fn node(&self) -> Node<'_> {
        match self {
            Self::Listed(files) => files.node(),
            Self::Dynamic => Node::Text("dynamic"),
        }
    }
}

write::serialize_by_writing!(SkillResources);

/// Not a [`List`]: files that miss one are another skill.
impl Read for SkillResources {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        if reader.peek() == Some(b'[') {
            return Ok(Self::Listed(Vec::read(reader)?));
        }
        match &*reader.string()? {
            "dynamic" => Ok(Self::Dynamic),
            _ => Err(reader.error("expected a list, or `dynamic`")),
        }
    }
}

object! {
    /// One page of skills.
    pub struct ListSkillsResult [extension] {
        /// The skills.
        skills: List<Skill>,
        /// Where the next page begins. Absent on the last page.
        next_cursor? with_next_cursor: Cursor,
        /// For how many milliseconds the page is fresh. Absent when the server wrote no whole number.
        #[read(lenient_integer)]
        ttl_ms? with_ttl_ms: u64,
        /// Who may share a cached copy. Absent when the server wrote no text.
        #[read(lenient)]
        cache_scope? with_cache_scope: CacheScope,
        /// How to read the result.
        result_type? with_result_type: ResultType,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// Parameters of `skills/get`.
    pub struct GetSkillRequestParams [extension] {
        /// The URI of the skill's `SKILL.md`.
        uri: String,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// One skill.
    pub struct GetSkillResult [extension] {
        /// The skill.
        skill: Skill,
        /// For how many milliseconds the entry is fresh. Absent when the server wrote no whole number.
        #[read(lenient_integer)]
        ttl_ms? with_ttl_ms: u64,
        /// Who may share a cached copy. Absent when the server wrote no text.
        #[read(lenient)]
        cache_scope? with_cache_scope: CacheScope,
        /// How to read the result.
        result_type? with_result_type: ResultType,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// Parameters of `resources/directory/read`.
    pub struct ReadResourceDirectoryRequestParams [extension] {
        /// The URI of the directory, without a slash at its end.
        uri: String,
        /// Where to go on. Absent asks for the first page.
        cursor? with_cursor: Cursor,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// One page of the direct children of a directory.
    pub struct ReadResourceDirectoryResult [extension] {
        /// The children. Directories among them have the MIME type [`DIRECTORY_MIME_TYPE`].
        resources: List<Resource>,
        /// Where the next page begins. Absent on the last page.
        next_cursor? with_next_cursor: Cursor,
        /// How to read the result.
        result_type? with_result_type: ResultType,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_round_trip_and_incomplete_ones_are_rejected() {
        let page: ListSkillsResult = serde_json::from_str(
            r#"{"skills":[
                {"uri":"skill://a/SKILL.md","frontmatter":{"license":"MIT","name":"a","description":"A","metadata":{"v":1.50}},
                 "resources":[{"uri":"skill://a/SKILL.md","digest":"sha256:00","size":3}]},
                {"uri":"skill://b/SKILL.md","frontmatter":{"name":"b","description":"B"},"resources":"dynamic"},
                {"uri":"skill://c/SKILL.md","frontmatter":{"name":"c","description":"C"}},
                {"uri":"skill://d/SKILL.md","frontmatter":{"name":"d"},"resources":[]},
                {"uri":"skill://e/SKILL.md","frontmatter":{"name":"e","description":"E"},"resources":"static"},
                {"uri":"skill://f/SKILL.md","frontmatter":{"name":"f","description":"F"},"resources":[{"uri":"f"}]}],
               "ttlMs":300000,"cacheScope":"public"}"#,
        )
        .unwrap();
        assert_eq!(page.skills.len(), 2);
        let rejected: Vec<_> = page.skills.rejected().iter().map(|rejected| rejected.index).collect();
        assert_eq!(rejected, [2, 3, 4, 5]);
        assert_eq!(page.skills[0].frontmatter.name(), "a");
        assert_eq!(page.skills[1].resources, SkillResources::Dynamic);
        assert_eq!(
            serde_json::to_string(&page.skills[0]).unwrap(),
            r#"{"uri":"skill://a/SKILL.md","frontmatter":{"license":"MIT","name":"a","description":"A","metadata":{"v":1.50}},"resources":[{"uri":"skill://a/SKILL.md","digest":"sha256:00","size":3}]}"#
        );
    }

    #[test]
    fn the_capability_is_read_from_the_settings() {
        let settings: SkillsCapability = serde_json::from_str(r#"{"directoryRead":true,"x":1}"#).unwrap();
        assert_eq!(settings.directory_read, Some(true));
        assert_eq!(serde_json::to_string(&settings).unwrap(), r#"{"directoryRead":true,"x":1}"#);
    }
}
