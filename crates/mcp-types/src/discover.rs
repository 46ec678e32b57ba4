use crate::{
    CacheScope, Implementation, List, Meta, ProtocolVersion, RequestParams, ResultType, ServerCapabilities,
};

requests! {
    /// Asks what the server can do. Since 2026-07-28.
    ///
    /// Section: [Discovery](https://modelcontextprotocol.io/specification/2026-07-28/server/discover).
    DiscoverRequest = "server/discover" (RequestParams) -> DiscoverResult;
}

object! {
    /// What the server can do.
    pub struct DiscoverResult [since V2026_07_28] {
        /// The revisions that the server speaks, in any order.
        supported_versions: List<ProtocolVersion>,
        /// What the server can do.
        capabilities: ServerCapabilities,
        /// Hints for a model on how to use the server. Text of the peer: untrusted.
        instructions? with_instructions: String,
        /// For how many milliseconds the result is fresh. Absent when the server wrote no whole number.
        #[read(lenient_integer)]
        ttl_ms? with_ttl_ms: u64,
        /// Who may share a cached copy. Absent when the server wrote no text.
        #[read(lenient)]
        cache_scope? with_cache_scope: CacheScope,
        /// How to read the result.
        result_type? with_result_type: ResultType,
        /// Metadata. See [`DiscoverResult::server_info`].
        meta? with_meta as "_meta": Meta,
    }
}

impl DiscoverResult {
    /// Who the server is, if it says so.
    pub fn server_info(&self) -> Option<Implementation> {
        self.meta.as_ref()?.server_info()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Revision;

    #[test]
    fn a_result_survives_odd_versions_and_absurd_hints() {
        let result: DiscoverResult = serde_json::from_str(
            r#"{"resultType":"complete","supportedVersions":["2026-07-28",7,"2031-01-01"],"capabilities":{},
                "ttlMs":-1e400,"cacheScope":7,
                "_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"2"}}}"#,
        )
        .unwrap();
        assert_eq!(result.supported_versions[0].known(), Some(Revision::V2026_07_28));
        assert_eq!(result.supported_versions[1].as_str(), "2031-01-01");
        assert_eq!(result.supported_versions.rejected().len(), 1);
        assert_eq!((result.ttl_ms, &result.cache_scope), (None, &None));
        assert_eq!(result.server_info(), Some(Implementation::new("s", "2")));
    }
}
