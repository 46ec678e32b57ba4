use crate::{Meta, RequestId, ResultType};

requests! {
    /// Opens a stream of notifications that belong to no other request. Since 2026-07-28.
    ///
    /// Section: [Subscriptions](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions).
    SubscriptionsListenRequest = "subscriptions/listen" (SubscriptionsListenRequestParams) -> SubscriptionsListenResult;
}

notifications! {
    /// The stream is open: the first notification on it. Since 2026-07-28.
    SubscriptionsAcknowledgedNotification =
        "notifications/subscriptions/acknowledged" (SubscriptionsAcknowledgedNotificationParams);
}

object! {
    /// Which notifications the client wants, or the server agrees to send.
    #[derive(Default, Eq)]
    pub struct SubscriptionFilter [since V2026_07_28] {
        /// Changes of the list of tools.
        tools_list_changed? with_tools_list_changed: bool,
        /// Changes of the list of prompts.
        prompts_list_changed? with_prompts_list_changed: bool,
        /// Changes of the list of resources.
        resources_list_changed? with_resources_list_changed: bool,
        /// Changes of the resources with these URIs.
        resource_subscriptions? with_resource_subscriptions: Vec<String>,
        /// Changes of these tasks. See [`extensions::tasks`](crate::extensions::tasks).
        task_ids? with_task_ids: Vec<String> [extension],
    }
}

object! {
    /// Parameters of `subscriptions/listen`.
    pub struct SubscriptionsListenRequestParams [for servers since V2026_07_28] {
        /// What the client wants.
        notifications: SubscriptionFilter,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// Parameters of `notifications/subscriptions/acknowledged`.
    pub struct SubscriptionsAcknowledgedNotificationParams [since V2026_07_28] {
        /// What the server agrees to send: no more than the client wants.
        notifications: SubscriptionFilter,
        /// Metadata. It names the subscription.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// The server has ended the subscription in good order.
    #[derive(Default)]
    pub struct SubscriptionsListenResult [since V2026_07_28] {
        /// How to read the result.
        result_type? with_result_type: ResultType,
        /// Metadata. It must name the subscription; a result without it is read all the same.
        meta? with_meta as "_meta": Meta,
    }
}

impl SubscriptionsListenResult {
    /// The id of the `subscriptions/listen` request that ends.
    pub fn subscription_id(&self) -> Option<RequestId> {
        self.meta.as_ref()?.subscription_id()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_filter_asks_for_what_is_set_only() {
        let params = SubscriptionsListenRequestParams::new(
            SubscriptionFilter::new()
                .with_tools_list_changed(true)
                .with_resource_subscriptions(["f:/a".to_owned()]),
        );
        assert_eq!(
            serde_json::to_string(&params).unwrap(),
            r#"{"notifications":{"toolsListChanged":true,"resourceSubscriptions":["f:/a"]}}"#
        );
    }

    #[test]
    fn the_end_names_the_subscription() {
        let text = r#"{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":"7"}}"#;
        let result: SubscriptionsListenResult = serde_json::from_str(text).unwrap();
        assert_eq!(result.subscription_id(), Some("7".into()));
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
    }
}
