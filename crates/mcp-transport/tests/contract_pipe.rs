//! The kit passes transports that keep the contract, and catches those that break a clause of it.

mod support;

use mcp_transport::contract::{
    Clause, Violation, check_pipe,
    pipe::{connect_can_be_dropped, connect_can_be_repeated, dropped_closer_needs_no_runtime},
};
use support::{
    LengthPrefixed, Memory,
    faulty::{Fault, Faulty},
};

#[tokio::test]
async fn the_memory_pair_keeps_the_contract() {
    check_pipe(&Memory).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_transport_of_the_documentation_keeps_the_contract() {
    check_pipe(&LengthPrefixed).await.unwrap();
}

/// The wrapper that the faults are in is none by itself.
#[tokio::test(start_paused = true)]
async fn without_a_fault_the_faulty_transport_keeps_the_contract() {
    check_pipe(&Faulty::new(Fault::None)).await.unwrap();
}

#[track_caller]
fn breaks(outcome: Result<(), Violation>, clause: Clause, words: &str) {
    let violation = outcome.expect_err("the fault was not noticed");
    let text = violation.to_string();
    assert_eq!(violation.clause(), clause, "{text}");
    assert!(text.contains(words), "{text}");
}

macro_rules! caught {
    ($($name:ident: $fault:ident breaks $clause:ident, $words:literal;)*) => {$(
        #[tokio::test(start_paused = true)]
        async fn $name() {
            breaks(check_pipe(&Faulty::new(Fault::$fault)).await, Clause::$clause, $words);
        }
    )*};
}

caught! {
    order_of_sending: SendsOutOfOrder breaks Send, r#"expected {"jsonrpc":"2.0","method":"notifications/check","params":{"n":1"#;
    rest_of_the_batch: LeavesEntriesInTheBatch breaks Send, "left";
    lost_message: LosesOneMessageInAThousand breaks Send, r#""n":"#;
    restored_batch: PutsBackWhatLeft breaks Send, "5 messages arrived, but a failed send left all but 0";
    emptied_batch: TakesWhatCannotLeave breaks Send, "took a message that cannot leave";
    ignored_close: IgnoresClose breaks Close, "hangs: the peer waiting for the end after `Close`";
    unflushed_close: LosesTheLastMessageAtClose breaks Close, "the peer saw the end before";
    open_after_close: SendsIntoTheVoidAfterClose breaks Close, "a send after `Close` succeeded";
    hidden_failure: HidesFailedSends breaks Ended, "no send failed";
    hanging_failure: HangsInFailedSends breaks Ended, "hangs: a send to a peer that is gone";
    wrong_fate: SaysRefusedOfALostPeer breaks Delivery, "refused nothing";
    deadlock: HoldsTheReceiverBackWhileSending breaks Receive, "hangs";
    large_message: LosesLargeMessages breaks SameJson, "expected";
    rounded_number: RoundsNumbers breaks SameJson, "9223372036854775808";
    line_break: CutsAtLineBreaks breaks SameJson, "pretty";
    empty_receive: AppendsNothing breaks Receive, "appended nothing";
    order_of_receiving: ReceivesOutOfOrder breaks Receive, "expected";
    lost_batch: LosesBatches breaks SameJson, "expected";
    hidden_junk: HidesJunk breaks Skip, "Server starting...";
    fatal_junk: EndsAtJunk breaks Skip, "Server starting...";
    hang_at_the_end: HangsAtTheEnd breaks Ended, "hangs: `recv` after the end of the link, the first time";
    hang_after_the_end: HangsAfterTheEnd breaks Ended, "hangs: `recv` after the end of the link, the second time";
    leak: LivesOnWhenDropped breaks Dropped, "a fresh link was dropped";
    closer_that_hangs: CloserHangs breaks Closer, "hangs: `Closer::close`";
}

#[tokio::test(start_paused = true)]
async fn closer_that_needs_a_runtime() {
    let outcome = dropped_closer_needs_no_runtime(&Faulty::new(Fault::CloserNeedsARuntime)).await;
    breaks(outcome, Clause::Closer, "panicked");
}

#[tokio::test(start_paused = true)]
async fn one_connect() {
    let outcome = connect_can_be_repeated(&Faulty::new(Fault::ConnectsOnce)).await;
    breaks(outcome, Clause::Connect, "no link was made");
}

#[tokio::test(start_paused = true)]
async fn crossed_links() {
    let outcome = connect_can_be_repeated(&Faulty::new(Fault::CrossesLinks)).await;
    breaks(outcome, Clause::Connect, "hangs: the peer receiving");
}

#[tokio::test(start_paused = true)]
async fn poisoned_connect() {
    let rig = Faulty::new(Fault::IsPoisonedByADroppedConnect);
    breaks(connect_can_be_dropped(&rig).await, Clause::Connect, "no link was made");
}
