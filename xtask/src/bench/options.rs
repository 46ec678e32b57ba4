use std::path::PathBuf;

use super::{
    rounds::Effort,
    workloads::{self, Part},
};
use crate::command::Failure;

pub(super) struct Options {
    pub(super) effort: Effort,
    pub(super) parts: Vec<Part>,
    pub(super) only: Vec<String>,
    pub(super) list: bool,
    pub(super) check: bool,
    pub(super) json: Option<PathBuf>,
    pub(super) document: Option<PathBuf>,
}

impl Options {
    pub(super) fn parse(arguments: &[String]) -> Result<Self, Failure> {
        let mut options = Self {
            effort: Effort::Full,
            parts: Vec::new(),
            only: Vec::new(),
            list: false,
            check: false,
            json: None,
            document: None,
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| Failure::usage(format!("`{word}` needs a value")));
            match word.as_str() {
                "--quick" => options.effort = Effort::Quick,
                "--json" => options.json = Some(value()?.into()),
                "--document" => options.document = Some(value()?.into()),
                "--list" => options.list = true,
                "--check" => options.check = true,
                "--only" => options.only.push(workloads::find(value()?, true)?.name),
                word => match Part::of(word) {
                    Some(part) => options.parts.push(part),
                    None => return Err(Failure::usage(format!("no part or option `{word}`"))),
                },
            }
        }
        if options.parts.is_empty() && options.only.is_empty() {
            let all = Part::ALL.iter().map(|(_, part)| *part);
            options.parts = all.filter(|part| *part != Part::Build).collect();
        }
        Ok(options)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &[&str]) -> Result<Options, Failure> {
        Options::parse(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read() {
        let all = parse(&["--quick", "--json", "out.json"]).unwrap();
        assert_eq!(all.parts, [Part::Stdio, Part::Http, Part::Growth, Part::Memory]);
        assert_eq!((all.effort, all.json), (Effort::Quick, Some(PathBuf::from("out.json"))));
        let one = parse(&["--only", "call-1", "--only", "call-64"]).unwrap();
        assert_eq!((one.parts.len(), one.only), (0, vec!["call-1".to_string(), "call-64".into()]));
        assert_eq!(parse(&["build", "http"]).unwrap().parts, [Part::Build, Part::Http]);
        for wrong in [&["--only"][..], &["--only", "no-such"], &["--fast"], &["no-part"]] {
            assert_eq!(parse(wrong).err().map(|failure| failure.exit_code()), Some(2), "{wrong:?}");
        }
    }
}
