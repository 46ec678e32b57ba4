use crate::{Meta, ProgressToken};

notifications! {
    /// Tells how far a request is. Sent to whoever gave a `progressToken` with the request.
    ///
    /// Section: [Progress](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress).
    ProgressNotification = "notifications/progress" (ProgressNotificationParams);
}

object! {
    /// How far a request is.
    pub struct ProgressNotificationParams {
        /// The token that the request gave.
        progress_token: ProgressToken,
        /// How far it is, in units of the sender. Must increase with each notification; it may be a fraction.
        progress: f64,
        /// The value of `progress` at the end, if known.
        total? with_total: f64,
        /// What is going on, for people.
        message? with_message: String [since V2025_03_26],
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_may_be_integers_or_fractions() {
        let text = r#"{"progressToken":"t","progress":1,"total":2.5,"message":null}"#;
        let params: ProgressNotificationParams = serde_json::from_str(text).unwrap();
        assert_eq!(params, ProgressNotificationParams::new("t", 1.0).with_total(2.5));
    }
}
