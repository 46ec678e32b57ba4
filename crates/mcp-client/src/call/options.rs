use std::{sync::Arc, time::Duration};

use mcp_types::JsonObject;

use crate::{Client, builder::defaults, retry::Retry, session::Headers};

/// How a call is made. Small: it is moved several times before the call is under way.
#[derive(Clone)]
pub(crate) struct CallOptions {
    pub(crate) client: Client,
    pub(crate) idle: Duration,
    pub(crate) total: Duration,
    rare: Option<Arc<Rare>>,
}

/// What most calls leave as it is.
#[derive(Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each says another thing of a call")]
pub(super) struct Rare {
    pub(super) meta: Option<JsonObject>,
    pub(super) headers: Headers,
    pub(super) wants_progress: bool,
    pub(super) extend_on_progress: bool,
    pub(super) max_rounds: Option<usize>,
    pub(super) retry: Option<Retry>,
    pub(super) idempotent: bool,
    /// It takes no place among the calls in flight.
    pub(super) exempt: bool,
}

static NO_HEADERS: Headers = Headers::NONE;

impl CallOptions {
    /// The defaults of the client, for `method`.
    pub(super) fn of(client: Client, method: &str) -> Self {
        let limits = &client.0.options;
        let idle = if is_metadata(method) { limits.metadata_timeout } else { limits.call_timeout };
        let total = limits.total_timeout;
        Self { client, idle, total, rare: None }
    }

    /// To be changed.
    pub(super) fn rare(&mut self) -> &mut Rare {
        Arc::make_mut(self.rare.get_or_insert_default())
    }

    pub(super) fn meta(&self) -> Option<&JsonObject> {
        self.rare.as_ref()?.meta.as_ref()
    }

    pub(super) fn headers(&self) -> &Headers {
        self.rare.as_ref().map_or(&NO_HEADERS, |rare| &rare.headers)
    }

    /// Whether the server is asked for progress.
    pub(super) fn wants_progress(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.wants_progress || rare.extend_on_progress)
    }

    pub(super) fn extends_on_progress(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.extend_on_progress)
    }

    pub(super) fn max_rounds(&self) -> usize {
        self.rare.as_ref().and_then(|rare| rare.max_rounds).unwrap_or(defaults::MAX_ROUNDS)
    }

    /// That of the call, or that of the client.
    pub(super) fn retry(&self) -> Option<Retry> {
        self.rare.as_ref().and_then(|rare| rare.retry).or(self.client.0.options.retry)
    }

    pub(super) fn is_exempt(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.exempt)
    }

    /// Whether the caller vouches that it does no harm when the call is executed twice.
    pub(super) fn is_idempotent(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| rare.idempotent)
    }
}

/// Methods that a server answers from what it knows, without doing anything.
fn is_metadata(method: &str) -> bool {
    method.ends_with("/list")
        || matches!(
            method,
            "ping"
                | "server/discover"
                | "logging/setLevel"
                | "completion/complete"
                | "resources/subscribe"
                | "resources/unsubscribe"
        )
}
