//! A verb's connection: made, used and ended within the verb's limits, whatever happens.

mod elicit;
mod stop;
mod watcher;

use std::{sync::Arc, time::Duration};

use mcp_client::{Client, Versions, defaults};
use mcp_transport::{Connect, Link, Tap, TransportError};

pub(crate) use elicit::Elicitor;
pub(crate) use stop::Stop;

use crate::{
    args::{Answers, Common, TargetArgs},
    console,
    failure::Failure,
    recording::Recorder,
    target::{Target, Transport},
};

/// Connects, does `verb`, and shuts down in order; also after a failure, the deadline or an interrupt.
///
/// # Errors
/// Those of connecting and of the verb; the deadline; the interrupt.
pub(crate) async fn with_client<T>(
    target: &TargetArgs,
    common: &Common,
    answers: &Answers,
    verb: impl AsyncFnOnce(&Client) -> Result<T, Failure>,
) -> Result<T, Failure> {
    let target = Target::resolve(target)?;
    let transport = target.transport.clone();
    let elicitor = Elicitor::new(answers)?;
    let mut stop = Stop::new(common.timeout)?;
    let client = tokio::select! {
        biased;
        failure = stop.wait() => {
            ending(&transport, &mut stop).await;
            return Err(failure);
        }
        client = connect(target, common, elicitor) => client?,
    };
    let outcome = tokio::select! {
        biased;
        failure = stop.wait() => Err(failure),
        outcome = verb(&client) => outcome,
    };
    // What was open is cancelled by now: its future is dropped.
    let limit = if outcome.is_ok() { defaults::CLOSE_TIMEOUT } else { Duration::ZERO };
    tokio::select! {
        () = client.close_within(limit) => {}
        () = stop.interrupted() => by_force(),
    }
    outcome
}

/// Waits until what was given up is gone: it is shut down in order, in the background. An interrupt ends the wait, and with
/// this program what is left.
pub(crate) async fn ending(transport: &Transport, stop: &mut Stop) {
    tokio::select! {
        () = transport.gone() => {}
        () = stop.interrupted() => by_force(),
    }
}

fn by_force() {
    console::note("interrupted again: ending the server by force");
}

async fn connect(target: Target, common: &Common, elicitor: Elicitor) -> Result<Client, Failure> {
    let mut builder = Client::builder("mcp-cli", env!("CARGO_PKG_VERSION"));
    if let Some(revision) = common.protocol {
        builder = builder.versions(Versions::exactly(revision));
    }
    if let Some(limit) = common.timeout {
        builder = builder
            .timeout(limit)
            .total_timeout(limit)
            .metadata_timeout(limit)
            .connect_timeout(limit)
            // A server that is silent on the probe must have time left for the handshake.
            .probe_timeout(defaults::PROBE_TIMEOUT.min(limit / 2));
    }
    let builder = watcher::attach(elicitor.attach(builder));
    Ok(builder.connect(observed(target, common)?).await?)
}

/// The same transport; messages go to standard error or to a recording, where that is wanted.
///
/// # Errors
/// Usage: the recording cannot be written.
pub(crate) fn observed(target: Target, common: &Common) -> Result<Tap<Recorded>, Failure> {
    let Target { transport, secrets } = target;
    let recorder = match &common.record {
        Some(path) => Some(Arc::new(Recorder::create(path, &transport.label(), secrets.clone())?)),
        None => None,
    };
    let trace = common.trace;
    let connect = Recorded { transport, recorder: recorder.clone() };
    Ok(Tap::new(connect, move |passed| {
        if trace {
            console::note(&console::safe(&secrets.hide(&passed.to_string())));
        }
        if let Some(recorder) = &recorder {
            recorder.record(passed);
        }
    }))
}

/// A transport whose failures to connect are recorded: a tap sees links only.
#[derive(Debug)]
pub(crate) struct Recorded {
    transport: Transport,
    recorder: Option<Arc<Recorder>>,
}

impl Connect for Recorded {
    async fn connect(&self) -> Result<Link, TransportError> {
        self.transport.connect().await.inspect_err(|error| {
            if let Some(recorder) = &self.recorder {
                recorder.failed(error);
            }
        })
    }

    fn repeatable(&self) -> bool {
        self.transport.repeatable()
    }

    fn label(&self) -> String {
        self.transport.label()
    }
}
