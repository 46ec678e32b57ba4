//! Messages: the marker types of methods, and the table of methods.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    compare::Comparison,
    document::{Document, Kind, Object, Property, Schema},
    finding::Rule,
    inventory::{Shape, TypeInfo, TypeShape},
    rust_type::RustType,
    union::{alternatives, constant},
};

/// The unions that say who sends what: the name, the direction, whether it holds requests.
const SENDERS: [(&str, &str, bool); 4] = [
    ("ClientRequest", "ToServer", true),
    ("ClientNotification", "ToServer", false),
    ("ServerRequest", "ToClient", true),
    ("ServerNotification", "ToClient", false),
];

/// The envelopes, which are generic over what they carry and written by hand: `jsonrpc::JsonRpcMessage`.
const ENVELOPES: [&str; 6] = [
    "JSONRPCError",
    "JSONRPCErrorResponse",
    "JSONRPCNotification",
    "JSONRPCRequest",
    "JSONRPCResponse",
    "JSONRPCResultResponse",
];

pub(super) fn is_envelope(definition: &str) -> bool {
    ENVELOPES.contains(&definition)
}

pub(super) fn is_sender(definition: &str) -> bool {
    SENDERS.iter().any(|(name, ..)| *name == definition)
}

/// The method of a definition that is a message.
pub(super) fn method_of(document: &Document, schema: &Schema<'_>) -> Option<String> {
    constant(document, schema, "method")
}

/// The name of the marker type, for a definition that is the response to a request.
pub(super) fn answered(document: &Document, name: &str) -> Option<String> {
    let request = format!("{}Request", name.strip_suffix("ResultResponse")?);
    document.definition(&request).is_some().then_some(request)
}

impl<'a> Comparison<'a> {
    /// Compares the table of methods with what the schema says about who sends what.
    pub(super) fn table(&mut self, document: &'a Document) {
        let mut sent: BTreeMap<(String, bool), BTreeSet<&str>> = BTreeMap::new();
        for (union, direction, is_request) in SENDERS {
            let Some(schema) = document.definition(union) else { continue };
            for message in alternatives(document, &document.read(schema)) {
                match method_of(document, &message) {
                    Some(method) => {
                        sent.entry((method, is_request)).or_default().insert(direction);
                    }
                    None => self.gap(
                        document,
                        union,
                        Rule::Method,
                        "a message has no method",
                        "look at the schema",
                    ),
                }
            }
        }
        let inventory = self.inventory;
        for ((method, is_request), directions) in &sent {
            let direction =
                if directions.len() == 2 { "Both" } else { directions.first().copied().unwrap_or("") };
            let kind = if *is_request { "request" } else { "notification" };
            let known = inventory.methods.get(method).filter(|known| known.is_request == *is_request);
            let known = known.and_then(|known| known.directions.get(&document.revision));
            if known.map(String::as_str) != Some(direction) {
                let says = known.map_or("does not have it so", String::as_str);
                let problem = format!("the schema has this {kind} {direction}, the table of methods {says}");
                self.gap(document, method, Rule::Method, problem, "correct mcp-types/src/method.rs");
            }
        }
        for (name, method) in &inventory.methods {
            let here = method.directions.contains_key(&document.revision);
            if here && !sent.contains_key(&(name.clone(), method.is_request)) {
                let problem = "the table of methods has it, the schema does not";
                self.gap(document, name, Rule::Method, problem, "correct mcp-types/src/method.rs");
            }
            let embedded = method.embedded_since.is_some_and(|since| since <= document.revision);
            let defined = document.definitions().any(|(_, schema)| {
                method_of(document, &document.read(schema)).as_deref() == Some(name.as_str())
            });
            let by_itself = sent.contains_key(&(name.clone(), method.is_request));
            if embedded != (defined && !by_itself) {
                let problem = if embedded {
                    "the table says that it stands in results, the schema does not"
                } else {
                    "the schema has it only in results, the table does not say so"
                };
                self.gap(document, name, Rule::Method, problem, "correct mcp-types/src/method.rs");
            }
        }
    }

    /// Compares a message with its marker type.
    pub(super) fn message(
        &mut self,
        document: &'a Document,
        name: &'a str,
        object: &Object<'a>,
        method: &str,
    ) {
        let inventory = self.inventory;
        let Some(marker) = inventory.markers.get(name) else {
            let problem = format!("the message `{method}` has no marker type");
            return self.gap(
                document,
                name,
                Rule::Type,
                problem,
                "add it with `requests!` or `notifications!`",
            );
        };
        self.seen.markers.insert(name.to_string());
        if marker.method != method {
            let problem = format!("the method is `{method}`, the marker type says `{}`", marker.method);
            self.gap(document, name, Rule::Marker, problem, "correct the marker type");
        }
        let is_request = name.ends_with("Request");
        if marker.result.is_some() != is_request {
            self.gap(document, name, Rule::Marker, "a request is not a notification", "use the other macro");
        }
        for property in object.properties.iter().filter(|property| property.name != "params") {
            self.envelope_member(document, name, property);
        }
        self.params(document, name, object, &marker.params);
        if let Some(result) = &marker.result {
            let expected = expected_result(document, name);
            if inventory.place(&expected).as_ref() != Some(&self.resolved(result)) {
                let problem = format!("the schema has {expected} for it, the marker type `{result}`");
                self.gap(document, name, Rule::Marker, problem, "correct the marker type");
            }
        }
    }

