//! One run: connect, take the steps, close, and look for what is left.

use std::time::{Duration, Instant};

use mcp_client::{Client, ClientBuilder, Versions};
use mcp_transport_http::Http;
use mcp_transport_stdio::{Stderr, Stdio};
use mcp_types::Revision;
use tokio::time::{sleep, timeout};

use crate::{
    lines::Lines,
    listening::Host,
    processes::Marker,
    report::{Report, since},
    scenario::{Places, Run, Scenario, Server},
    step::{Action, Listed, Stage, Step, Topic},
    user::User,
};

/// For a single call, and for the answer to the probe: a machine that does much else starts an interpreter slowly.
const CALL_LIMIT: Duration = Duration::from_secs(20);
/// How long the processes of a run that was broken off may take to end: all steps of the shutdown together.
const SHUTDOWN: Duration = Duration::from_secs(8);

/// Does everything, and tells what came of it.
pub(crate) async fn run(scenario: &Scenario, server: &Server, run: &Run, places: &Places) -> Report {
    let begun = Instant::now();
    let mut report = Report::new(&server.name, run.name());
    let (marker, user, lines) = (Marker::new(), User::default(), Lines::default());
    let limit = Duration::from_secs(server.limit);
    let session = session(scenario, server, run, places, (&marker, &user, &lines), &mut report);
    let in_time = timeout(limit, session).await.is_ok();
    if !in_time {
        let last = report.checks.last().map_or("nothing", |check| check.what.as_str());
        let why = format!("not done after {limit:?}; the last check that ended: {last}");
        report.check(Topic::Close, "the limit of the server", begun, Err(why));
    }
    // What was closed in order, and what could not be connected, is gone at once.
    look_for_processes(&marker, if in_time { Duration::ZERO } else { SHUTDOWN }, &mut report).await;
    report.notes = user.notes();
    report.stderr = lines.take();
    report.milliseconds = since(begun);
    report
}

async fn session(
    scenario: &Scenario,
    server: &Server,
    run: &Run,
    places: &Places,
    (marker, user, lines): (&Marker, &User, &Lines),
    report: &mut Report,
) {
    let begun = Instant::now();
    let mut host = match &server.url {
        None => None,
        Some(_) => match Host::start(server, places, marker, lines).await {
            Ok(host) => Some(host),
            Err(why) => return report.check(Topic::Connect, "start", begun, Err(why)),
        },
    };
    let root = format!("file://{}", places.work.display());
    let connected = match versions(run) {
        Ok(versions) => {
            let builder = Client::builder("interop", env!("CARGO_PKG_VERSION")).versions(versions);
            let builder = builder.timeout(CALL_LIMIT).metadata_timeout(CALL_LIMIT).probe_timeout(CALL_LIMIT);
            connect(user.serve(builder, root), server, places, marker, lines).await
        }
        Err(error) => Err(error),
    };
    talk(scenario, connected, (server, run), host.as_mut(), (user, begun), report).await;
    if let Some(mut host) = host {
        host.stop().await;
    }
}

async fn connect(
    builder: ClientBuilder,
    server: &Server,
    places: &Places,
    marker: &Marker,
    lines: &Lines,
) -> Result<Client, String> {
    let connected = match &server.url {
        None => builder.connect(command(server, places, marker, lines)).await,
        Some(url) => builder.connect(Http::new(url).map_err(|error| error.to_string())?).await,
    };
    connected.map_err(|error| error.to_string())
}

async fn talk(
    scenario: &Scenario,
    connected: Result<Client, String>,
    (server, run): (&Server, &Run),
    host: Option<&mut Host<'_>>,
    (user, begun): (&User, Instant),
    report: &mut Report,
) {
    let client = match connected {
        Ok(client) => client,
        Err(error) => {
            let result = match &run.refused {
                Some(expected) if error.contains(expected) => Ok(()),
                Some(expected) => Err(format!("expected a refusal with `{expected}`, came {error}")),
                None => Err(error),
            };
            return report.check(Topic::Connect, "connect", begun, result);
        }
    };
    let negotiated = client.negotiated();
    report.revision = Some(negotiated.revision.to_string());
    report.era = Some(format!("{:?}", negotiated.era()).to_lowercase());
    report.identity = negotiated.server_info.as_ref().map(|info| format!("{} {}", info.name, info.version));
    report.check(Topic::Connect, "connect", begun, as_expected(&client, server, run));
    take_steps(scenario, &client, (server, host), user, report).await;
    let begun = Instant::now();
    client.close().await;
    report.check::<&str>(Topic::Close, "close", begun, Ok(()));
}

fn versions(run: &Run) -> Result<Versions, String> {
    match &run.pin {
        None => Ok(Versions::auto()),
        Some(pin) => Revision::from_wire(pin).map(Versions::exactly).ok_or(format!("no revision `{pin}`")),
    }
}

