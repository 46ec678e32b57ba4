use std::future::Future;

use crate::Options;

/// Why a driver, or what it measures, failed.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A client under measurement. Each operation checks what it got, in full where that costs little: none wins by skipping
/// work.
pub trait Driver: Sized + Send + Sync + 'static {
    /// Its name in the report.
    const NAME: &'static str;

    /// Starts the server, unless there is a URL of one, and returns once calls can be made.
    fn connect(options: &Options) -> impl Future<Output = Result<Self, Failure>> + Send;

    /// Calls `echo` with [`expected::message`](crate::expected::message) of `index`.
    fn echo(&self, index: u64) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Calls `payload`, and gets a text of `size` bytes.
    fn payload(&self, size: usize) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Calls `progress`, which reports progress `count` times. How many reports were lost.
    fn progress(&self, count: u64) -> impl Future<Output = Result<u64, Failure>> + Send;

    /// Lists `count` tools.
    fn list(&self, count: usize) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Calls `hang`, which is never answered.
    fn hang(&self) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Calls `flood`, during which the server sends `count` messages of 1 KiB: log messages, reports of progress that nobody
    /// reads in time, changes of its list, and pings. What is lost of them is the SDK's affair.
    fn flood(&self, count: u64) -> impl Future<Output = Result<(), Failure>> + Send;

    /// Ends the server, if this started it.
    fn close(self) -> impl Future<Output = ()> + Send;
}
