use bytes::Bytes;

use crate::{
    Inbound, RawMessage,
    contract::{
        Clause, FarEnd, Rig, Violation,
        bench::{PRETTY, arrive, both, bounded, frames, note, notes, odd_messages, open, outbound, speak},
    },
};

/// Clause 10: a message of [`Rig::large`] bytes passes, both ways, and one after it.
///
/// # Errors
/// The violation.
pub async fn large_messages_pass<R: Rig>(rig: &R) -> Result<(), Violation> {
    let (mut near, mut far) = open(rig).await?;
    let messages = [note(0, rig.large()), note(1, 0)];
    both(near.send(outbound(&messages)), arrive(Clause::SameJson, &mut far, &messages)).await?;
    let frames = frames(&messages);
    both(speak(&mut far, &frames), near.receiver.expect(Clause::SameJson, &frames)).await
}

/// Clause 10: every kind of message, odd ids, members that no specification names, and text that transports stumble
/// over arrive as they were sent, but for white space between tokens.
///
/// # Errors
/// The violation.
pub async fn json_survives<R: Rig>(rig: &R) -> Result<(), Violation> {
    let (mut near, mut far) = open(rig).await?;
    let messages = odd_messages();
    // Line breaks between tokens of a body, as pretty-printed params have them: out only, a peer that frames by lines
    // could not send them.
    let mut out = messages.clone();
    out.insert(0, RawMessage::notification("pretty", Some(PRETTY.into())));
    both(near.send(outbound(&out)), arrive(Clause::SameJson, &mut far, &out)).await?;

    let frames = frames(&messages);
    both(speak(&mut far, &frames), near.receiver.expect(Clause::SameJson, &frames)).await
}

/// Clause 10: a JSON-RPC batch arrives split, in order, and the link goes on.
///
/// # Errors
/// The violation.
pub async fn batches_arrive_split<R: Rig>(rig: &R) -> Result<(), Violation> {
    let (mut near, mut far) = open(rig).await?;
    let expected = frames(&notes(4, 0));
    let batch = [&b"["[..], &expected[0], b" , ", &expected[1], b",", &expected[2], b"]"].concat();
    both(
        speak(&mut far, &[batch.into(), expected[3].clone()]),
        near.receiver.expect(Clause::SameJson, &expected),
    )
    .await
}

/// Clause 4: text, half a message, and JSON that is no message are reported, each by an entry, and the link goes on.
///
/// # Errors
/// The violation.
pub async fn junk_is_skipped<R: Rig>(rig: &R) -> Result<(), Violation> {
    const JUNK: [&str; 6] = [
        "Server starting...",
        "42",
        r#"{"half":"#,
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#,
        "[]",
    ];
    let (mut near, mut far) = open(rig).await?;
    for (number, junk) in JUNK.into_iter().enumerate() {
        let after = note(number, 0).to_vec();
        for frame in [Bytes::from_static(junk.as_bytes()), after.clone().into()] {
            bounded(Clause::Skip, "the peer sending junk", far.send(frame)).await?.map_err(|error| {
                Violation::new(Clause::Skip, format!("the link is gone after junk: {error}"))
            })?;
        }
        match bounded(Clause::Skip, "receiving junk", near.receiver.entry()).await?? {
            Some(Inbound::Skipped(_)) => {}
            other => {
                let what = format!("expected a report of the skipped input `{junk}`, received {other:?}");
                return Err(Violation::new(Clause::Skip, what));
            }
        }
        near.receiver.expect(Clause::Skip, &[after.into()]).await?;
    }
    Ok(())
}
