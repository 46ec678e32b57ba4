open_enum! {
    /// Who may share a cached copy of a result.
    ///
    /// Section: [Caching](https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching).
    pub enum CacheScope [since V2026_07_28] {
        /// Nothing in it is for one user: anybody may cache and share it.
        Public = "public",
        /// It may be reused in the same authorization context only. Read unknown values so.
        Private = "private",
    }
}