    fn params(&mut self, document: &'a Document, name: &str, object: &Object<'a>, ty: &RustType) {
        let at = format!("{name}.params");
        let given = object.property("params");
        if !given.is_some_and(|params| params.required) && self.requires_something(ty) {
            let problem = format!("may be absent, and `{ty}` requires a member");
            self.gap(document, &at, Rule::Required, problem, "make the members optional");
        }
        let Some(given) = given else { return };
        self.reached.insert(std::ptr::from_ref(given.schema));
        let mut schema = document.read(given.schema);
        // Older schemas write the parameters out and leave away what all messages have: `schema.ts` says `extends`.
        let base = if name.ends_with("Request") { "Request" } else { "Notification" };
        let base = document.definition(base).map(|base| document.read(base).kind);
        if let (Kind::Object(params), Some(Kind::Object(base))) = (&mut schema.kind, base)
            && let Some(Kind::Object(mut all)) =
                base.property("params").map(|params| document.read(params.schema).kind)
        {
            all.extend(std::mem::take(params));
            *params = all;
        }
        if let Kind::Object(params) = &schema.kind {
            let names = params.properties.iter().map(|property| property.name.to_string());
            self.seen.params.entry(name.to_string()).or_default().extend(names);
        }
        self.value(document, &schema, ty, &at);
    }

    fn requires_something(&self, ty: &RustType) -> bool {
        match self.inventory.shape(ty) {
            Some(Shape::Type(TypeInfo { shape: TypeShape::Object { members, .. }, .. })) => {
                members.iter().any(|member| member.required)
            }
            Some(Shape::Type(_)) => true,
            _ => false,
        }
    }

    /// Compares an envelope that carries anything.
    pub(super) fn envelope(&mut self, document: &'a Document, name: &str, object: &Object<'a>) {
        for property in &object.properties {
            self.envelope_member(document, name, property);
        }
    }

    fn envelope_member(&mut self, document: &'a Document, name: &str, property: &Property<'a>) {
        self.reached.insert(std::ptr::from_ref(property.schema));
        let schema = document.read(property.schema);
        let at = format!("{name}.{}", property.name);
        match property.name {
            "jsonrpc" => self.constant(document, &schema, "2.0", &at),
            "id" => self.value(document, &schema, &RustType::named("RequestId"), &at),
            "error" => self.value(document, &schema, &RustType::named("JsonRpcError"), &at),
            // What the envelope carries: any method, any parameters, any result.
            "method" | "params" | "result" => self.reach_all(document, &schema),
            _ => self.gap(document, &at, Rule::Member, "no envelope has it", "add it to the envelope"),
        }
    }

    /// Compares the response to a request with the result that its marker type has.
    pub(super) fn response(
        &mut self,
        document: &'a Document,
        name: &str,
        object: &Object<'a>,
        request: &str,
    ) {
        for property in &object.properties {
            self.envelope_member(document, name, property);
        }
        let results = object.property("result").map(|result| document.read(result.schema));
        let results = results.iter().flat_map(|schema| alternatives(document, schema));
        let results: BTreeSet<_> = results
            .filter_map(|schema| schema.definition)
            .filter(|definition| *definition != "InputRequiredResult")
            .filter_map(|definition| self.inventory.place(definition))
            .collect();
        let marker = self.inventory.markers.get(request).and_then(|marker| marker.result.as_ref());
        if results != marker.map(|result| self.resolved(result)).into_iter().collect() {
            let problem = format!("holds another result than {request} has");
            self.gap(document, name, Rule::Marker, problem, "correct the marker type");
        }
    }

    /// The type behind an alias.
    fn resolved(&self, ty: &RustType) -> RustType {
        self.inventory.aliases.get(&ty.name).unwrap_or(ty).clone()
    }
}

/// The name of the result of a request: the schemas of older revisions tie the two by their names only.
fn expected_result(document: &Document, request: &str) -> String {
    let own = format!("{}Result", request.strip_suffix("Request").unwrap_or(request));
    if document.definition(&own).is_some() { own } else { "EmptyResult".to_string() }
}
