use mcp_client::{Client, ListCall, Paged};
use serde::Deserialize;

use super::{Stage, told};

/// Reads a list to its end.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct List {
    pub(crate) of: Listed,
    /// The names of what is to be in it, in any order; of templates and resources too.
    #[serde(default)]
    pub(crate) names: Vec<String>,
    /// Whether more may be in it.
    #[serde(default)]
    pub(crate) more: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Listed {
    Tools,
    Resources,
    Templates,
    Prompts,
}

impl Listed {
    pub(crate) const ALL: [Self; 4] = [Self::Tools, Self::Resources, Self::Templates, Self::Prompts];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::Templates => "templates",
            Self::Prompts => "prompts",
        }
    }

    pub(crate) fn capability(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Resources | Self::Templates => "resources",
            Self::Prompts => "prompts",
        }
    }

    /// The names of everything in the list, and the number of pages.
    async fn read(self, client: &Client) -> Result<(Vec<String>, usize), String> {
        match self {
            Self::Tools => walk(|| client.list_tools(), |tool| tool.name).await,
            Self::Resources => walk(|| client.list_resources(), |resource| resource.name).await,
            Self::Templates => walk(|| client.list_resource_templates(), |template| template.name).await,
            Self::Prompts => walk(|| client.list_prompts(), |prompt| prompt.name).await,
        }
    }
}

impl List {
    pub(super) async fn perform(&self, stage: &mut Stage<'_>) -> Result<(), String> {
        let (mut names, pages) = self.of.read(stage.client).await?;
        stage.report.listed.insert(self.of.name().to_string(), names.len());
        let expected = stage.server.pages.get(self.of.name()).copied().unwrap_or(1);
        if pages != expected {
            return Err(format!("expected {expected} pages, came {pages}"));
        }
        let mut expected = self.names.clone();
        expected.sort();
        names.sort();
        let missing: Vec<_> = expected.iter().filter(|name| !names.contains(name)).collect();
        if missing.is_empty() && (self.more || names == expected) {
            return Ok(());
        }
        Err(format!("expected {expected:?}{}, came {names:?}", if self.more { " and more" } else { "" }))
    }
}

/// Reads a list in both ways that the client has, which must agree.
async fn walk<R: Paged>(
    list: impl Fn() -> ListCall<R>,
    name: impl Fn(R::Item) -> String,
) -> Result<(Vec<String>, usize), String> {
    let all = list().all().await.map_err(|error| told(&error))?;
    if let Some(rejected) = all.rejected.first() {
        return Err(format!("an element was rejected: {}: {}", rejected.reason, rejected.json));
    }
    let all: Vec<String> = all.into_iter().map(&name).collect();
    let (mut paged, mut pages, mut cursor) = (Vec::new(), 0, None);
    loop {
        let page = list().page(cursor).await.map_err(|error| told(&error))?;
        let (items, next) = R::take(page.into_inner());
        paged.extend(items.into_iter().map(&name));
        pages += 1;
        cursor = next;
        if cursor.is_none() || pages > all.len() {
            break;
        }
    }
    if paged == all { Ok((all, pages)) } else { Err(format!("page by page it is {paged:?}, at once {all:?}")) }
}
