use std::{collections::HashMap, sync::Arc};

use mcp_transport::HeaderPlan;
use mcp_types::Tool;

use super::KnownTool;

/// How many bytes the known tools may take.
pub(super) const MAX_BYTES: usize = 16 << 20;

/// What tools come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The application.
    Given,
    /// A page of a listing.
    Page {
        /// It was asked for without a cursor.
        first: bool,
        /// It names no next one.
        last: bool,
    },
}

#[derive(Default)]
pub(super) struct Store {
    tools: HashMap<Arc<str>, Entry>,
    bytes: usize,
    planned: usize,
    /// Counts first pages.
    walk: u64,
    /// How many changes the server had told when the last walk began.
    changes: u64,
}

struct Entry {
    tool: Arc<KnownTool>,
    /// In which walk it was listed last; `None` if it was given only.
    walk: Option<u64>,
    /// How many changes the server had told when that began.
    changes: u64,
}

impl Store {
    /// A tool, and how many changes the server had told before it was listed.
    pub(super) fn get(&self, name: &str) -> Option<(Arc<KnownTool>, u64)> {
        self.tools.get(name).map(|entry| (Arc::clone(&entry.tool), entry.changes))
    }

    pub(super) fn names(&self) -> Vec<Arc<str>> {
        self.tools.keys().cloned().collect()
    }

    /// How many tools have a plan for header fields.
    pub(super) fn planned(&self) -> usize {
        self.planned
    }

    pub(super) fn keep<'a>(
        &mut self,
        tools: impl IntoIterator<Item = (&'a Tool, Option<Arc<dyn HeaderPlan>>)>,
        part: Part,
        changes: u64,
    ) {
        if let Part::Page { first: true, .. } = part {
            self.walk += 1;
            self.changes = changes;
        }
        let walk = (part != Part::Given).then_some(self.walk);
        for (tool, headers) in tools {
            self.insert(tool, headers, walk);
        }
        if let Part::Page { last: true, .. } = part {
            // Whatever this walk did not meet is gone. Of walks that run side by side the first to end may drop what only
            // an earlier part of the other met; it is kept again when that is listed the next time.
            let gone = |entry: &Entry| entry.walk.is_some_and(|walk| walk < self.walk);
            let names: Vec<_> =
                self.tools.iter().filter(|it| gone(it.1)).map(|it| Arc::clone(it.0)).collect();
            for name in names {
                self.remove(&name);
            }
        }
    }

    fn insert(&mut self, tool: &Tool, headers: Option<Arc<dyn HeaderPlan>>, walk: Option<u64>) {
        if let Some(entry) = self.tools.get_mut(&*tool.name) {
            let known = &entry.tool;
            let same = known.output_schema == tool.output_schema
                && known.annotations == tool.annotations
                && same(known.headers.as_deref(), headers.as_deref());
            if same {
                (entry.walk, entry.changes) = (walk, self.changes);
                return;
            }
            self.remove(&tool.name);
        }
        let name = Arc::<str>::from(&*tool.name);
        let tool = KnownTool {
            name: Arc::clone(&name),
            output_schema: tool.output_schema.clone(),
            annotations: tool.annotations.clone(),
            headers,
        };
        let size = size(&tool);
        if self.bytes + size > MAX_BYTES {
            return;
        }
        self.bytes += size;
        self.planned += usize::from(tool.headers.is_some());
        self.tools.insert(name, Entry { tool: Arc::new(tool), walk, changes: self.changes });
    }

    fn remove(&mut self, name: &str) {
        let Some(Entry { tool, .. }) = self.tools.remove(name) else { return };
        self.bytes -= size(&tool);
        self.planned -= usize::from(tool.headers.is_some());
    }
}

/// Whether two plans are the same.
fn same(a: Option<&dyn HeaderPlan>, b: Option<&dyn HeaderPlan>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => format!("{a:?}") == format!("{b:?}"),
        (a, b) => a.is_none() && b.is_none(),
    }
}

/// About how many bytes a tool takes.
fn size(tool: &KnownTool) -> usize {
    const ENTRY: usize = size_of::<KnownTool>() + size_of::<(Arc<str>, Entry)>() + 64;
    let title = tool.annotations.as_ref().and_then(|it| it.title.as_ref()).map_or(0, String::len);
    let schema = tool.output_schema.as_ref().map_or(0, |it| it.as_json().as_str().len());
    ENTRY + tool.name.len() + title + schema + tool.headers.as_ref().map_or(0, |plan| plan.size())
}

