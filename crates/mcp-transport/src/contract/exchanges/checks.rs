use std::collections::VecDeque;

use bytes::Bytes;
use mcp_types::Revision;

use super::{
    ExchangeRig, FarExchange, FarServer,
    run::{Running, open},
};
use crate::{
    Delivery, ExchangeEnd, Outbound, OutboundMessage, RawMessage, Sender,
    contract::{
        Clause, Violation,
        bench::{PRETTY, bounded, note, notes, odd_messages, same},
    },
};

/// Clauses 6, 7 and 10: a request arrives with its headers, its reply comes back, and the exchange is complete.
///
/// # Errors
/// The violation.
pub async fn reply_ends_the_exchange<R: ExchangeRig>(rig: &R) -> Result<(), Violation> {
    let mut bench = open(rig).await?;
    let mut out = OutboundMessage::from(RawMessage::request("first", "tools/call", Some(PRETTY.into())));
    out.headers.push(("Mcp-Param-Check".into(), "a b".into()));
    let (running, exchange) = bench.send(out).await?;
    let header = exchange.header("mcp-param-check");
    if header.as_deref() != Some("a b") {
        let what = format!("the header `Mcp-Param-Check: a b` arrived as {header:?}");
        return Err(Violation::new(Clause::Exchange, what));
    }
    reply(running, exchange, "\"first\"").await
}

