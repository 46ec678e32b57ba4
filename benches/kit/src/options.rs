use std::{path::PathBuf, str::FromStr};

use crate::Failure;

/// The command line of every driver.
#[derive(Debug, Clone)]
pub struct Options {
    /// The server to start.
    pub server: PathBuf,
    /// The server that runs already, over Streamable HTTP; then none is started.
    pub url: Option<String>,
    pub era: Era,
    pub workload: Workload,
    /// How many operations are measured.
    pub operations: u64,
    /// How many operations run before.
    pub warmup: u64,
    /// How many operations run at once.
    pub concurrency: usize,
    /// Bytes of a payload, progress reports of a call, tools of a list.
    pub size: usize,
    /// Tools of a page; 0: all in one.
    pub page: usize,
    /// How many tools are listed before anything else.
    pub known: usize,
    /// Worker threads; 0: as many as the runtime takes by default; 1: a runtime of one thread.
    pub threads: usize,
    /// Count allocations. They are counted for the whole process: use one thread.
    pub allocations: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Era {
    /// 2025-11-25.
    Legacy,
    /// 2026-07-28.
    Modern,
    /// Whatever the SDK negotiates when nothing is said.
    Default,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Workload {
    Echo,
    Payload,
    Progress,
    List,
    /// Connects, makes one call, and says so: the caller has the watch.
    Start,
    /// Calls that are dropped before their answer.
    Cancel,
    /// Calls during which the server sends what nobody asked for.
    Flood,
    /// Clients that have made one call, and wait. Each operation is a client.
    Idle,
}

impl Options {
    pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut options = Self {
            server: PathBuf::new(),
            url: None,
            era: Era::Legacy,
            workload: Workload::Echo,
            operations: 1,
            warmup: 0,
            concurrency: 1,
            size: 0,
            page: 0,
            known: 0,
            threads: 0,
            allocations: false,
        };
        while let Some(name) = words.next() {
            if name == "--allocations" {
                options.allocations = true;
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{name} needs a value"))?;
            match name.as_str() {
                "--server" => options.server = value.into(),
                "--url" => options.url = Some(value),
                "--era" => options.era = value.parse()?,
                "--workload" => options.workload = value.parse()?,
                "--operations" => options.operations = value.parse()?,
                "--warmup" => options.warmup = value.parse()?,
                "--concurrency" => options.concurrency = value.parse()?,
                "--size" => options.size = value.parse()?,
                "--page" => options.page = value.parse()?,
                "--known" => options.known = value.parse()?,
                "--threads" => options.threads = value.parse()?,
                _ => return Err(format!("no option {name}").into()),
            }
        }
        Ok(options)
    }

    /// The arguments of the server that a driver starts.
    pub fn server_arguments(&self) -> Vec<String> {
        let tools = if self.workload == Workload::List { self.size } else { self.known };
        if tools == 0 {
            return Vec::new();
        }
        let page = if self.page == 0 { tools } else { self.page };
        vec!["--tools".into(), tools.to_string(), "--page".into(), page.to_string()]
    }
}

impl FromStr for Era {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        match text {
            "legacy" => Ok(Self::Legacy),
            "modern" => Ok(Self::Modern),
            "default" => Ok(Self::Default),
            _ => Err(format!("no era {text}").into()),
        }
    }
}

impl FromStr for Workload {
    type Err = Failure;

    fn from_str(text: &str) -> Result<Self, Failure> {
        match text {
            "echo" => Ok(Self::Echo),
            "payload" => Ok(Self::Payload),
            "progress" => Ok(Self::Progress),
            "list" => Ok(Self::List),
            "start" => Ok(Self::Start),
            "cancel" => Ok(Self::Cancel),
            "flood" => Ok(Self::Flood),
            "idle" => Ok(Self::Idle),
            _ => Err(format!("no workload {text}").into()),
        }
    }
}
