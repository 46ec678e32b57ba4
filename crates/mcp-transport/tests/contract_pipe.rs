//! The kit passes transports that keep the contract, and catches those that break a clause of it.

mod support;

use mcp_transport::contract::check_pipe;
use support::{LengthPrefixed, Memory};

#[tokio::test]
async fn the_memory_pair_keeps_the_contract() {
    check_pipe(&Memory).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_transport_of_the_documentation_keeps_the_contract() {
    check_pipe(&LengthPrefixed).await.unwrap();
}
