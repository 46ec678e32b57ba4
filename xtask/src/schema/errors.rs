//! Definitions of errors: each has a code, and some have data.

use super::{
    compare::Comparison,
    document::{Document, Kind, Object, Schema},
    finding::Rule,
    json::Json,
    rust_type::RustType,
};

/// The type that holds every error.
const ERROR: &str = "JsonRpcError";

/// The error in a definition, and its code: the definition itself, or its member `error`.
pub(super) fn error_of<'a>(document: &'a Document, schema: &Schema<'a>) -> Option<(Object<'a>, i64)> {
    let Kind::Object(object) = &schema.kind else { return None };
    if let Some(code) = code(document, object) {
        return Some((object.clone(), code));
    }
    match document.read(object.property("error")?.schema).kind {
        Kind::Object(error) => code(document, &error).map(|code| (error, code)),
        _ => None,
    }
}

fn code(document: &Document, error: &Object<'_>) -> Option<i64> {
    match document.read(error.property("code")?.schema).kind {
        Kind::Values(values) => match values.as_slice() {
            [Json::Number(code)] => code.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

impl<'a> Comparison<'a> {
    pub(super) fn error(
        &mut self,
        document: &'a Document,
        name: &str,
        envelope: &Schema<'a>,
        error: &Object<'a>,
        code: i64,
    ) {
        self.reach_all(document, envelope);
        self.seen.codes.insert(code);
        if !self.inventory.codes.contains_key(&code) {
            let problem = format!("`ErrorCode` has no constant for {code}");
            self.gap(document, name, Rule::Value, problem, "add the constant");
        }
        let schema = Schema { definition: None, kind: Kind::Object(error.clone()) };
        self.value(document, &schema, &RustType::named(ERROR), name);
        let Some(data) = error.property("data").map(|data| document.read(data.schema)) else { return };
        if !matches!(data.kind, Kind::Object(_)) {
            return;
        }
        let wanted = format!("{name}Data");
        let at = format!("{name}.data");
        let data_type = self.inventory.types.keys().find(|ty| ty.eq_ignore_ascii_case(&wanted));
        let Some(data_type) = data_type else {
            let problem = format!("its data has no type `{wanted}`");
            return self.gap(document, &at, Rule::Type, problem, "add the type");
        };
        self.value(document, &data, &RustType::named(data_type), &at);
    }
}
