//! What is known of the server's tools: from every page of `tools/list` that passed, and from what the application gave.

mod listing;
mod store;

use std::sync::{
    Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use mcp_transport::{HeaderPlan, ParamHeaders};
use mcp_types::{Era, JsonSchema, Tool, ToolAnnotations};

pub(crate) use listing::ToolPages;

use store::{Part, Store};

use crate::{Diagnostic, session::Session};

/// What a call has to know of its tool.
#[derive(Debug)]
pub(crate) struct KnownTool {
    pub(crate) name: Arc<str>,
    /// The schema of its structured result.
    pub(crate) output_schema: Option<JsonSchema>,
    /// Hints on what it does.
    pub(crate) annotations: Option<ToolAnnotations>,
    /// Which arguments travel in header fields. `None` where none do: on transports without headers, in the legacy era.
    pub(crate) headers: Option<Arc<dyn HeaderPlan>>,
}

/// The tools of one connection, by name. Bounded: when [`MAX_BYTES`](store::MAX_BYTES) are taken, further tools are not
/// kept.
///
/// A tool stays as it was listed last, until a complete listing lacks it: the specification has the headers of a call
/// follow the definition that was obtained last, also when the server has said since that its tools changed. What else is
/// concluded from a definition rests on [`current`](Self::current) ones. Tools that the application gave stay until they are
/// listed.
pub(crate) struct Catalogue {
    /// Where arguments of tools travel in header fields on this connection: which do.
    mirrors: Option<&'static dyn ParamHeaders>,
    /// How many known tools have a plan. Without one, no call looks for its tool.
    planned: AtomicUsize,
    /// How often the server said that its tools have changed.
    changes: AtomicU64,
    store: RwLock<Store>,
}

impl Catalogue {
    /// A catalogue of the tools in `given`. Those whose annotations are invalid are reported.
    pub(crate) fn new(era: Era, session: &Session, given: &[Tool]) -> Self {
        let catalogue = Self {
            mirrors: session.param_headers().filter(|_| era == Era::Modern),
            planned: AtomicUsize::new(0),
            changes: AtomicU64::new(0),
            store: RwLock::default(),
        };
        let mut known = Vec::with_capacity(given.len());
        for tool in given {
            match catalogue.plan(tool) {
                Ok(plan) => known.push((tool, plan)),
                Err(reason) => {
                    let tool = tool.name.clone();
                    session.mailbox().push_diagnostic(Diagnostic::InvalidTool { tool, reason });
                }
            }
        }
        catalogue.keep(known, Part::Given);
        catalogue
    }

    /// The tool `name`, if it is known.
    pub(crate) fn get(&self, name: &str) -> Option<Arc<KnownTool>> {
        self.read().get(name).map(|(tool, _)| tool)
    }

    /// The tool `name`, if it is known, and the server has not said since that its tools changed.
    pub(crate) fn current(&self, name: &str) -> Option<Arc<KnownTool>> {
        let (tool, changes) = self.read().get(name)?;
        (changes == self.changes.load(Ordering::Acquire)).then_some(tool)
    }

    /// The plan of the tool `name`, if that is known and has arguments that travel in header fields.
    pub(crate) fn header_plan(&self, name: impl FnOnce() -> Option<String>) -> Option<Arc<dyn HeaderPlan>> {
        if self.planned.load(Ordering::Acquire) == 0 {
            return None;
        }
        self.get(&name()?)?.headers.clone()
    }

    /// The names of the known tools, in no order.
    pub(crate) fn names(&self) -> Vec<Arc<str>> {
        self.read().names()
    }

    /// The server says that its tools have changed.
    pub(crate) fn changed(&self) {
        self.changes.fetch_add(1, Ordering::AcqRel);
    }

    /// Whether arguments of tools travel in header fields on this connection.
    pub(crate) fn mirrors(&self) -> bool {
        self.mirrors.is_some()
    }

    /// Which arguments of `tool` travel in header fields on this connection.
    ///
    /// # Errors
    /// Why it cannot be called on this connection.
    pub(crate) fn plan(&self, tool: &Tool) -> Result<Option<Arc<dyn HeaderPlan>>, String> {
        self.mirrors.map_or(Ok(None), |params| params.plan(tool.input_schema.as_json().as_str()))
    }

    fn keep<'a>(&self, tools: impl IntoIterator<Item = (&'a Tool, Option<Arc<dyn HeaderPlan>>)>, part: Part) {
        let mut store = self.write();
        store.keep(tools, part, self.changes.load(Ordering::Acquire));
        self.planned.store(store.planned(), Ordering::Release);
    }

    fn read(&self) -> RwLockReadGuard<'_, Store> {
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Store> {
        self.store.write().unwrap_or_else(PoisonError::into_inner)
    }
}
