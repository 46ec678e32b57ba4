use crate::{Meta, RequestId};

notifications! {
    /// Tells that the sender does not want the result of a request any more.
    ///
    /// Section: [Cancellation](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/cancellation).
    CancelledNotification = "notifications/cancelled" (CancelledNotificationParams);
}

object! {
    /// Which request is cancelled, and why.
    #[derive(Default)]
    pub struct CancelledNotificationParams {
        /// The request, as its sender numbered it. Required but in 2025-11-25, where a task has no request to name.
        request_id? with_request_id: RequestId,
        /// Why, for people and logs.
        reason? with_reason: String,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}
