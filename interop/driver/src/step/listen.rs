use std::time::Duration;

use mcp_client::{Change, Client};
use mcp_types::SubscriptionFilter;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::time::timeout;

use super::{list::Listed, told};

/// How long a change may take to be told.
const CHANGE_LIMIT: Duration = Duration::from_secs(5);

/// Subscribes to changes, causes some by a call, and ends the subscription.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Listen {
    /// Lists whose changes are wanted.
    #[serde(default)]
    lists: Vec<Listed>,
    /// Resources whose changes are wanted.
    #[serde(default)]
    resources: Vec<String>,
    /// The tool that causes them.
    cause: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    /// The changes, in their order.
    changes: Vec<String>,
}

impl Listen {
    pub(super) fn what(&self) -> String {
        let lists = self.lists.iter().map(|list| list.name());
        lists.chain(self.resources.iter().map(String::as_str)).collect::<Vec<_>>().join(", ")
    }

    pub(super) async fn perform(&self, client: &Client) -> Result<(), String> {
        let mut subscription = client.listen(self.filter()).await.map_err(|error| told(&error))?;
        if !subscription.is_complete() {
            return Err(format!("not all of it is granted: {:?}", subscription.acknowledged()));
        }
        let call = client.call_tool(&self.cause).args(&self.arguments).map_err(|error| told(&error))?;
        let result = call.await.map_err(|error| told(&error))?;
        if result.is_error() {
            return Err(format!("{} failed: {}", self.cause, result.text()));
        }
        for expected in &self.changes {
            let came = match timeout(CHANGE_LIMIT, subscription.next()).await {
                Ok(Ok(Some(change))) => named(&change),
                Ok(Ok(None)) => "the end of the subscription".to_string(),
                Ok(Err(error)) => told(&error),
                Err(_) => format!("nothing within {CHANGE_LIMIT:?}"),
            };
            if came != *expected {
                return Err(format!("expected {expected}, came {came}"));
            }
        }
        drop(subscription);
        client.ping().await.map_err(|error| format!("ping afterwards: {}", told(&error)))
    }

    fn filter(&self) -> SubscriptionFilter {
        let mut filter = SubscriptionFilter::default();
        for list in &self.lists {
            let wanted = match list {
                Listed::Tools => &mut filter.tools_list_changed,
                Listed::Prompts => &mut filter.prompts_list_changed,
                Listed::Resources | Listed::Templates => &mut filter.resources_list_changed,
            };
            *wanted = Some(true);
        }
        if !self.resources.is_empty() {
            filter.resource_subscriptions = Some(self.resources.clone());
        }
        filter
    }
}

fn named(change: &Change) -> String {
    match change {
        Change::ResourceUpdated(updated) => format!("ResourceUpdated {}", updated.uri),
        other => format!("{other:?}"),
    }
}
