use std::{
    env,
    io::Write as _,
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::{Duration, Instant},
};

use tokio::{
    runtime::{Builder, Runtime},
    time::timeout,
};

use crate::{
    Driver, Failure, Options, Workload,
    allocations::Allocations,
    measure::{Mark, Used},
    report::{self, Latencies},
};

/// The whole of a driver's program.
pub fn main<D: Driver>() -> ExitCode {
    let outcome = Options::parse(env::args().skip(1)).and_then(|options| {
        let runtime = runtime(options.threads)?;
        if options.allocations {
            Allocations::start_counting();
        }
        // In a task, as in an application: what `block_on` polls itself is woken in another way.
        runtime.block_on(async { tokio::spawn(run::<D>(options)).await? })
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", D::NAME);
            ExitCode::FAILURE
        }
    }
}

fn runtime(threads: usize) -> std::io::Result<Runtime> {
    match threads {
        0 => Builder::new_multi_thread().enable_all().build(),
        1 => Builder::new_current_thread().enable_all().build(),
        more => Builder::new_multi_thread().worker_threads(more).enable_all().build(),
    }
}

async fn run<D: Driver>(options: Options) -> Result<(), Failure> {
    let driver = Arc::new(D::connect(&options).await?);
    if options.workload == Workload::Start {
        driver.echo(0).await?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "ready")?;
        out.flush()?;
    } else {
        repeat(&driver, &options, options.warmup).await?;
        let Repeated { used, latencies, lost } = repeat(&driver, &options, options.operations).await?;
        report::write(D::NAME, units(&options), used, latencies, lost);
    }
    if let Some(driver) = Arc::into_inner(driver) {
        driver.close().await;
    }
    Ok(())
}

/// What one operation is. Of progress, a report, not the call that asks for it.
fn units(options: &Options) -> u64 {
    match options.workload {
        Workload::Progress => options.operations * options.size as u64,
        _ => options.operations,
    }
}

struct Repeated {
    used: Used,
    latencies: Latencies,
    lost: u64,
}

async fn repeat<D: Driver>(driver: &Arc<D>, options: &Options, operations: u64) -> Result<Repeated, Failure> {
    let tasks = options.concurrency.max(1);
    let next = Arc::new(AtomicU64::new(0));
    let room = operations as usize / tasks * 2 + 16;
    let rooms: Vec<Latencies> = (0..tasks).map(|_| Vec::with_capacity(room)).collect();
    let mark = Mark::now();
    let running: Vec<_> = rooms
        .into_iter()
        .map(|latencies| {
            let (driver, next) = (Arc::clone(driver), Arc::clone(&next));
            tokio::spawn(work(driver, options.clone(), operations, next, latencies))
        })
        .collect();
    let mut parts = Vec::with_capacity(tasks);
    for task in running {
        parts.push(task.await??);
    }
    let used = mark.used();
    let lost = parts.iter().map(|(_, lost)| lost).sum();
    Ok(Repeated { used, latencies: parts.into_iter().flat_map(|(latencies, _)| latencies).collect(), lost })
}

async fn work<D: Driver>(
    driver: Arc<D>,
    options: Options,
    operations: u64,
    next: Arc<AtomicU64>,
    mut latencies: Latencies,
) -> Result<(Latencies, u64), Failure> {
    let mut lost = 0;
    loop {
        let index = next.fetch_add(1, Relaxed);
        if index >= operations {
            return Ok((latencies, lost));
        }
        let begun = Instant::now();
        match options.workload {
            Workload::Echo | Workload::Start => driver.echo(index).await?,
            Workload::Payload => driver.payload(options.size).await?,
            Workload::Progress => lost += driver.progress(options.size as u64).await?,
            Workload::List => driver.list(options.size).await?,
            Workload::Cancel => cancelled(&*driver, index).await?,
        }
        latencies.push(u32::try_from(begun.elapsed().as_nanos()).unwrap_or(u32::MAX));
    }
}

/// A call that is dropped: every second one before it has left, the others while the server has it.
async fn cancelled<D: Driver>(driver: &D, index: u64) -> Result<(), Failure> {
    let wait = if index.is_multiple_of(2) { Duration::ZERO } else { Duration::from_micros(200) };
    match timeout(wait, driver.hang()).await {
        Ok(outcome) => outcome.and(Err("a call was answered that cannot be".into())),
        Err(_) => Ok(()),
    }
}
