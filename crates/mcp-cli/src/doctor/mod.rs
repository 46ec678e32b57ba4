//! Says which layer is at fault when a server does not work: transport, then protocol, then the server's own behaviour.
//!
//! It connects as every verb does, with a witness on the wire ([`evidence`]), and judges by what that saw and by the kind of
//! the error; never by a list of known texts. Where two causes look alike it tries something out ([`experiment`]).

mod check;
mod evidence;
mod experiment;
mod protocol;
mod schema;
mod server;
mod transport;

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use mcp_client::{Client, Error, Versions, defaults};
use mcp_transport::{Connect, Tap};

use check::{Check, Layer, Report};
use evidence::Collector;
use transport::Kind;

use crate::{
    args::{Common, Doctor},
    console,
    failure::{Failure, Status},
    session::{Recorded, Stop, ending, observed},
    target::{Target, Transport},
};

/// How long connecting may take, unless the user bounds the whole.
const CONNECT_LIMIT: Duration = Duration::from_secs(30);

pub(crate) async fn run(verb: Doctor) -> Result<Status, Failure> {
    let target = Target::resolve(&verb.target)?;
    let mut stop = Stop::new(verb.common.timeout)?;
    let examination = Examination::new(target, verb.common.clone());
    let transport = observed(examination.target.clone(), &verb.common)?;
    let stopped = tokio::select! {
        biased;
        failure = stop.wait() => Some(failure),
        () = examination.carry_out(transport) => None,
    };
    if stopped.is_some() {
        ending(&examination.target.transport, &mut stop).await;
    }
    let mut report = examination.report();
    if let Some(failure) = stopped {
        let layer = if examination.collector.lock().messages > 0 { Layer::Server } else { Layer::Transport };
        let todo = "what stands here is what was found until then; allow more with --timeout";
        report.add([Check::bad(layer, "in time", failure.message, todo).with_status(Status::Deadline)]);
    }
    report.hide(&examination.target.secrets);
    if verb.common.json {
        console::print_json(report.document().as_str());
    } else {
        report.print();
    }
    Ok(report.status())
}

struct Examination {
    target: Target,
    common: Common,
    collector: Collector,
    report: Mutex<Report>,
}

impl Examination {
    fn new(target: Target, common: Common) -> Self {
        let collector = Collector::default();
        let Target { transport, secrets } = target;
        let transport = match transport {
            Transport::Stdio(server, processes) => {
                Transport::Stdio(Box::new(collector.stderr(*server)), processes)
            }
            other => other,
        };
        let target = Target { transport, secrets };
        Self { target, common, collector, report: Mutex::default() }
    }

    fn report(&self) -> MutexGuard<'_, Report> {
        self.report.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn carry_out(&self, transport: Tap<Recorded>) {
        let kind = match &self.target.transport {
            Transport::Stdio(..) => Kind::Command,
            Transport::Http(_) => Kind::Http { tcp: None, tls: false },
            Transport::Demo => Kind::Embedded,
        };
        match self.connect(transport).await {
            Ok(client) => self.examine(&kind, &client).await,
            Err(error) => self.explain(kind, &error).await,
        }
    }

    async fn connect(&self, transport: Tap<Recorded>) -> Result<Client, Error> {
        // Within a bounded whole there must be time left to tell.
        let limit = self.common.timeout.map_or(CONNECT_LIMIT, |limit| limit * 3 / 4);
        let mut builder = Client::builder("mcp-cli", env!("CARGO_PKG_VERSION"))
            .connect_timeout(limit)
            .probe_timeout(defaults::PROBE_TIMEOUT.min(limit / 2));
        if let Some(revision) = self.common.protocol {
            builder = builder.versions(Versions::exactly(revision));
        }
        self.collector.attach(builder).connect(self.collector.tap(transport)).await
    }

    /// No connection: why.
    async fn explain(&self, kind: Kind, error: &Error) {
        let kind = match kind {
            Kind::Http { .. } => {
                let (tcp, tls) = experiment::tcp(&self.target.transport.label()).await;
                Kind::Http { tcp, tls }
            }
            other => other,
        };
        let evidence = self.collector.lock();
        let mut report = self.report();
        report.add(transport::judge(&kind, &evidence, Some(error)));
        // What a process that is gone, or a page that is no endpoint, did not say is no fault of the protocol.
        report.add(protocol::judge(&evidence, Some(error)));
        if report.fault().is_none() {
            let layer = if evidence.messages > 0 { Layer::Protocol } else { Layer::Transport };
            let todo = "look at the messages: the same with `mcp info --trace`";
            report.add([Check::bad(layer, "connecting", error.to_string(), todo)]);
        }
    }

    async fn examine(&self, kind: &Kind, client: &Client) {
        let negotiation = protocol::connected(&self.collector.lock(), client);
        let was_silent = {
            let evidence = self.collector.lock();
            evidence.links > 1 && evidence.first_process_died().is_none()
        };
        self.report().add([negotiation]);
        let exercised = protocol::exercise(client).await;
        self.report().add(exercised);
        let behaviour = server::examine(client).await;
        self.report().add(behaviour);
        let ending = self.close(kind, client).await;
        if was_silent && let Some(how) = experiment::poisoned(&self.target.transport).await {
            self.report().add([protocol::poisoned(&how)]);
        }
        let evidence = self.collector.lock();
        let mut report = self.report();
        report.add(transport::judge(kind, &evidence, None));
        report.add(ending);
        report.add(protocol::judge(&evidence, None));
        report.add(protocol::strays(&evidence));
    }

    /// Closes, and judges a process by how long that took: by which step it went.
    async fn close(&self, kind: &Kind, client: &Client) -> Option<Check> {
        /// Of each step of the end; see the documents of the transport.
        const STEP: Duration = Duration::from_secs(2);
        let begun = Instant::now();
        client.close().await;
        let took = begun.elapsed();
        if *kind != Kind::Command {
            return None;
        }
        let seen = format!("gone {} ms after its input was closed", took.as_millis());
        let todo = "exit when standard input ends";
        Some(if took < STEP {
            Check::good(Layer::Transport, "shutdown", seen)
        } else if took < 2 * STEP {
            Check::odd(Layer::Transport, "shutdown", format!("{seen}; it took SIGTERM"), todo)
        } else {
            Check::odd(Layer::Transport, "shutdown", format!("{seen}; it took SIGKILL"), todo)
        })
    }
}