/// Clauses 6 and 7: `accepted` comes with the beginning of the response, and each message as the server sends it, not
/// with the end.
///
/// # Errors
/// The violation.
pub async fn messages_come_as_they_are_sent<R: ExchangeRig>(rig: &R) -> Result<(), Violation> {
    let mut bench = open(rig).await?;
    let (mut running, mut exchange) = bench.request(1).await?;
    accept(&mut running, &mut exchange).await?;
    let messages = [
        note(1, 0),
        RawMessage::request(1, "roots/list", None),
        RawMessage::notification("notifications/progress", Some(r#"{"progress":1}"#.into())),
    ];
    for message in messages {
        deliver(Clause::Exchange, &mut running, &mut exchange, &message).await?;
    }
    finish(running, exchange, "1").await
}

/// Clause 10: odd messages arrive as they were sent, but for white space between tokens.
///
/// # Errors
/// The violation.
pub async fn json_survives<R: ExchangeRig>(rig: &R) -> Result<(), Violation> {
    let mut bench = open(rig).await?;
    let (mut running, mut exchange) = bench.request(1).await?;
    accept(&mut running, &mut exchange).await?;
    for message in odd_messages() {
        deliver(Clause::SameJson, &mut running, &mut exchange, &message).await?;
    }
    finish(running, exchange, "1").await
}

/// Clause 10: a message of [`ExchangeRig::large`] bytes passes, both ways.
///
/// # Errors
/// The violation.
pub async fn large_messages_pass<R: ExchangeRig>(rig: &R) -> Result<(), Violation> {
    let mut bench = open(rig).await?;
    let params = note(1, rig.large()).body().cloned();
    let (mut running, mut exchange) = bench.send(RawMessage::request(1, "tools/call", params).into()).await?;
    accept(&mut running, &mut exchange).await?;
    deliver(Clause::SameJson, &mut running, &mut exchange, &note(2, rig.large())).await?;
    finish(running, exchange, "1").await
}

/// Clause 6: a request that is answered late does not hold up a later one, neither before nor after its headers.
///
/// # Errors
/// The violation.
pub async fn exchanges_do_not_wait_for_each_other<R: ExchangeRig>(rig: &R) -> Result<(), Violation> {
    let mut bench = open(rig).await?;
    let silent = bench.request(1).await?;
    let (mut slow, mut slow_far) = bench.request(2).await?;
    accept(&mut slow, &mut slow_far).await?;
    let (running, exchange) = bench.request(3).await?;
    reply(running, exchange, "3").await?;
    finish(slow, slow_far, "2").await?;
    reply(silent.0, silent.1, "1").await
}

/// Clause 8: the server notices that an exchange was dropped: before its response began, and after.
///
/// # Errors
/// The violation.
pub async fn dropped_exchange_is_abandoned<R: ExchangeRig>(rig: &R) -> Result<(), Violation> {
    let mut bench = open(rig).await?;
    let (running, mut exchange) = bench.request(1).await?;
    drop(running);
    bounded(Clause::Abandon, "the server noticing a dropped exchange", exchange.abandoned()).await?;

    let (mut running, mut exchange) = bench.request(2).await?;
    accept(&mut running, &mut exchange).await?;
    deliver(Clause::Exchange, &mut running, &mut exchange, &note(1, 0)).await?;
    drop(running);
    bounded(Clause::Abandon, "the server noticing a dropped response", exchange.abandoned()).await?;

    let (running, exchange) = bench.request(3).await?;
    reply(running, exchange, "3").await
}

/// Clauses 6, 9 and 14: an exchange whose response ends without a reply, or is lost, ends, and its request does not
/// come again.
///
/// # Errors
/// The violation.
pub async fn end_without_reply_ends_and_is_not_repeated<R: ExchangeRig>(rig: &R) -> Result<(), Violation> {
    let mut bench = open(rig).await?;
    for (id, lost) in [(1, false), (2, true)] {
        let (mut running, mut exchange) = bench.request(id).await?;
        accept(&mut running, &mut exchange).await?;
        deliver(Clause::Exchange, &mut running, &mut exchange, &note(1, 0)).await?;
        if lost {
            drop(exchange);
        } else {
            running.during(exchange.end()).await;
        }
        let end = bench.ends_once(&mut running, "the end of an exchange without a reply").await?;
        may_have_run(&end)?;
    }
    let (mut running, exchange) = bench.request(3).await?;
    drop(exchange);
    match bench.ends_once(&mut running, "the end of a request that was lost before its response").await? {
        ExchangeEnd::Failed(error) if error.delivery() == Delivery::MaybeSent => {}
        end => {
            let what = format!("the server had the request and broke off, but the exchange ended as {end:?}");
            return Err(Violation::new(Clause::Delivery, what));
        }
    }
    // If one of them came again, it came before this one.
    let (running, exchange) = bench.request(4).await?;
    reply(running, exchange, "4").await
}

/// Clause 14: a refused request fails as refused, and the link goes on.
///
/// # Errors
/// The violation.
pub async fn refused_request_says_so<R: ExchangeRig>(rig: &R) -> Result<(), Violation> {
    let mut bench = open(rig).await?;
    let (mut running, exchange) = bench.request(1).await?;
    running.during(exchange.refuse()).await;
    match running.end(Clause::Delivery, "the end of a refused request").await? {
        ExchangeEnd::Failed(error) if error.delivery() == Delivery::Refused => {}
        end => {
            let what = format!("a refused request ended as {end:?}");
            return Err(Violation::new(Clause::Delivery, what));
        }
    }
    let (running, exchange) = bench.request(2).await?;
    reply(running, exchange, "2").await
}

/// Clause 1: what belongs to no request arrives, in order, while a request is open.
///
/// # Errors
/// The violation.
pub async fn beside_arrives<R: ExchangeRig>(rig: &R) -> Result<(), Violation> {
    let mut bench = open(rig).await?;
    let (mut running, mut exchange) = bench.request(1).await?;
    accept(&mut running, &mut exchange).await?;
    let mut messages = notes(3, 0);
    messages.push(RawMessage::result(7, "{}".into()));
    let mut batch: VecDeque<Outbound> = messages.iter().cloned().map(Outbound::from).collect();
    batch.push_front(Outbound::Settled(Revision::LATEST_LEGACY));
    let send = bench.beside.sender.send(&mut batch);
    let (outcome, arrived) =
        tokio::join!(bounded(Clause::Send, "a send beside an open request", send), async {
            for message in &messages {
                let next = bench.far.next_beside();
                let frame = bounded(Clause::Send, "the server receiving what was sent beside", next).await?;
                same(Clause::Send, &message.to_vec(), &frame.unwrap_or_default())?;
            }
            Ok(())
        });
    arrived?;
    crate::contract::bench::sent(&outcome?, &batch)?;
    finish(running, exchange, "1").await
}

async fn accept(running: &mut Running, exchange: &mut impl FarExchange) -> Result<(), Violation> {
    let accept = running.during(exchange.accept());
    bounded(Clause::Accepted, "the server beginning its response", accept).await?;
    running.expect_accepted().await
}

/// The server sends `message`, and it is delivered while the exchange goes on.
async fn deliver(
    clause: Clause,
    running: &mut Running,
    exchange: &mut impl FarExchange,
    message: &RawMessage,
) -> Result<(), Violation> {
    let frame = Bytes::from(message.to_vec());
    send(clause, running, exchange, frame.clone()).await?;
    running.expect(clause, &frame).await
}

async fn send(
    clause: Clause,
    running: &mut Running,
    exchange: &mut impl FarExchange,
    frame: Bytes,
) -> Result<(), Violation> {
    let send = running.during(exchange.send(frame));
    bounded(clause, "the server sending in an exchange", send)
        .await?
        .map_err(|error| Violation::new(clause, format!("the server could not send in an exchange: {error}")))
}

/// Begins the response, replies, and ends in order.
async fn reply(mut running: Running, mut exchange: impl FarExchange, id: &str) -> Result<(), Violation> {
    accept(&mut running, &mut exchange).await?;
    finish(running, exchange, id).await
}

/// Replies and ends in order, after the response began.
async fn finish(mut running: Running, mut exchange: impl FarExchange, id: &str) -> Result<(), Violation> {
    let frame = Bytes::from(format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#));
    send(Clause::Exchange, &mut running, &mut exchange, frame.clone()).await?;
    running.during(exchange.end()).await;
    running.expect(Clause::Exchange, &frame).await?;
    match running.end(Clause::Exchange, "the end of an exchange that was answered").await? {
        ExchangeEnd::Complete => Ok(()),
        end => {
            let what = format!("an exchange that was answered ended as {end:?}");
            Err(Violation::new(Clause::Exchange, what))
        }
    }
}

/// The server had the request: an end that says otherwise would make a retry unsafe.
fn may_have_run(end: &ExchangeEnd) -> Result<(), Violation> {
    match end {
        ExchangeEnd::Complete => Ok(()),
        ExchangeEnd::Failed(error) if error.delivery() == Delivery::MaybeSent => Ok(()),
        end => {
            let what = format!("the server began to answer, but the exchange ended as {end:?}");
            Err(Violation::new(Clause::Delivery, what))
        }
    }
}
