//! Skills of a server, from the list to their files.

use std::fmt;

use mcp_client::{Client, ListCall};
use mcp_types::extensions::skills::{
    self, GetSkillRequest, GetSkillRequestParams, ListSkillsRequest, Skill, SkillResource,
};

use crate::{Error, Mismatch, Result, entry, verify};

/// Lists the skills of the server. No file is read. A list may be partial: [`get`] finds skills that are not in it.
///
/// # Errors
/// [`Error::Undeclared`] when the server did not declare the extension.
pub fn list(client: &Client) -> Result<ListCall<ListSkillsRequest>> {
    declared(client)?;
    Ok(client.list())
}

/// Gets the entry of the skill whose `SKILL.md` is at `uri`, as it is now.
///
/// Cancel-safe, as any call.
///
/// # Errors
/// [`Error::Undeclared`]; [`Error::Call`], when the server has no such skill, say; [`Mismatch::Entry`] when it answers with
/// another one.
pub async fn get(client: &Client, uri: impl Into<String>) -> Result<Skill> {
    declared(client)?;
    let uri = uri.into();
    let skill = client.request::<GetSkillRequest>(GetSkillRequestParams::new(&uri)).await?.into_inner().skill;
    if skill.uri == uri {
        Ok(skill)
    } else {
        Err(Mismatch::Entry(format!("{:?} came instead of {uri:?}", skill.uri)).into())
    }
}

/// Loads a skill: [checks](entry::check) its entry, reads its `SKILL.md` and nothing else, and verifies that.
///
/// Whoever loads a skill has the approval of the user for the entry as it stands here, if one is needed.
///
/// Cancel-safe, as any call.
///
/// # Errors
/// [`Error::Mismatch`] when entry or content are not as they must be: what came must not be used. [`Error::Call`].
pub async fn load(client: &Client, skill: Skill) -> Result<LoadedSkill> {
    entry::check(&skill)?;
    let bytes = read(client, &skill.uri).await?;
    verify::verify_skill_md(&skill, &bytes)?;
    // The front matter was text, so all of it is.
    let text = String::from_utf8(bytes).map_err(|error| Mismatch::FrontMatter(error.to_string()))?;
    Ok(LoadedSkill { client: client.clone(), skill, text })
}

/// A skill whose instructions were verified. Its files are read when they are asked for, from the server that it came from,
/// and verified against the entry that it was loaded from.
#[derive(Clone)]
pub struct LoadedSkill {
    client: Client,
    skill: Skill,
    text: String,
}

impl LoadedSkill {
    /// The whole of `SKILL.md`. Text of the server: untrusted, and to be shown to a model as text of that server.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The entry that it was loaded from.
    pub fn entry(&self) -> &Skill {
        &self.skill
    }

    /// The file that `reference` names: a path from the folder of the skill, as its instructions have them, or a URI.
    ///
    /// # Errors
    /// [`Mismatch::Unlisted`] when it is none of the skill.
    pub fn file(&self, reference: &str) -> Result<&SkillResource> {
        Ok(entry::resolve(&self.skill, reference)?)
    }

    /// Reads the file that `reference` names.
    ///
    /// Cancel-safe, as any call.
    ///
    /// # Errors
    /// As [`file`](Self::file), and when the file cannot be read or is not what its entry says.
    pub async fn read(&self, reference: &str) -> Result<Vec<u8>> {
        let file = self.file(reference)?;
        let bytes = read(&self.client, &file.uri).await?;
        verify::verify_file(file, &bytes)?;
        Ok(bytes)
    }
}

impl fmt::Debug for LoadedSkill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedSkill").field("uri", &self.skill.uri).finish_non_exhaustive()
    }
}

fn declared(client: &Client) -> Result<()> {
    client.capabilities().extension(skills::ID).map(drop).ok_or(Error::Undeclared)
}

async fn read(client: &Client, uri: &str) -> Result<Vec<u8>> {
    let result = client.read_resource(uri).await?.into_inner();
    Ok(verify::bytes(uri, result.contents)?)
}
