//! What the server asks the user: on the terminal, from `--answer`, or declined.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
};

use mcp_client::ClientBuilder;
use mcp_types::{ElicitAction, ElicitRequestParams, ElicitResult, JsonObject, JsonRpcError};

use crate::{args::Answers, console, failure::Failure, form};

/// Answers elicitations.
#[derive(Debug, Clone)]
pub(crate) struct Elicitor(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// What `--answer` gave, in order; the last one stays.
    given: Mutex<VecDeque<ElicitResult>>,
    /// One question at a time.
    turn: tokio::sync::Mutex<()>,
}

impl Elicitor {
    /// # Errors
    /// Usage: an answer that is none.
    pub(crate) fn new(answers: &Answers) -> Result<Self, Failure> {
        let given = answers.answers.iter().map(|text| parse(text)).collect::<Result<_, _>>()?;
        Ok(Self(Arc::new(Inner { given: Mutex::new(given), turn: tokio::sync::Mutex::default() })))
    }

    /// Makes it the handler of a client.
    pub(crate) fn attach(self, builder: ClientBuilder) -> ClientBuilder {
        builder.on_elicit(move |params, _| {
            let elicitor = self.clone();
            async move { elicitor.answer(params).await }
        })
    }

    async fn answer(&self, params: ElicitRequestParams) -> Result<ElicitResult, JsonRpcError> {
        let _turn = self.0.turn.lock().await;
        let message = console::safe(params.message().unwrap_or_default());
        if let Some(given) = self.given() {
            console::note(&format!("the server asks: {message} (answered by --answer)"));
            return Ok(given);
        }
        if !console::can_ask() {
            console::note(&format!("the server asks: {message} (declined: no terminal, no --answer)"));
            return Ok(ElicitResult::decline());
        }
        form::ask(params).await
    }

    fn given(&self) -> Option<ElicitResult> {
        let mut given = self.0.given.lock().unwrap_or_else(PoisonError::into_inner);
        if given.len() > 1 { given.pop_front() } else { given.front().cloned() }
    }
}

fn parse(text: &str) -> Result<ElicitResult, Failure> {
    match text.trim().trim_matches('"') {
        "decline" => return Ok(ElicitResult::decline()),
        "cancel" => return Ok(ElicitResult::cancel()),
        "accept" => return Ok(ElicitResult::new(ElicitAction::Accept)),
        _ => {}
    }
    let content: JsonObject = serde_json::from_str(text).map_err(|error| {
        Failure::usage(format!("--answer takes a JSON object, `accept`, `decline` or `cancel`: {error}"))
    })?;
    Ok(ElicitResult::accept(content))
}
