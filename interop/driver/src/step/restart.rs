use std::{collections::BTreeSet, time::Duration};

use mcp_client::{Client, Diagnostic, Error, ErrorKind, State};
use mcp_types::Era;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::{
    task::{JoinHandle, JoinSet},
    time::{Instant, sleep, timeout},
};

use super::{Stage, stands_for, told};
use crate::{pattern::fits, user::User};

/// How many calls are made at once when the server is there again.
const CALLS: usize = 16;
/// How long the server may take to begin with the slow call. Its first report of progress says so earlier.
const BEGIN: Duration = Duration::from_secs(1);
/// How long a call may take to end when there is no server, or the session is known to be lost.
const AT_ONCE: Duration = Duration::from_secs(3);
/// How long a diagnostic may take to be told.
const NOTED_LIMIT: Duration = Duration::from_secs(2);

/// What a legacy client is given to open the stream of its new session, which no call waits for: steps that follow may ask for
/// what comes on it.
const STREAM: Duration = Duration::from_millis(300);

/// Ends the process of the server while a slow call is open, as a crash does, and starts it again on the same port. Where the
/// connection goes on, once more: asked to end, with nothing open.
///
/// The slow call must end at once, with an error that says that it may have been executed, and a call that is made while
/// there is no server with one that says that it was not. What becomes of the connection is in `then`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Restart {
    /// What is called afterwards, many times at once. The tools are listed instead where it is not said.
    tool: Option<String>,
    #[serde(default)]
    arguments: Map<String, Value>,
    /// A pattern for the text of each result.
    text: Option<Value>,
    /// What is open when the server ends. Nothing where it is not said.
    slow: Option<Slow>,
    /// By the era where it is not said: a legacy connection `renews`, a modern one `continues`.
    then: Option<Then>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Slow {
    tool: String,
    #[serde(default)]
    arguments: Map<String, Value>,
    /// Servers that number what they say on a stream in the legacy era (`NAME*`: all that begin so). The client asks them for
    /// the rest, so that the call ends when the server is there again and does not know the session.
    #[serde(default)]
    resumes: Vec<String>,
}

/// What becomes of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Then {
    /// A new session is started, one for all calls.
    Renews,
    /// There is no session, and so nothing is started anew.
    Continues,
    /// It was one stream, and is over: calls fail at once and are not executed, also when the server is there again.
    Ends,
}

impl Restart {
    pub(super) fn what(&self) -> String {
        self.slow.as_ref().map_or("alone".to_string(), |slow| format!("while {} runs", slow.tool))
    }

    pub(super) async fn perform(&self, stage: &mut Stage<'_, '_>) -> Result<(), String> {
        let result = self.restart(stage).await;
        sleep(STREAM).await;
        result
    }

    async fn restart(&self, stage: &mut Stage<'_, '_>) -> Result<(), String> {
        let (client, user) = (stage.client, stage.user);
        let host = stage.host.as_deref_mut().ok_or("the server does not listen")?;
        let era = client.negotiated().era();
        let then = self.then.unwrap_or(if era == Era::Legacy { Then::Renews } else { Then::Continues });
        let before = names(client).await?;
        let sessions = Sessions::of(user);
        let slow = match &self.slow {
            Some(slow) => Some((slow, slow.begin(client).await?)),
            None => None,
        };
        host.crash().await;
        self.refused(client, "with no server").await?;
        let pending = match slow {
            Some((slow, call)) if slow.resumes(&stage.server.name) && era == Era::Legacy => Some(call),
            Some((_, call)) => {
                orphaned(call, AT_ONCE).await?;
                None
            }
            None => None,
        };
        host.start_again().await?;
        if then == Then::Ends {
            return self.refused(client, "with the server back").await;
        }
        self.called_at_once(client).await?;
        if let Some(call) = pending {
            orphaned(call, AT_ONCE).await?;
        }
        let renewals = usize::from(then == Then::Renews);
        goes_on(client, &before).await?;
        sessions.expect(renewals, user).await?;
        host.stop().await;
        host.start_again().await?;
        let later = |why: String| format!("after an end in order: {why}");
        self.called_at_once(client).await.map_err(later)?;
        goes_on(client, &before).await.map_err(later)?;
        sessions.expect(2 * renewals, user).await.map_err(later)
    }

