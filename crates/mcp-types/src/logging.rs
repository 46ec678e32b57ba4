use crate::{EmptyResult, Json, Meta};

requests! {
    /// Sets the lowest level of log messages that the client wants. Until 2025-11-25; then the client names the level in
    /// `_meta` of a request.
    ///
    /// Section: [Logging](https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging).
    SetLevelRequest = "logging/setLevel" (SetLevelRequestParams) -> EmptyResult;
}

notifications! {
    /// A log message of the server. Deprecated since 2026-07-28.
    LoggingMessageNotification = "notifications/message" (LoggingMessageNotificationParams);
}

open_enum! {
    /// How grave a log message is: the severities of RFC 5424. Deprecated since 2026-07-28.
    pub enum LoggingLevel {
        /// For debugging.
        Debug = "debug",
        /// Goes as it should.
        Info = "info",
        /// Goes as it should, but worth a look.
        Notice = "notice",
        /// May become an error.
        Warning = "warning",
        /// Something failed.
        Error = "error",
        /// A part failed.
        Critical = "critical",
        /// Somebody must act at once.
        Alert = "alert",
        /// Nothing works.
        Emergency = "emergency",
    }
}

impl LoggingLevel {
    /// The number of the severity in RFC 5424, from 7 (debug) down to 0 (emergency); `None` for an unknown level.
    pub fn severity(&self) -> Option<u8> {
        Some(match self {
            Self::Debug => 7,
            Self::Info => 6,
            Self::Notice => 5,
            Self::Warning => 4,
            Self::Error => 3,
            Self::Critical => 2,
            Self::Alert => 1,
            Self::Emergency => 0,
            Self::Other(_) => return None,
        })
    }
}

object! {
    /// Parameters of `logging/setLevel`.
    pub struct SetLevelRequestParams [for servers until V2025_11_25] {
        /// The lowest level that the client wants.
        level: LoggingLevel,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// A log message. Deprecated since 2026-07-28.
    pub struct LoggingMessageNotificationParams {
        /// How grave it is.
        level: LoggingLevel,
        /// What it says: any JSON, often a text. Of the peer: untrusted.
        data: Json,
        /// Which part of the server says it.
        logger? with_logger: String,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Quirk 9.
    #[test]
    fn a_message_may_hold_any_json() {
        for data in ["null", "\"text\"", "[1,2.50]", "{\"b\":1,\"a\":2}", "false"] {
            let text = format!(r#"{{"level":"trace","data":{data}}}"#);
            let params: LoggingMessageNotificationParams = serde_json::from_str(&text).unwrap();
            assert_eq!(params.data.as_str(), data);
            assert_eq!(params.level.severity(), None);
            assert_eq!(serde_json::to_string(&params).unwrap(), text);
        }
    }

    #[test]
    fn levels_are_ordered_as_in_rfc_5424() {
        let names = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
        for (place, name) in (0..8).rev().zip(names) {
            let level = LoggingLevel::from(name);
            assert_eq!((level.severity(), level.as_str()), (Some(place), name));
        }
    }
}
