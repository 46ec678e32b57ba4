use crate::{
    ElicitationSchema, Json, JsonObject, JsonSchema, List, Meta, TaskMetadata, UnknownObject,
    read::{self, Read, Reader},
    union::string_member,
    write::{self, Node, Write},
};

requests! {
    /// Asks the user for something. Since 2025-06-18; since 2026-07-28 it travels in an
    /// [`InputRequiredResult`](crate::InputRequiredResult).
    ///
    /// Section: [Elicitation](https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation).
    ElicitRequest = "elicitation/create" (ElicitRequestParams) -> ElicitResult;
}

notifications! {
    /// What the user was asked for at a URL has been done. Only in 2025-11-25.
    ElicitationCompleteNotification = "notifications/elicitation/complete" (ElicitationCompleteNotificationParams);
}

/// Parameters of `elicitation/create`: told apart by `mode`, which means a form when it is absent.
///
/// Since 2025-06-18.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ElicitRequestParams {
    /// Asks with a form.
    Form(ElicitRequestFormParams),
    /// Sends the user to a URL. Since 2025-11-25.
    Url(ElicitRequestUrlParams),
    /// A mode that this crate does not know, kept whole.
    Unknown(UnknownObject),
}

impl ElicitRequestParams {
    /// The mode, as it stands on the wire; `form` when it is absent.
    pub fn mode(&self) -> &str {
        match self {
            Self::Form(_) => "form",
            Self::Url(_) => "url",
            Self::Unknown(object) => object.kind(),
        }
    }

    /// What to tell the user, if the mode is known. Text of the peer: untrusted.
    pub fn message(&self) -> Option<&str> {
        match self {
            Self::Form(params) => Some(&params.message),
            Self::Url(params) => Some(&params.message),
            Self::Unknown(_) => None,
        }
    }
}

object! {
    /// Asks the user with a form. Never for secrets.
    ///
    /// Schema: `ElicitRequestFormParams`.
    pub struct ElicitRequestFormParams [since V2025_06_18] {
        /// What to tell the user. Text of the peer: untrusted.
        message: String,
        /// What is asked for: an object of simple members. See [`ElicitRequestFormParams::form`].
        requested_schema: JsonSchema,
        /// The mode. Absent, or `form`.
        mode? with_mode: ElicitMode [since V2025_11_25],
        /// Asks for a task, and says how long to keep it.
        task? with_task: TaskMetadata [only V2025_11_25],
        /// Metadata.
        meta? with_meta as "_meta": Meta [until V2025_11_25],
    }
}

impl ElicitRequestFormParams {
    /// The members of the form, typed. Members of a form that this crate does not know are kept as they are.
    ///
    /// # Errors
    /// When the schema has no `properties`, or they are no object.
    pub fn form(&self) -> read::Result<ElicitationSchema> {
        read::value(self.requested_schema.as_json())
    }
}

object! {
    /// Sends the user to a URL, where the client sees nothing of what happens.
    ///
    /// Show the whole URL and get consent before it is opened, and never fetch it.
    /// Schema: `ElicitRequestURLParams`.
    pub struct ElicitRequestUrlParams [since V2025_11_25] tagged "mode" = "url" {
        /// What to tell the user. Text of the peer: untrusted.
        message: String,
        /// The URL. Of the peer: untrusted.
        url: String,
        /// Identifies the elicitation, for [`ElicitationCompleteNotification`]. Required there.
        elicitation_id? with_elicitation_id: String [only V2025_11_25],
        /// Asks for a task, and says how long to keep it.
        task? with_task: TaskMetadata [only V2025_11_25],
        /// Metadata.
        meta? with_meta as "_meta": Meta [until V2025_11_25],
    }
}

open_enum! {
    /// How the user is asked.
    pub enum ElicitMode [since V2025_11_25] {
        /// With a form.
        Form = "form",
        /// At a URL.
        Url = "url",
    }
}

object! {
    /// What the user did.
    pub struct ElicitResult [for servers since V2025_06_18] {
        /// Whether the user accepted.
        action: ElicitAction,
        /// What the user entered: texts, numbers, booleans, lists of texts. Only for an accepted form.
        content? with_content: JsonObject,
        /// Metadata.
        meta? with_meta as "_meta": Meta [until V2025_11_25],
    }
}

