//! What can be said on the command line.

mod common;
mod verbs;

use clap::{Parser, Subcommand};

pub(crate) use common::{Common, TargetArgs};
pub(crate) use verbs::*;

const EXAMPLES: &str = "\
A server is given the same way to every verb:
  -- COMMAND ARGS…             started, spoken to on its standard input and output
  --url URL                    over HTTP
  --demo                       the embedded demo server
  --config FILE --server NAME  from an `mcpServers` file

Examples:
  mcp call --demo add a=2 b=40
  mcp tools -- npx -y @modelcontextprotocol/server-everything
  mcp doctor --url https://host.example/mcp --bearer-env TOKEN

Exit status: 0 success, 1 the tool reported an error, 2 usage, 3 transport, 4 protocol,
5 authorization, 6 deadline or interrupt.";

/// Lists, calls, watches, records and diagnoses any MCP server.
#[derive(Debug, Parser)]
#[command(name = "mcp", version, after_help = EXAMPLES, disable_help_subcommand = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Verb,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    Info(Info),
    Tools(Tools),
    Resources(Resources),
    Templates(Templates),
    Prompts(Prompts),
    Call(Call),
    Read(Read),
    Prompt(Prompt),
    Complete(Complete),
    Ping(Ping),
    Watch(Watch),
    Doctor(Doctor),
    Record(Record),
    Replay(Replay),
    Proxy(Proxy),
    View(View),
    DemoServer(DemoServer),
    Completions(Completions),
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_holds_together() {
        Cli::command().debug_assert();
    }

    #[test]
    fn a_command_stands_behind_the_dashes() {
        let cli = Cli::parse_from(["mcp", "call", "add", "a=1", "--json", "--", "srv", "--flag", "--", "x"]);
        let Verb::Call(call) = cli.verb else { panic!() };
        assert_eq!((call.tool.as_str(), call.arguments.as_slice()), ("add", ["a=1".to_owned()].as_slice()));
        assert_eq!(call.target.command, ["srv", "--flag", "--", "x"]);
        assert!(call.common.json);
    }

    #[test]
    fn limits_are_seconds() {
        let limit = |text: &str| {
            let cli = Cli::try_parse_from(["mcp", "ping", "--demo", "--timeout", text]).ok()?;
            let Verb::Ping(ping) = cli.verb else { return None };
            ping.common.timeout
        };
        assert_eq!(limit("1.5"), Some(std::time::Duration::from_millis(1500)));
        for bad in ["0", "-1", "NaN", "inf", "x", "1e300"] {
            assert_eq!(limit(bad), None, "{bad}");
        }
    }
}
