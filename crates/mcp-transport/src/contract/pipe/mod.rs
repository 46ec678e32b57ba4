//! The checks of a pipe. Each opens its own links and may be run by itself.

mod content;
mod ends;
mod flow;
mod links;

pub use content::{batches_arrive_split, json_survives, junk_is_skipped, large_messages_pass};
pub use ends::{close_flushes_and_ends, failed_send_keeps_what_never_left, peer_closes, peer_is_cut};
pub use flow::{full_directions_do_not_wait_for_each_other, many_small_messages_pass, order_is_kept};
pub use links::{
    closer_ends_in_time, connect_can_be_dropped, connect_can_be_repeated, dropped_closer_needs_no_runtime,
    dropped_link_ends,
};

use super::{Rig, Violation};

/// Runs every check of a pipe on `rig`.
///
/// # Errors
/// The first violation.
pub async fn check_pipe<R: Rig>(rig: &R) -> Result<(), Violation> {
    order_is_kept(rig).await?;
    many_small_messages_pass(rig).await?;
    large_messages_pass(rig).await?;
    json_survives(rig).await?;
    if rig.carries_text() {
        batches_arrive_split(rig).await?;
        junk_is_skipped(rig).await?;
    }
    full_directions_do_not_wait_for_each_other(rig).await?;
    close_flushes_and_ends(rig).await?;
    peer_closes(rig).await?;
    peer_is_cut(rig).await?;
    failed_send_keeps_what_never_left(rig).await?;
    dropped_link_ends(rig).await?;
    closer_ends_in_time(rig).await?;
    dropped_closer_needs_no_runtime(rig).await?;
    if rig.repeatable() {
        connect_can_be_repeated(rig).await?;
        connect_can_be_dropped(rig).await?;
    }
    Ok(())
}
