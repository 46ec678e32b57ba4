//! Calls that are more than one request and its answer.

use std::sync::Arc;

use bytes::Bytes;

use super::{Mode, RawCall, retrying::Retrying, rounds::run};
use crate::{Error, ErrorKind, Result, output::Judged, session::Slot, task::Later};

pub(super) type Long = Later<'static, Result<Bytes>>;

/// Makes a call and gives its raw result. Not generic, so that it is compiled once.
///
/// What is rare is on the heap, so that this is small.
pub(super) fn perform(mut call: RawCall, slot: Arc<Slot>, mode: Mode) -> Long {
    Box::pin(async move {
        let _end = EndOnDrop(&slot);
        let skipped = call.options.client.0.session.skipped();
        let retrying = Retrying::of(&call, mode).map(Box::new);
        let judged = Judged::of(&call).map(Box::new);
        let done = match (run(&mut call, &slot, mode).await, retrying) {
            (Err(error), Some(retrying)) => retrying.go_on(error, &slot, mode).await,
            (done, _) => done,
        };
        let done = match judged {
            Some(judged) => done.and_then(|result| judged.judge(result)),
            None => done,
        };
        done.map_err(|error| told(error, &call, skipped))
    })
}

/// Whoever reads the reports of a call learns that it is over, however it ends.
struct EndOnDrop<'a>(&'a Slot);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

/// The error of `call`, as its caller is told. `skipped`: how much input was no message before the call.
pub(super) fn told(error: Error, call: &RawCall, skipped: u64) -> Error {
    let session = &call.options.client.0.session;
    let error = error.of_method(&call.method).with_total(call.options.total);
    if error.kind() != ErrorKind::Timeout || session.skipped() <= skipped {
        return error;
    }
    match session.last_skipped() {
        // Perhaps that was the answer.
        Some(last) => error.with_context(format!("meanwhile the server wrote what is no message: {last}")),
        None => error,
    }
}
