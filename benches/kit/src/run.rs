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
    time::{sleep, timeout},
};

use crate::{
    Driver, Failure, Options, Workload,
    allocations::Allocations,
    measure::{self, Mark, Used},
    report::{self, Latencies, Report},
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
    if options.workload == Workload::Idle {
        return idle::<D>(&options).await;
    }
    let driver = Arc::new(D::connect(&options).await?);
    if options.known > 0 {
        driver.list(options.known).await?;
    }
    if options.workload == Workload::Start {
        driver.echo(0).await?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "ready")?;
        out.flush()?;
    } else {
        repeat(&driver, &options, options.warmup).await?;
        let memory_before = measure::memory();
        let Repeated { used, latencies, lost } = repeat(&driver, &options, options.operations).await?;
        let operations = units(&options);
        report::write(Report { driver: D::NAME, operations, used, latencies, lost, memory_before });
    }
    if let Some(driver) = Arc::into_inner(driver) {
        driver.close().await;
    }
    Ok(())
}

/// Each operation is a client of its own, kept until all are there.
async fn idle<D: Driver>(options: &Options) -> Result<(), Failure> {
    // A client goes on working for a moment after a call.
    const SETTLED: Duration = Duration::from_millis(300);
    let mut clients = Vec::with_capacity((options.warmup + options.operations) as usize);
    for index in 0..options.warmup {
        clients.push(client::<D>(options, index).await?);
    }
    sleep(SETTLED).await;
    let (mark, memory_before) = (Mark::now(), measure::memory());
    for index in 0..options.operations {
        clients.push(client::<D>(options, index).await?);
    }
    sleep(SETTLED).await;
    let used = mark.used();
    let operations = options.operations;
    report::write(Report {
        driver: D::NAME,
        operations,
        used,
        latencies: Vec::new(),
        lost: 0,
        memory_before,
    });
    for client in clients {
        client.close().await;
    }
    Ok(())
}

async fn client<D: Driver>(options: &Options, index: u64) -> Result<D, Failure> {
    let client = D::connect(options).await?;
    client.echo(index).await?;
    Ok(client)
}

/// What one operation is. Of progress, a report, not the call that asks for it; of a flood, a message.
fn units(options: &Options) -> u64 {
    match options.workload {
        Workload::Progress | Workload::Flood => options.operations * options.size as u64,
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
    let every = operations / SAMPLES + 1;
    let room = (operations / every) as usize / tasks * 2 + 16;
    let rooms: Vec<Latencies> = (0..tasks).map(|_| Vec::with_capacity(room)).collect();
    let mark = Mark::now();
    let running: Vec<_> = rooms
        .into_iter()
        .map(|latencies| {
            let (driver, next) = (Arc::clone(driver), Arc::clone(&next));
            tokio::spawn(work(driver, options.clone(), Share { operations, every, next }, latencies))
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

/// What the tasks of a run share.
struct Share {
    operations: u64,
    /// Every so many operations, the time that one took is kept.
    every: u64,
    next: Arc<AtomicU64>,
}

/// How many of them are kept at most: a long run is not to fill the memory that it measures.
const SAMPLES: u64 = 20_000;

async fn work<D: Driver>(
    driver: Arc<D>,
    options: Options,
    share: Share,
    mut latencies: Latencies,
) -> Result<(Latencies, u64), Failure> {
    let mut lost = 0;
    loop {
        let index = share.next.fetch_add(1, Relaxed);
        if index >= share.operations {
            return Ok((latencies, lost));
        }
        let begun = Instant::now();
        match options.workload {
            Workload::Echo | Workload::Start | Workload::Idle => driver.echo(index).await?,
            Workload::Payload => driver.payload(options.size).await?,
            Workload::Progress => lost += driver.progress(options.size as u64).await?,
            Workload::List => driver.list(options.size).await?,
            Workload::Cancel => cancelled(&*driver, index).await?,
            Workload::Flood => driver.flood(options.size as u64).await?,
        }
        if index.is_multiple_of(share.every) {
            latencies.push(u32::try_from(begun.elapsed().as_nanos()).unwrap_or(u32::MAX));
        }
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
