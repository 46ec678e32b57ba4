//! Lists as they came: every item as JSON beside what could be read of it.

use std::collections::BTreeMap;

use mcp_client::{Client, ErrorKind, Paged, defaults};
use mcp_types::{Json, JsonObject, PaginatedRequestParams, Rejected};
use serde_json::value::RawValue;

use crate::failure::{Failure, Status};

/// A whole list.
#[derive(Debug)]
pub(crate) struct Listed<T> {
    /// What could be read.
    pub(crate) items: Vec<T>,
    /// Every item as it came, those that could not be read among them.
    pub(crate) raw: Vec<Json>,
    /// What could not be read; the index is that in `raw`.
    pub(crate) rejected: Vec<Rejected>,
}

/// Reads every page. A list that the server does not offer is empty.
///
/// # Errors
/// When a page fails, or there are too many.
pub(crate) async fn list<R: Paged>(client: &Client) -> Result<Listed<R::Item>, Failure> {
    let mut listed = Listed { items: Vec::new(), raw: Vec::new(), rejected: Vec::new() };
    let mut cursor = None;
    for _ in 0..defaults::MAX_PAGES {
        let mut params = PaginatedRequestParams::new();
        params.cursor = cursor.take();
        let page = match client.request::<R>(params).await {
            Ok(page) => page,
            Err(error) if error.kind() == ErrorKind::Unsupported => return Ok(listed),
            Err(error) => return Err(error.into()),
        };
        let raw = items(page.raw(), member(R::METHOD));
        let (items, next) = R::take(page.into_inner());
        let (items, rejected) = items.into_parts();
        let before = listed.raw.len();
        listed.raw.extend(raw);
        listed.rejected.extend(rejected.into_iter().map(|mut item| {
            item.index += before;
            item
        }));
        listed.items.extend(items);
        match next {
            Some(next) => cursor = Some(next),
            None => return Ok(listed),
        }
    }
    let why = format!("{}: the list has more than {} pages", R::METHOD, defaults::MAX_PAGES);
    Err(Failure::new(Status::Protocol, why))
}

impl<T> Listed<T> {
    /// `{"NAME": [items as they came], "rejected": [{index, reason, item}]}`
    pub(crate) fn document(&self, name: &str) -> Json {
        let rejected = self.rejected.iter().map(|rejected| {
            JsonObject::from([
                ("index", Json::from(rejected.index as u64)),
                ("reason", Json::from(rejected.reason.as_str())),
                ("item", rejected.json.clone()),
            ])
        });
        let rejected: Vec<_> = rejected.collect();
        let encode = |value| Json::encode(value).expect("raw JSON can be written as JSON");
        let rejected = Json::encode(&rejected).expect("raw JSON can be written as JSON");
        JsonObject::from([(name, encode(&self.raw)), ("rejected", rejected)]).into()
    }
}

/// The member of a page that holds the items: `tools/list` has `tools`.
pub(crate) fn member(method: &str) -> &str {
    match method {
        "resources/templates/list" => "resourceTemplates",
        other => other.split('/').next().unwrap_or(other),
    }
}

fn items(page: &[u8], member: &str) -> Vec<Json> {
    let Ok(page) = serde_json::from_slice::<BTreeMap<String, &RawValue>>(page) else { return Vec::new() };
    let items = page.get(member).map(|items| serde_json::from_str::<Option<Vec<Json>>>(items.get()));
    items.and_then(Result::ok).flatten().unwrap_or_default()
}
