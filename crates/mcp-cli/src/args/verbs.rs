use std::{ffi::OsString, path::PathBuf};

use clap::Args;

use super::{Common, TargetArgs};

macro_rules! plain_verbs {
    ($($(#[$attr:meta])* $name:ident;)*) => {$(
        $(#[$attr])*
        #[derive(Debug, Args)]
        pub(crate) struct $name {
            #[command(flatten)]
            pub(crate) target: TargetArgs,
            #[command(flatten)]
            pub(crate) common: Common,
        }
    )*};
}

plain_verbs! {
    /// Says what was negotiated: era, revision, identity, capabilities, instructions
    Info;
    /// Lists the tools
    Tools;
    /// Lists the resources
    Resources;
    /// Lists the templates of resources
    Templates;
    /// Lists the prompts
    Prompts;
    /// Asks the server whether it is there, and how long that took
    Ping;
}

const CALL: &str = "\
Arguments:
  name=value   read by the tool's schema: a number where it wants one
  name:=json   JSON as it stands: list:='[1,2]'
  --args       all of them at once; single ones are put over it

Examples:
  mcp call --demo add a=2 b=40
  mcp call --demo greet --answer '{\"name\":\"Ada\"}'
  echo '{\"message\":\"hi\"}' | mcp call --demo echo --args - --json";

/// Calls a tool
#[derive(Debug, Args)]
#[command(after_help = CALL)]
pub(crate) struct Call {
    /// The name of the tool
    pub(crate) tool: String,
    /// Arguments: name=value or name:=json
    #[arg(value_name = "NAME=VALUE")]
    pub(crate) arguments: Vec<String>,
    /// All arguments as one JSON object; `@FILE` reads a file, `-` standard input
    #[arg(long, value_name = "JSON|@FILE|-")]
    pub(crate) args: Option<String>,
    /// Calls it although the server does not list it
    #[arg(long)]
    pub(crate) unlisted: bool,
    /// Puts images, audio and other bytes of the result into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) answers: Answers,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// What is answered when the server asks.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Answers {
    /// Answers what the server asks the user: a JSON object, or `decline` or `cancel`. Given again, for the next question
    #[arg(long = "answer", value_name = "JSON")]
    pub(crate) answers: Vec<String>,
}

/// Reads a resource
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mcp read --demo demo:///readme.md\n  mcp read --demo demo:///pixel.png > pixel.png"
)]
pub(crate) struct Read {
    /// The URI of the resource
    pub(crate) uri: String,
    /// Puts bytes into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) answers: Answers,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Gets a prompt, filled in
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mcp prompt --demo review language=rust code='fn main() {}'")]
pub(crate) struct Prompt {
    /// The name of the prompt
    pub(crate) name: String,
    /// Its arguments
    #[arg(value_name = "NAME=VALUE")]
    pub(crate) arguments: Vec<String>,
    /// Puts images, audio and other bytes into this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) save: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) answers: Answers,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Asks how the value of an argument may go on
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  mcp complete --demo --prompt review language ru\n  mcp complete --demo --template demo:///squares/{number} number 1"
)]
pub(crate) struct Complete {
    /// The argument
    pub(crate) argument: String,
    /// Its value so far
    #[arg(default_value = "")]
    pub(crate) value: String,
    /// The argument is one of this prompt
    #[arg(long, value_name = "NAME", required_unless_present = "template", conflicts_with = "template")]
    pub(crate) prompt: Option<String>,
    /// The argument is one of this template of resources
    #[arg(long, value_name = "URI")]
    pub(crate) template: Option<String>,
    /// Another argument that is settled already
    #[arg(long, value_name = "NAME=VALUE")]
    pub(crate) known: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Says which layer is at fault when a server does not work, what was seen, and what to do
#[derive(Debug, Args)]
#[command(after_help = DOCTOR)]
pub(crate) struct Doctor {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) common: Common,
}

