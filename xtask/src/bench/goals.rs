use super::{build::Built, growth::Curve, summary::Summary};

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
    /// What our memory may grow by during the workload, in KiB.
    Growth(f64),
    /// Our peak, and how much higher than on another workload, both in KiB.
    Peak(f64, &'static str, f64),
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
    Goal { workload: "http-1", limit: Limit::Ratio(1.3) },
    Goal { workload: "http-64", limit: Limit::Ratio(1.3) },
    Goal { workload: "http-64-sse", limit: Limit::Ratio(1.5) },
    Goal { workload: "http-idle", limit: Limit::Ratio(2.0) },
    Goal { workload: "http-start", limit: Limit::Ratio(1.3) },
    Goal { workload: "soak", limit: Limit::Growth(2048.0) },
    Goal { workload: "cancelled", limit: Limit::Growth(2048.0) },
    Goal { workload: "flood-large", limit: Limit::Peak(64.0 * 1024.0, "flood-small", 8.0 * 1024.0) },
];

/// How much dearer the far end of a series may be than its cheapest point, beyond the growth of the floor: what caches and memory
/// cost there is not ours to choose.
const SERIES_GROWTH: f64 = 1.3;

/// What our build may cost, and our program weigh, as a multiple of rmcp's.
const BUILD: f64 = 0.5;

/// Whether one goal holds.
pub(super) struct Verdict {
    pub(super) workload: String,
    pub(super) wanted: String,
    pub(super) found: String,
    pub(super) holds: bool,
}

/// Judges the goals whose workloads were run.
pub(super) fn judge(summary: &Summary, curves: &[Curve], built: Option<&Built>) -> Vec<Verdict> {
    let workloads = GOALS.iter().filter_map(|goal| verdict(goal, summary));
    workloads.chain(curves.iter().filter_map(flat)).chain(built.into_iter().flat_map(small)).collect()
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
        Limit::Growth(limit) => {
            let ours = summary.row(workload)?.of_driver("ours")?;
            let grown = ours.memory - ours.memory_before;
            let wanted = format!("memory grows by at most {:.0} MiB after the first tenth", limit / 1024.0);
            let found = format!("{:.1} MiB, to {:.1} MiB", grown / 1024.0, ours.memory / 1024.0);
            (wanted, found, grown <= limit)
        }
        Limit::Peak(limit, other, more) => {
            let peak = |name: &str| Some(summary.row(name)?.of_driver("ours")?.peak);
            let (ours, small) = (peak(workload)?, peak(other)?);
            let wanted = format!(
                "peak of at most {:.0} MiB, and {:.0} MiB over that of a tenth",
                limit / 1024.0,
                more / 1024.0
            );
            let found = format!("{:.1} MiB, {:.1} MiB", ours / 1024.0, small / 1024.0);
            (wanted, found, ours <= limit && ours <= small + more)
        }
    };
    Some(Verdict { workload: workload.into(), wanted, found, holds })
}

fn flat(curve: &Curve) -> Option<Verdict> {
    let (ours, floor) = (curve.line("ours")?, curve.line("floor")?);
    let far = ours.last()? / floor.last()?;
    let (ours, floor) = (ours.growth()?, floor.growth()?);
    let wanted = format!(
        "per {}, at the far end at most {SERIES_GROWTH} x the least, times floor's growth",
        curve.per
    );
    Some(Verdict {
        workload: curve.name.into(),
        wanted,
        found: format!("{ours:.2}, floor {floor:.2}; {far:.2} x floor there"),
        holds: ours <= SERIES_GROWTH * floor.max(1.0),
    })
}

fn small(built: &Built) -> Vec<Verdict> {
    let verdict = |name: &str, what: &str, ours: f64, rmcp: f64| Verdict {
        workload: name.into(),
        wanted: format!("{what}: at most {BUILD} x rmcp"),
        found: format!("{:.2}", ours / rmcp),
        holds: ours / rmcp <= BUILD,
    };
    let (ours, rmcp) = (&built.ours, &built.rmcp);
    vec![
        verdict("build", "CPU of a clean release build", ours.clean, rmcp.clean),
        verdict("build", "stripped size", ours.size as f64, rmcp.size as f64),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::bench::{growth::Line, rounds::Measured, summary::Row, workloads};

    fn summary(name: &str, floor: f64, ours: f64) -> Summary {
        let workload = workloads::find(name, true).unwrap();
        let report = |figure: f64| vec![json!({ "cpu_ns": figure, "memory_kib": figure })];
        let measured = Measured { workload, rounds: vec![report(floor), report(ours), report(1.0)] };
        Summary(vec![Row::of(&measured)])
    }

    #[test]
    fn a_goal_holds_or_is_missed_and_without_figures_there_is_no_verdict() {
        let holds = |ours| {
            let verdicts = judge(&summary("call-64", 10.0, ours), &[], None);
            assert_eq!(verdicts.len(), 1);
            verdicts[0].holds
        };
        assert!(holds(12.9) && holds(13.0));
        assert!(!holds(13.1));
        assert!(judge(&Summary::default(), &[], None).is_empty());
    }

    #[test]
    fn a_series_may_grow_as_the_floor_does() {
        let holds = |floor: [f64; 2], ours: [f64; 2]| {
            let line =
                |driver, costs: [f64; 2]| Line { driver, points: vec![(1.0, costs[0]), (10.0, costs[1])] };
            let curve = Curve {
                name: "size",
                title: "",
                along: "",
                per: "KiB",
                lines: vec![line("floor", floor), line("ours", ours)],
            };
            judge(&Summary::default(), &[curve], None)[0].holds
        };
        assert!(holds([10.0, 10.0], [10.0, 13.0]));
        assert!(!holds([10.0, 10.0], [10.0, 13.1]));
        assert!(holds([10.0, 20.0], [10.0, 26.0]));
        assert!(!holds([10.0, 20.0], [2.0, 5.3]));
        assert!(holds([20.0, 10.0], [10.0, 13.0]));
        assert!(!holds([20.0, 10.0], [10.0, 13.1]));
    }

    #[test]
    fn every_goal_has_its_workload() {
        for goal in GOALS {
            assert!(workloads::find(goal.workload, true).is_ok(), "{}", goal.workload);
        }
    }
}