#[cfg(test)]
mod tests {
    use mcp_types::{JsonSchema, ToolAnnotations};

    use super::*;

    #[derive(Debug)]
    struct Plan;

    impl HeaderPlan for Plan {
        fn fields(&self, _: &[u8]) -> Vec<(String, String)> {
            Vec::new()
        }

        fn size(&self) -> usize {
            0
        }
    }

    const FIRST: Part = Part::Page { first: true, last: false };
    const NEXT: Part = Part::Page { first: false, last: false };
    const LAST: Part = Part::Page { first: false, last: true };
    const WHOLE: Part = Part::Page { first: true, last: true };

    fn tool(name: &str) -> Tool {
        Tool::new(name, JsonSchema::any_object())
    }

    fn keep(store: &mut Store, names: &[&str], part: Part) {
        let tools: Vec<_> = names.iter().map(|name| tool(name)).collect();
        store.keep(tools.iter().map(|tool| (tool, None)), part, 0);
    }

    fn names(store: &Store) -> Vec<Arc<str>> {
        let mut names = store.names();
        names.sort();
        names
    }

    #[test]
    fn a_complete_listing_replaces_what_was_listed_before() {
        let mut store = Store::default();
        keep(&mut store, &["given", "both"], Part::Given);
        keep(&mut store, &["a", "both"], FIRST);
        keep(&mut store, &["b"], NEXT);
        assert_eq!(names(&store), ["a", "b", "both", "given"].map(Arc::from));
        keep(&mut store, &["b", "c"], FIRST);
        assert_eq!(names(&store), ["a", "b", "both", "c", "given"].map(Arc::from));
        keep(&mut store, &["d"], LAST);
        assert_eq!(names(&store), ["b", "c", "d", "given"].map(Arc::from));
        keep(&mut store, &[], WHOLE);
        assert_eq!(names(&store), ["given"].map(Arc::from));
    }

    #[test]
    fn the_definition_that_was_listed_last_counts() {
        let mut store = Store::default();
        keep(&mut store, &["a"], WHOLE);
        let (before, _) = store.get("a").unwrap();
        keep(&mut store, &["a"], WHOLE);
        assert!(Arc::ptr_eq(&before, &store.get("a").unwrap().0));
        let headers: Option<Arc<dyn HeaderPlan>> = Some(Arc::new(Plan));
        let changed = tool("a")
            .with_output_schema(JsonSchema::any_object())
            .with_annotations(ToolAnnotations::new().with_read_only_hint(true));
        store.keep([(&changed, headers.clone())], WHOLE, 0);
        let (after, _) = store.get("a").unwrap();
        assert!(after.output_schema.is_some() && after.annotations.as_ref().unwrap().is_read_only());
        assert_eq!((after.headers.is_some(), store.planned()), (true, 1));
        store.keep([(&changed, headers)], WHOLE, 0);
        assert!(Arc::ptr_eq(&after, &store.get("a").unwrap().0));
        keep(&mut store, &["a"], WHOLE);
        assert_eq!(store.planned(), 0);
        keep(&mut store, &[], WHOLE);
        assert_eq!((store.bytes, store.tools.len()), (0, 0));
    }

    #[test]
    fn a_tool_is_as_new_as_the_walk_that_listed_it() {
        let mut store = Store::default();
        let known = tool("a");
        let mut pages = |part, changes| {
            store.keep([(&known, None)], part, changes);
            store.get("a").unwrap().1
        };
        assert_eq!(pages(Part::Given, 0), 0);
        assert_eq!(pages(FIRST, 2), 2);
        // A change in the middle of a walk may be on its next page, or not.
        assert_eq!(pages(LAST, 3), 2);
        assert_eq!(pages(WHOLE, 3), 3);
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut store = Store::default();
        let large = JsonSchema::from_text(format!(r#"{{"title":"{}"}}"#, "x".repeat(1 << 20))).unwrap();
        let tools: Vec<_> =
            (0..100).map(|n| tool(&format!("t{n}")).with_output_schema(large.clone())).collect();
        store.keep(tools.iter().map(|tool| (tool, None)), FIRST, 0);
        assert!(store.bytes <= MAX_BYTES && store.tools.len() == 15, "{}", store.tools.len());
        let small: Vec<_> = (0..200_000).map(|n| tool(&format!("s{n}"))).collect();
        store.keep(small.iter().map(|tool| (tool, None)), LAST, 0);
        assert!(store.bytes <= MAX_BYTES && store.tools.len() < 100_000, "{}", store.tools.len());
    }
}
