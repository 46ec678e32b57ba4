//! Who answers what a server asks: by what the step says, keeping what was asked.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_client::{ClientBuilder, Diagnostic};
use mcp_types::{ErrorCode, JsonRpcError};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Value, json};

/// Cheap to clone; all clones are one user.
#[derive(Clone, Default)]
pub(crate) struct User(Arc<Mutex<Inner>>);

#[derive(Default)]
struct Inner {
    answer: Option<Value>,
    asked: Vec<Value>,
    notes: Vec<String>,
}

impl User {
    /// The same client, which this user answers for. It works on `root`.
    pub(crate) fn serve(&self, builder: ClientBuilder, root: String) -> ClientBuilder {
        let (elicited, sampled, noted) = (self.clone(), self.clone(), self.clone());
        builder
            .on_elicit(move |params, _| std::future::ready(elicited.ask("elicitation/create", &params)))
            .on_sample(move |params, _| std::future::ready(sampled.ask("sampling/createMessage", &params)))
            .roots([root])
            .on_diagnostic(move |diagnostic| noted.inner().notes.push(format!("{diagnostic:?}")))
    }

    /// What will be answered from here on; what was asked before is forgotten.
    pub(crate) fn will_answer(&self, answer: Option<&Value>) {
        let mut inner = self.inner();
        inner.answer = answer.cloned();
        inner.asked.clear();
    }

    /// What was asked since: `{"method": …, "params": …}`.
    pub(crate) fn asked(&self) -> Value {
        Value::Array(self.inner().asked.clone())
    }

    /// How often the client heard of `diagnostic`, which has no members.
    pub(crate) fn noted(&self, diagnostic: &Diagnostic) -> usize {
        let name = format!("{diagnostic:?}");
        self.inner().notes.iter().filter(|note| **note == name).count()
    }

    /// Odd things that the client heard of.
    pub(crate) fn notes(&self) -> Vec<String> {
        self.inner().notes.clone()
    }

    fn ask<T: DeserializeOwned>(&self, method: &str, params: &impl Serialize) -> Result<T, JsonRpcError> {
        let wrong = |why: String| JsonRpcError::new(ErrorCode::INTERNAL_ERROR, why);
        let params = serde_json::to_value(params).map_err(|error| wrong(error.to_string()))?;
        let mut inner = self.inner();
        inner.asked.push(json!({ "method": method, "params": params }));
        let answer =
            inner.answer.clone().ok_or_else(|| wrong("nobody was to be asked in this step".to_string()))?;
        serde_json::from_value(answer).map_err(|error| wrong(error.to_string()))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
