use crate::{
    CreateMessageRequest, CreateMessageRequestParams, ElicitRequest, ElicitRequestParams, Json, JsonObject,
    ListRootsRequest, Map, Meta, Request, RequestParams, UnknownObject,
    read::{self, Read, Reader},
    write::{self, Members, Node, Write},
};

object! {
    /// The server needs more from the client before it can answer: fulfil the requests, then send the request again
    /// with the responses and the state. May come for `tools/call`, `resources/read` and `prompts/get`.
    ///
    /// Section: [Multi Round-Trip Requests](https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr).
    #[derive(Default)]
    pub struct InputRequiredResult [since V2026_07_28] tagged "resultType" = "input_required" {
        /// What the server needs, by names of its own. At least this or `request_state` is there.
        input_requests? with_input_requests: InputRequests,
        /// State of the server, to be sent back as it came. Opaque.
        request_state? with_request_state: String,
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

/// What a server needs from the client, by names of its own. Since 2026-07-28.
pub type InputRequests = Map<InputRequest>;

/// The client's results, under the names of the requests. Since 2026-07-28.
///
/// Open JSON, because only the request under the same name says what a result is: an
/// [`ElicitResult`](crate::ElicitResult), a [`CreateMessageResult`](crate::CreateMessageResult) or a
/// [`ListRootsResult`](crate::ListRootsResult).
pub type InputResponses = JsonObject;

/// A request to the client that travels in a result. Since 2026-07-28.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum InputRequest {
    /// `elicitation/create`.
    Elicit(ElicitRequestParams),
    /// `sampling/createMessage`. Deprecated.
    CreateMessage(CreateMessageRequestParams),
    /// `roots/list`. Deprecated.
    ListRoots(Option<RequestParams>),
    /// A method that this crate does not know, kept whole.
    Unknown(UnknownObject),
    /// What cannot be read as a request. It does not cost the requests beside it: a retry may answer some of them only,
    /// and a task goes on whatever it asks for.
    Invalid(InvalidInputRequest),
}

/// An entry of [`InputRequests`] that is no request, or one whose parameters are not those of its method.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct InvalidInputRequest {
    /// The method, if there is one.
    pub method: Option<String>,
    /// Why, in words; may contain text of the peer.
    pub reason: String,
    /// The entry as it came.
    pub json: Json,
}

impl InputRequest {
    /// The method; empty when what came has none.
    pub fn method(&self) -> &str {
        match self {
            Self::Elicit(_) => ElicitRequest::METHOD,
            Self::CreateMessage(_) => CreateMessageRequest::METHOD,
            Self::ListRoots(_) => ListRootsRequest::METHOD,
            Self::Unknown(object) => object.kind(),
            Self::Invalid(invalid) => invalid.method.as_deref().unwrap_or_default(),
        }
    }
}

impl From<ElicitRequestParams> for InputRequest {
    fn from(params: ElicitRequestParams) -> Self {
        Self::Elicit(params)
    }
}

impl From<CreateMessageRequestParams> for InputRequest {
    fn from(params: CreateMessageRequestParams) -> Self {
        Self::CreateMessage(params)
    }
}

impl Write for InputRequest {
    fn node(&self) -> Node<'_> {
        match self {
            Self::Unknown(object) => object.node(),
            Self::Invalid(invalid) => invalid.json.node(),
            _ => Node::Object(self),
        }
    }
}

/// Of requests that are known.
impl Members for InputRequest {
    fn visit(&self, each: &mut dyn FnMut(&str, Node<'_>)) {
        each("method", Node::Text(self.method()));
        match self {
            Self::Elicit(params) => each("params", params.node()),
            Self::CreateMessage(params) => each("params", params.node()),
            Self::ListRoots(Some(params)) => each("params", params.node()),
            _ => {}
        }
    }
}

write::serialize_by_writing!(InputRequest);

impl Read for InputRequest {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        let json = Json::read(reader)?;
        let mut method = None;
        Ok(Self::of(&json, &mut method).unwrap_or_else(|error| {
            Self::Invalid(InvalidInputRequest { method, reason: error.to_string(), json })
        }))
    }
}

read::deserialize_by_reading!(InputRequest);

impl InputRequest {
    /// `named` becomes the method as soon as that is read.
    fn of(json: &Json, named: &mut Option<String>) -> read::Result<Self> {
        let (mut method, mut params) = (String::new(), None::<Json>);
        let mut reader = Reader::new(json.as_str());
        reader.object(
            &read::Layout {
                what: "InputRequest",
                names: read::names!("method", "params"),
                needed: read::needed(&[true]),
            },
            &mut [&mut method, &mut params],
        )?;
        let method = named.insert(method).as_str();
        Ok(match (method, &params) {
            (ElicitRequest::METHOD | CreateMessageRequest::METHOD, None) => {
                return Err(reader.error("missing field `params`"));
            }
            (ElicitRequest::METHOD, Some(params)) => Self::Elicit(read::value(params)?),
            (CreateMessageRequest::METHOD, Some(params)) => Self::CreateMessage(read::value(params)?),
            (ListRootsRequest::METHOD, None) => Self::ListRoots(None),
            (ListRootsRequest::METHOD, Some(params)) => Self::ListRoots(Some(read::value(params)?)),
            _ => Self::Unknown(UnknownObject::from_text(method.to_owned(), json.clone())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_keep_their_names_and_order() {
        let text = r#"{"resultType":"input_required","inputRequests":{"z":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{}}}},"a":{"method":"roots/list"},"b":{"method":"roots/list","params":{}},"n":{"method":"later/one","x":1.50}},"requestState":""}"#;
        let result: InputRequiredResult = serde_json::from_str(text).unwrap();
        let methods: Vec<_> = result
            .input_requests
            .as_ref()
            .unwrap()
            .iter()
            .map(|(name, request)| (name, request.method()))
            .collect();
        assert_eq!(
            methods,
            [("z", "elicitation/create"), ("a", "roots/list"), ("b", "roots/list"), ("n", "later/one")]
        );
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
    }

    /// Field report P-13, as far as types go.
    #[test]
    fn a_result_may_hold_state_only() {
        let text = r#"{"resultType":"input_required","requestState":"s"}"#;
        let result: InputRequiredResult = serde_json::from_str(text).unwrap();
        assert_eq!(result, InputRequiredResult::new().with_request_state("s"));
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
    }

    #[test]
    fn a_bad_request_does_not_cost_the_others() {
        let text = r#"{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create"},"b":{"params":{}},"c":null,"d":["roots/list",null],"e":{"method":"elicitation/create","params":{"mode":"url","url":7}},"f":{"method":"roots/list"}},"requestState":"s"}"#;
        let result: InputRequiredResult = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&result).unwrap(), text);
        let requests = result.input_requests.unwrap();
        assert_eq!(requests.get("f"), Some(&InputRequest::ListRoots(None)));
        for (name, method, reason) in [
            ("a", "elicitation/create", "params"),
            ("b", "", "method"),
            ("c", "", "null"),
            ("d", "", "sequence"),
            ("e", "elicitation/create", "7"),
        ] {
            let Some(request @ InputRequest::Invalid(invalid)) = requests.get(name) else {
                panic!("{name}: {requests:?}")
            };
            assert_eq!(request.method(), method);
            assert!(invalid.reason.contains(reason), "{name}: {}", invalid.reason);
        }
    }
}
