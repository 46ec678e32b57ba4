use super::summary::Summary;

/// What we want to hold.
struct Goal {
    workload: &'static str,
    limit: Limit,
}

enum Limit {
    /// Ours, as a multiple of the floor's.
    Ratio(f64),
    /// Ours, as it is.
    Count(f64),
    /// Ours, as a multiple of what we need on another workload; and a smaller multiple than the floor's own.
    Against(&'static str, f64),
}

const GOALS: &[Goal] = &[
    Goal { workload: "call-1", limit: Limit::Ratio(1.4) },
    Goal { workload: "call-64", limit: Limit::Ratio(1.3) },
    Goal { workload: "result-1m", limit: Limit::Ratio(0.9) },
    Goal { workload: "result-16m", limit: Limit::Ratio(0.9) },
    Goal { workload: "progress", limit: Limit::Ratio(2.0) },
    Goal { workload: "list", limit: Limit::Ratio(1.6) },
    Goal { workload: "start", limit: Limit::Ratio(1.1) },
    Goal { workload: "allocs", limit: Limit::Count(14.0) },
    Goal { workload: "allocs-modern", limit: Limit::Count(16.0) },
    Goal { workload: "call-1-modern", limit: Limit::Against("call-1", 1.3) },
    Goal { workload: "call-64-modern", limit: Limit::Against("call-64", 1.3) },
];

/// Whether one goal holds.
pub(super) struct Verdict {
    pub(super) workload: &'static str,
    pub(super) wanted: String,
    pub(super) found: String,
    pub(super) holds: bool,
}

/// Judges the goals whose workloads were run.
pub(super) fn judge(summary: &Summary) -> Vec<Verdict> {
    GOALS.iter().filter_map(|goal| verdict(goal, summary)).collect()
}

fn verdict(goal: &Goal, summary: &Summary) -> Option<Verdict> {
    let workload = goal.workload;
    let (wanted, found, holds) = match goal.limit {
        Limit::Ratio(limit) => {
            let ratio = summary.ratio(workload, "ours")?;
            (format!("at most {limit} x floor"), format!("{ratio:.2}"), ratio <= limit)
        }
        Limit::Count(limit) => {
            let count = summary.compared(workload, "ours")?;
            (format!("at most {limit}"), format!("{count:.1}"), count <= limit)
        }
        Limit::Against(other, limit) => {
            let of = |driver| Some(summary.compared(workload, driver)? / summary.compared(other, driver)?);
            let (ours, floor): (f64, f64) = (of("ours")?, of("floor")?);
            let wanted = format!("at most {limit} x {other}, and less than floor's own");
            (wanted, format!("{ours:.2}, floor {floor:.2}"), ours <= limit && ours < floor)
        }
    };
    Some(Verdict { workload, wanted, found, holds })
}