    /// A call that cannot have been executed, and says so.
    async fn refused(&self, client: &Client, when: &str) -> Result<(), String> {
        match timeout(AT_ONCE, self.call(client)).await {
            Ok(Err(error)) if error.kind() == ErrorKind::Transport && !error.may_have_executed() => Ok(()),
            Ok(Err(error)) => Err(format!(
                "a call {when}: expected an error of the transport, not executed; came {}, executed: {}",
                told(&error),
                error.may_have_executed()
            )),
            Ok(Ok(_)) => Err(format!("a call {when}: expected an error, came a result")),
            Err(_) => Err(format!("a call {when} did not end within {AT_ONCE:?}")),
        }
    }

    /// All that is asked before anybody knows that the server is another one: calls, and a list among them.
    async fn called_at_once(&self, client: &Client) -> Result<(), String> {
        let mut calls = JoinSet::new();
        for _ in 0..CALLS {
            calls.spawn(self.call(client));
        }
        let listed = names(client).await;
        while let Some(ended) = calls.join_next().await {
            let result = ended.map_err(|error| error.to_string())?;
            let text = result.map_err(|error| format!("one of {CALLS} calls: {}", told(&error)))?;
            if let Some(pattern) = &self.text {
                fits(pattern, &Value::String(text)).map_err(|why| format!("text: {why}"))?;
            }
        }
        listed.map(|_| ())
    }

    /// A call, and the text of its result.
    fn call(&self, client: &Client) -> impl Future<Output = Result<String, Error>> + Send + use<> {
        let (client, tool, arguments) = (client.clone(), self.tool.clone(), self.arguments.clone());
        async move {
            match tool {
                Some(tool) => Ok(client.call_tool(tool).args(&arguments)?.await?.text()),
                None => client.list_tools().all().await.map(|_| String::new()),
            }
        }
    }
}

impl Slow {
    fn resumes(&self, server: &str) -> bool {
        self.resumes.iter().any(|pattern| stands_for(pattern, server))
    }

    /// Begins the call, and waits until the server has it.
    async fn begin(&self, client: &Client) -> Result<JoinHandle<Option<Error>>, String> {
        let call = client.call_tool(&self.tool).args(&self.arguments).map_err(|error| told(&error))?;
        let mut call = call.with_progress();
        if matches!(timeout(BEGIN, call.progress().next()).await, Ok(None)) {
            return Err(format!("{} ended before the server did", self.tool));
        }
        Ok(tokio::spawn(async move { call.await.err() }))
    }
}

/// A call that was open when its server ended.
async fn orphaned(mut call: JoinHandle<Option<Error>>, limit: Duration) -> Result<(), String> {
    match timeout(limit, &mut call).await {
        Ok(Ok(Some(error))) if error.kind() == ErrorKind::Transport && error.may_have_executed() => Ok(()),
        Ok(Ok(Some(error))) => Err(format!(
            "the open call: expected an error of the transport, maybe executed; came {}, executed: {}",
            told(&error),
            error.may_have_executed()
        )),
        Ok(Ok(None)) => Err("the open call: expected an error, came a result".to_string()),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => {
            call.abort();
            Err(format!("the open call did not end within {limit:?}"))
        }
    }
}

/// The same tools are there, and nothing is left to be done.
async fn goes_on(client: &Client, before: &BTreeSet<String>) -> Result<(), String> {
    let after = names(client).await?;
    if after != *before {
        return Err(format!("the tools were {before:?}, and are {after:?}"));
    }
    match client.state() {
        State::Ready => Ok(()),
        state => Err(format!("the client is {state:?}")),
    }
}

async fn names(client: &Client) -> Result<BTreeSet<String>, String> {
    let tools = client.list_tools().all().await.map_err(|error| format!("list: {}", told(&error)))?;
    Ok(tools.into_iter().map(|tool| tool.name).collect())
}

/// How often sessions were lost and started anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Sessions {
    lost: usize,
    renewed: usize,
}

impl Sessions {
    fn of(user: &User) -> Self {
        Self { lost: user.noted(&Diagnostic::SessionLost), renewed: user.noted(&Diagnostic::SessionRenewed) }
    }

    /// Since then, each `times`.
    async fn expect(self, times: usize, user: &User) -> Result<(), String> {
        let expected = Self { lost: self.lost + times, renewed: self.renewed + times };
        let begun = Instant::now();
        while Self::of(user).renewed < expected.renewed && begun.elapsed() < NOTED_LIMIT {
            sleep(Duration::from_millis(20)).await;
        }
        let came = Self::of(user);
        if came == expected { Ok(()) } else { Err(format!("expected {expected:?}, came {came:?}")) }
    }
}
