use bench_kit::expected;

/// The tools of a list, written when they are first asked for: a cold start does not pay for them.
pub(crate) struct Tools {
    count: usize,
    page: usize,
    pages: Vec<String>,
}

impl Tools {
    /// `page` 0: all on one page.
    pub(crate) fn new(count: usize, page: usize) -> Self {
        Self { count, page: if page == 0 { count.max(1) } else { page }, pages: Vec::new() }
    }

    /// The members of a result from the page at `cursor` on: a page number.
    pub(crate) fn page(&mut self, cursor: Option<&str>) -> Option<&str> {
        if self.pages.is_empty() {
            self.pages = self.write();
        }
        let at = match cursor {
            Some(cursor) => cursor.parse().ok()?,
            None => 0,
        };
        self.pages.get(at).map(String::as_str)
    }

    fn write(&self) -> Vec<String> {
        let pages = self.count.div_ceil(self.page).max(1);
        (0..pages)
            .map(|at| {
                let range = at * self.page..((at + 1) * self.page).min(self.count);
                let tools: Vec<String> = range.map(expected::tool).collect();
                let next =
                    if at + 1 < pages { format!(r#","nextCursor":"{}""#, at + 1) } else { String::new() };
                format!(r#""tools":[{}]{next}"#, tools.join(","))
            })
            .collect()
    }
}
