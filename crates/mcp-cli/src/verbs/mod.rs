//! The verbs, a file each.

mod call;
mod complete;
mod info;
mod lists;
mod ping;
mod prompt;
mod proxy;
mod read;
mod recordings;
mod watch;

use clap::CommandFactory;
use mcp_testkit::demo::Demo;

use crate::{
    args::{Answers, Cli, Common, Completions, DemoServer, Verb},
    console, doctor,
    failure::{Failure, Status},
    session::Stop,
};

impl Verb {
    /// Whether standard output is to hold one JSON document.
    pub(crate) fn wants_json(&mut self) -> bool {
        if let Self::Record(verb) = self {
            return verb.words.iter().take_while(|word| *word != "--").any(|word| word == "--json");
        }
        self.common_mut().is_some_and(|common| common.json)
    }

    /// How it is carried out, if it speaks to a server.
    fn common_mut(&mut self) -> Option<&mut Common> {
        match self {
            Self::Info(verb) => Some(&mut verb.common),
            Self::Tools(verb) => Some(&mut verb.common),
            Self::Resources(verb) => Some(&mut verb.common),
            Self::Templates(verb) => Some(&mut verb.common),
            Self::Prompts(verb) => Some(&mut verb.common),
            Self::Call(verb) => Some(&mut verb.common),
            Self::Read(verb) => Some(&mut verb.common),
            Self::Prompt(verb) => Some(&mut verb.common),
            Self::Complete(verb) => Some(&mut verb.common),
            Self::Ping(verb) => Some(&mut verb.common),
            Self::Watch(verb) => Some(&mut verb.common),
            Self::Doctor(verb) => Some(&mut verb.common),
            Self::Proxy(verb) => Some(&mut verb.common),
            Self::Record(_)
            | Self::Replay(_)
            | Self::View(_)
            | Self::DemoServer(_)
            | Self::Completions(_) => None,
        }
    }

    /// Does it.
    ///
    /// # Errors
    /// When there is no result.
    pub(crate) async fn run(self) -> Result<Status, Failure> {
        match self {
            Self::Info(verb) => info::run(verb).await,
            Self::Tools(verb) => lists::tools(verb).await,
            Self::Resources(verb) => lists::resources(verb).await,
            Self::Templates(verb) => lists::templates(verb).await,
            Self::Prompts(verb) => lists::prompts(verb).await,
            Self::Call(verb) => call::run(verb).await,
            Self::Read(verb) => read::run(verb).await,
            Self::Prompt(verb) => prompt::run(verb).await,
            Self::Complete(verb) => complete::run(verb).await,
            Self::Ping(verb) => ping::run(verb).await,
            Self::Watch(verb) => watch::run(verb).await,
            Self::Doctor(verb) => doctor::run(verb).await,
            Self::Record(verb) => recordings::record(verb).await,
            Self::Replay(verb) => recordings::replay(verb).await,
            Self::Proxy(verb) => proxy::run(verb).await,
            Self::View(verb) => recordings::view(&verb),
            Self::DemoServer(verb) => demo_server(verb).await,
            Self::Completions(verb) => {
                completions(&verb);
                Ok(Status::Success)
            }
        }
    }
}

/// For verbs in which no server should ask anything.
fn no_answers() -> Answers {
    Answers::default()
}

async fn demo_server(verb: DemoServer) -> Result<Status, Failure> {
    let demo = verb.protocol.map_or_else(Demo::new, |revision| Demo::of_revisions([revision]));
    let Some(address) = verb.http else {
        demo.serve_stdio().await?;
        return Ok(Status::Success);
    };
    let mut stop = Stop::new(None)?;
    let server = demo
        .bind_http(&address)
        .await
        .map_err(|error| Failure::new(Status::Transport, format!("{address}: {error}")))?;
    console::print_line(&format!("listening on {}", server.url()));
    stop.interrupted().await;
    server.shutdown().await;
    // An interrupt is how it is ended.
    Ok(Status::Success)
}

fn completions(verb: &Completions) {
    let mut script = Vec::new();
    clap_complete::generate(verb.shell, &mut Cli::command(), "mcp", &mut script);
    console::print_bytes(&script);
}