fn command(server: &Server, places: &Places, marker: &Marker, lines: &Lines) -> Stdio {
    let lines = lines.clone();
    Stdio::command(server.command.first().map_or("", String::as_str))
        .args(server.command.iter().skip(1))
        .envs(&server.environment)
        .env(Marker::NAME, marker.value())
        .current_dir(&places.work)
        .stderr(Stderr::lines(move |line: &str| lines.push(line)))
}

fn as_expected(client: &Client, server: &Server, run: &Run) -> Result<(), String> {
    let negotiated = client.negotiated();
    if run.refused.is_some() {
        return Err("expected a refusal, came a connection".to_string());
    }
    if negotiated.revision.to_string() != run.revision {
        return Err(format!("expected revision {}, came {}", run.revision, negotiated.revision));
    }
    let name = negotiated.server_info.as_ref().map(|info| &info.name);
    if server.identity.is_some() && name != server.identity.as_ref() {
        return Err(format!("expected the server to be {:?}, came {name:?}", server.identity));
    }
    Ok(())
}

async fn take_steps(
    scenario: &Scenario,
    client: &Client,
    (server, mut host): (&Server, Option<&mut Host<'_>>),
    user: &User,
    report: &mut Report,
) {
    unlisted(scenario, client, report);
    for step in &scenario.steps {
        let (topic, what) = (step.action.topic(), step.action.what());
        if let Some(why) = not_done(step, client, server) {
            report.absent(topic, what, why);
            continue;
        }
        let begun = Instant::now();
        let mut stage = Stage { client, user, server, host: host.as_deref_mut(), report };
        let result = step.action.perform(&mut stage).await;
        report.check(topic, what, begun, result);
    }
    lacking(scenario, client, server, report);
}

/// Lists that no step reads: the server must not have them.
fn unlisted(scenario: &Scenario, client: &Client, report: &mut Report) {
    let begun = Instant::now();
    for of in Listed::ALL {
        let is_read = |step: &Step| matches!(&step.action, Action::List(list) if list.of == of);
        if scenario.steps.iter().any(is_read) {
            continue;
        }
        if client.capabilities().has(of.capability()) {
            let why = "the server declares them, and no step lists them";
            report.check(Topic::List, of.name(), begun, Err(why));
        } else {
            report.absent(Topic::List, of.name(), "not declared by the server");
        }
    }
}

/// Each topic has a step, or a reason why there is none; and the server does not have what it is said to lack.
fn lacking(scenario: &Scenario, client: &Client, server: &Server, report: &mut Report) {
    let begun = Instant::now();
    for topic in server.topics() {
        let declared = topic.capability().is_some_and(|capability| client.capabilities().has(capability));
        // A server may declare a kind of things and have none.
        let is_empty = topic.capability().is_some_and(|list| report.listed.get(list) == Some(&0));
        match server.lacks.get(&topic) {
            Some(_) if declared && !is_empty => {
                let why = "said to be lacking, but the server declares it";
                report.check(topic, "all of it", begun, Err(why));
            }
            Some(why) => report.absent(topic, "all of it", why),
            None if scenario.steps.iter().all(|step| step.action.topic() != topic) => {
                let why = "neither a step nor a reason why there is none";
                report.check(topic, "all of it", begun, Err(why));
            }
            None => {}
        }
    }
}

/// Why a step is not taken with a server: its revision has no such thing, or the server has not.
fn not_done(step: &Step, client: &Client, server: &Server) -> Option<String> {
    let revision = client.revision();
    let bound = |text: &Option<String>| text.as_deref().and_then(Revision::from_wire);
    if let Some(since) = bound(&step.since).filter(|since| revision < *since) {
        return Some(format!("since revision {since}"));
    }
    if let Some(until) = bound(&step.until).filter(|until| revision > *until) {
        return Some(format!("until revision {until}"));
    }
    if server.url.is_none() && step.action.topic() == Topic::Restart {
        return Some("a server that does not listen ends with the client's own process of it".to_string());
    }
    let lacks = server.lacks.get(&step.action.topic()).map(String::as_str);
    step.exception(&server.name).or(lacks).map(str::to_owned)
}

async fn look_for_processes(marker: &Marker, patience: Duration, report: &mut Report) {
    let begun = Instant::now();
    loop {
        let Some(left) = marker.processes() else {
            return report.absent(
                Topic::Close,
                "no process is left",
                "this system does not show environments",
            );
        };
        if left.is_empty() || begun.elapsed() >= patience {
            let result = if left.is_empty() { Ok(()) } else { Err(format!("left: {}", left.join("; "))) };
            return report.check(Topic::Close, "no process is left", begun, result);
        }
        sleep(Duration::from_millis(100)).await;
    }
}
