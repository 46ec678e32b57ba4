use super::Workload;

/// How a cost grows with one thing.
#[derive(Debug)]
pub(in crate::bench) struct Series {
    pub(in crate::bench) name: &'static str,
    pub(in crate::bench) title: &'static str,
    /// What grows.
    pub(in crate::bench) along: &'static str,
    /// What the CPU time is divided by.
    pub(in crate::bench) per: &'static str,
    pub(in crate::bench) points: Vec<Point>,
}

/// One place of a series.
#[derive(Debug)]
pub(in crate::bench) struct Point {
    pub(in crate::bench) at: u64,
    pub(in crate::bench) workload: Workload,
    /// How many of what is paid for one operation has.
    pub(in crate::bench) parts: u64,
}

pub(super) fn series() -> Vec<Series> {
    vec![in_flight(), size(), received(), listed(), known()]
}

const ECHO: &[&str] = &["--workload", "echo", "--era", "legacy"];
const ECHO_64: &[&str] = &["--workload", "echo", "--era", "legacy", "--concurrency", "64"];

fn in_flight() -> Series {
    let point = |at: u64| Point {
        at,
        workload: Workload::new(format!("in-flight-{at}"), format!("{at} calls at once"), ECHO)
            .size("--concurrency", at)
            .operations((5 * at).max(20_000)),
        parts: 1,
    };
    Series {
        name: "in-flight",
        title: "Calls in flight",
        along: "calls at once",
        per: "call",
        points: [1, 10, 100, 1_000, 10_000].map(point).into(),
    }
}

fn size() -> Series {
    let point = |at: u64| Point {
        at,
        workload: Workload::new(
            format!("size-{at}"),
            format!("results of {at} bytes"),
            &["--workload", "payload"],
        )
        .size("--size", at)
        .operations(((32 << 20) / at).clamp(4, 4_000))
        .settled(),
        parts: at.div_ceil(1024),
    };
    Series {
        name: "size",
        title: "Size of a result",
        along: "bytes",
        per: "KiB",
        // rmcp refuses lines of 16 MiB.
        points: [1 << 10, 1 << 13, 1 << 16, 1 << 19, 1 << 22, (1 << 24) - 4096].map(point).into(),
    }
}

fn received() -> Series {
    let point = |at: u64| {
        let what = format!("64 calls at once, after {at} calls");
        let mut workload = Workload::new(format!("received-{at}"), what, ECHO_64).operations(20_000);
        workload.warmup = at;
        Point { at, workload, parts: 1 }
    };
    Series {
        name: "received",
        title: "Messages received before",
        along: "messages",
        per: "call",
        points: [1_000, 10_000, 100_000, 500_000].map(point).into(),
    }
}

fn listed() -> Series {
    let point = |at: u64| Point {
        at,
        workload: Workload::new(
            format!("listed-{at}"),
            format!("a page of {at} tools"),
            &["--workload", "list"],
        )
        .size("--size", at)
        .operations((20_000 / at).clamp(4, 1_000))
        .settled(),
        parts: at,
    };
    Series {
        name: "listed",
        title: "Tools on a page",
        along: "tools",
        per: "tool",
        points: [10, 100, 1_000, 10_000].map(point).into(),
    }
}

fn known() -> Series {
    let point = |at: u64| Point {
        at,
        workload: Workload::new(
            format!("known-{at}"),
            format!("64 calls at once, after a list of {at} tools"),
            ECHO_64,
        )
        .size("--known", at)
        .operations(20_000),
        parts: 1,
    };
    Series {
        name: "known",
        title: "Tools listed before",
        along: "tools",
        per: "call",
        points: [10, 100, 1_000, 10_000].map(point).into(),
    }
}
