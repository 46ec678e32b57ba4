use mcp_client::{Client, ListCall, Paged, Result};
use serde::Deserialize;

use super::{Stage, failed_with, told};

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
    /// The JSON-RPC errors of which one is to come instead: some servers declare a kind of things without serving it.
    #[serde(default)]
    fails: Vec<i64>,
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

    async fn read(self, client: &Client) -> Result<Walked> {
        match self {
            Self::Tools => walk(|| client.list_tools(), |tool| tool.name).await,
            Self::Resources => walk(|| client.list_resources(), |resource| resource.name).await,
            Self::Templates => walk(|| client.list_resource_templates(), |template| template.name).await,
            Self::Prompts => walk(|| client.list_prompts(), |prompt| prompt.name).await,
        }
    }
}

impl List {
    pub(super) async fn perform(&self, stage: &mut Stage<'_, '_>) -> std::result::Result<(), String> {
        let read = self.of.read(stage.client).await;
        if !self.fails.is_empty() {
            return failed_with(&self.fails, read);
        }
        let Walked { mut names, pages, trouble } = read.map_err(|error| told(&error))?;
        stage.report.listed.insert(self.of.name().to_string(), names.len());
        if let Some(trouble) = trouble {
            return Err(trouble);
        }
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

/// A list, as the client read it.
struct Walked {
    names: Vec<String>,
    pages: usize,
    /// What is wrong with it whatever the server has.
    trouble: Option<String>,
}

/// Reads a list in both ways that the client has: all at once, and page by page.
async fn walk<R: Paged>(list: impl Fn() -> ListCall<R>, name: impl Fn(R::Item) -> String) -> Result<Walked> {
    let all = list().all().await?;
    let mut trouble =
        all.rejected.first().map(|rejected| format!("rejected: {}: {}", rejected.reason, rejected.json));
    let names: Vec<String> = all.into_iter().map(&name).collect();
    let (mut turned, mut pages, mut cursor) = (Vec::new(), 0, None);
    loop {
        let page = list().page(cursor).await?;
        let (items, next) = R::take(page.into_inner());
        turned.extend(items.into_iter().map(&name));
        pages += 1;
        cursor = next;
        if cursor.is_none() || pages > names.len() {
            break;
        }
    }
    if turned != names {
        trouble = Some(format!("page by page it is {turned:?}, at once {names:?}"));
    }
    Ok(Walked { names, pages, trouble })
}