impl ElicitResult {
    /// The user sent the form with these answers.
    pub fn accept(content: impl Into<JsonObject>) -> Self {
        Self::new(ElicitAction::Accept).with_content(content)
    }

    /// The user said no.
    pub fn decline() -> Self {
        Self::new(ElicitAction::Decline)
    }

    /// The user made no choice.
    pub fn cancel() -> Self {
        Self::new(ElicitAction::Cancel)
    }
}

open_enum! {
    /// What the user did with a request.
    pub enum ElicitAction [since V2025_06_18] {
        /// Accepted: sent the form, or agreed to open the URL.
        Accept = "accept",
        /// Said no.
        Decline = "decline",
        /// Made no choice: closed the dialog, say.
        Cancel = "cancel",
    }
}

object! {
    /// Parameters of `notifications/elicitation/complete`.
    pub struct ElicitationCompleteNotificationParams [only V2025_11_25] {
        /// The elicitation that is done.
        elicitation_id: String,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

object! {
    /// The `data` of the error [`URL_ELICITATION_REQUIRED`](crate::ErrorCode::URL_ELICITATION_REQUIRED).
    pub struct UrlElicitationRequiredErrorData [only V2025_11_25] {
        /// What the user must do first.
        elicitations: List<ElicitRequestUrlParams>,
    }
}

impl From<ElicitRequestFormParams> for ElicitRequestParams {
    fn from(params: ElicitRequestFormParams) -> Self {
        Self::Form(params)
    }
}

impl From<ElicitRequestUrlParams> for ElicitRequestParams {
    fn from(params: ElicitRequestUrlParams) -> Self {
        Self::Url(params)
    }
}

impl Write for ElicitRequestParams {
    fn node(&self) -> Node<'_> {
        match self {
            Self::Form(params) => params.node(),
            Self::Url(params) => params.node(),
            Self::Unknown(object) => object.node(),
        }
    }
}

write::serialize_by_writing!(ElicitRequestParams);

impl Read for ElicitRequestParams {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        let json = Json::read(reader)?;
        Ok(match string_member(&json, "mode")?.as_deref() {
            None | Some("form") => Self::Form(read::value(&json)?),
            Some("url") => Self::Url(read::value(&json)?),
            Some(mode) => Self::Unknown(UnknownObject::from_text(mode.to_owned(), json)),
        })
    }
}

read::deserialize_by_reading!(ElicitRequestParams);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_decides_and_its_absence_means_a_form() {
        for (text, mode) in [
            (r#"{"message":"m","requestedSchema":{"type":"object","properties":{}}}"#, "form"),
            (r#"{"message":"m","requestedSchema":{"type":"object","properties":{}},"mode":"form"}"#, "form"),
            (r#"{"mode":"url","message":"m","url":"https://x","elicitationId":"e"}"#, "url"),
            (r#"{"message":"m","mode":"voice","language":{"b":1.0}}"#, "voice"),
        ] {
            let params: ElicitRequestParams = serde_json::from_str(text).unwrap();
            assert_eq!(params.mode(), mode);
            assert_eq!(serde_json::to_string(&params).unwrap(), text);
        }
        for text in ["[]", "null", r#"{"mode":7,"message":"m"}"#, r#"{"mode":"url","message":"m"}"#] {
            assert!(serde_json::from_str::<ElicitRequestParams>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_mode_that_is_written_with_escapes_decides_too() {
        let text =
            r#"{"message":"m","requestedSchema":{"type":"object"},"\u006dode":"url","url":"https://x"}"#;
        assert_eq!(serde_json::from_str::<ElicitRequestParams>(text).unwrap().mode(), "url");
    }

    /// Field report T-07.
    #[test]
    fn the_requested_schema_is_carried_whole() {
        let text = r#"{"message":"m","requestedSchema":{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","x-order":["b","a"],"properties":{"b":{"type":"string","enum":["1"],"enumNames":["one"],"x-hint":1.50},"a":{"type":"integer","maximum":9223372036854775808}}}}"#;
        let params: ElicitRequestParams = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&params).unwrap(), text);
    }

    /// Field report T-06.
    #[test]
    fn answers_keep_their_digits_and_order() {
        let text = r#"{"action":"accept","content":{"z":9007199254740993,"a":["x"],"b":true}}"#;
        let result: ElicitResult = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
        assert_eq!(serde_json::to_string(&ElicitResult::decline()).unwrap(), r#"{"action":"decline"}"#);
    }
}
