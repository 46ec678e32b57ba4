use super::{Measure, Workload};

/// A quick run is to end within minutes, and shows the same, less far.
pub(super) fn workloads(quick: bool) -> Vec<Workload> {
    let (soak, cancelled, flood) =
        if quick { (500_000, 20_000, 100_000) } else { (10_000_000, 100_000, 1_000_000) };
    let mut soak = one(
        "soak",
        format!("{soak} calls, 64 at once"),
        &["--workload", "echo", "--era", "legacy", "--concurrency", "64"],
    )
    .operations(soak);
    soak.drivers = &["ours"];
    let mut cancelled = one(
        "cancelled",
        format!("{cancelled} calls, each dropped before or after it left, never answered"),
        &["--workload", "cancel", "--era", "legacy", "--concurrency", "64"],
    )
    .operations(cancelled);
    // A tenth of its own as before; an SDK that keeps something of each shows it.
    cancelled.warmup = cancelled.operations / 10;
    let floods = [("flood-small", flood / 10), ("flood-large", flood)].map(|(name, count)| {
        one(
            name,
            format!("{count} messages of 1 KiB that nobody asked for, during one call"),
            &["--workload", "flood", "--era", "legacy"],
        )
        .size("--size", count)
    });
    let mut workloads = vec![soak, cancelled];
    workloads.extend(floods.map(|mut flood| {
        flood.warmup = 0;
        flood
    }));
    workloads
}

fn one(name: &str, what: String, arguments: &[&'static str]) -> Workload {
    Workload::new(name, what, arguments).measure(Measure::Memory)
}