const DOCTOR: &str = "\
Looks at the transport, then at the protocol, then at the server's own behaviour. Lists are
read; no tool of the server is called, but one that does not exist.

Exit status: 0 when the server works, else that of the layer at fault: 3, 4 or 5; 6 at the deadline.

Examples:
  mcp doctor -- npx -y @modelcontextprotocol/server-everything
  mcp doctor --url https://host.example/mcp --json";

/// Does another verb, and records what passes between client and server
#[derive(Debug, Args)]
#[command(after_help = RECORD)]
pub(crate) struct Record {
    /// Writes the page of `mcp view` too
    #[arg(long, value_name = "PAGE")]
    pub(crate) html: Option<PathBuf>,
    /// Where to; an earlier recording is written over
    pub(crate) file: PathBuf,
    /// The verb, with all that belongs to it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true, value_name = "VERB")]
    pub(crate) words: Vec<OsString>,
}

const RECORD: &str = "\
What looks like a secret is taken out: values of --header, --bearer-env, --env and of a
configuration, texts of members named like passwords and tokens, and known kinds of keys.
Look through a recording before you give it away all the same.

Examples:
  mcp record session.jsonl call --demo add a=2 b=40
  mcp record --html page.html session.jsonl doctor -- my-server
  mcp record session.jsonl proxy -- my-server      (in the configuration of a host)";

/// Stands between a host and the command of a server, and passes messages on
#[derive(Debug, Args)]
#[command(
    after_help = "Put it into the configuration of a host to see what the host does:\n  mcp record session.jsonl proxy -- my-server ARGS…\n\nStandard output belongs to the protocol, so there is no --json."
)]
pub(crate) struct Proxy {
    /// Shows every message on standard error. Messages may hold secrets
    #[arg(long)]
    pub(crate) trace: bool,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// What `record` sets.
    #[arg(skip)]
    pub(crate) common: Common,
}

/// Serves a recording as a server, on standard input and output
#[derive(Debug, Args)]
#[command(
    after_help = "Each request gets what it got when it was recorded.\n\nExample:\n  mcp call add a=2 b=40 -- mcp replay session.jsonl"
)]
pub(crate) struct Replay {
    /// The recording
    pub(crate) file: PathBuf,
}

/// Makes one HTML page of a recording: a sequence diagram, searchable, every frame to unfold
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mcp view session.jsonl -o page.html")]
pub(crate) struct View {
    /// The recording
    pub(crate) file: PathBuf,
    /// Where to, instead of standard output
    #[arg(short, long, value_name = "PAGE")]
    pub(crate) output: Option<PathBuf>,
}

/// Prints changes at the server until it ends that, or an interrupt does
#[derive(Debug, Args)]
#[command(
    after_help = "Without a choice: all lists.\n\nExample:\n  mcp watch --tools --resource file:///a.txt -- my-server"
)]
pub(crate) struct Watch {
    /// Changes of the list of tools
    #[arg(long)]
    pub(crate) tools: bool,
    /// Changes of the list of prompts
    #[arg(long)]
    pub(crate) prompts: bool,
    /// Changes of the list of resources
    #[arg(long)]
    pub(crate) resources: bool,
    /// Changes of this resource; may be given again
    #[arg(long = "resource", value_name = "URI")]
    pub(crate) uris: Vec<String>,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Runs the demo server on standard input and output, or over HTTP
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  mcp tools -- mcp demo-server\n  mcp demo-server --http 127.0.0.1:8000")]
pub(crate) struct DemoServer {
    /// Listens on this loopback address instead, 127.0.0.1:8000 say, until an interrupt
    #[arg(long, value_name = "ADDR")]
    pub(crate) http: Option<String>,
    /// Speaks this revision only
    #[arg(long, value_name = "VERSION", value_parser = super::common::revision)]
    pub(crate) protocol: Option<mcp_types::Revision>,
}

/// Writes a completion script for a shell to standard output
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  mcp completions bash > ~/.local/share/bash-completion/completions/mcp")]
pub(crate) struct Completions {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}
