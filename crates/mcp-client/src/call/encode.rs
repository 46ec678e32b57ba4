use std::cell::Cell;

use bytes::Bytes;
use serde_core::Serialize;

use crate::{Error, Result, error::Cause};

thread_local! {
    /// Room to write in, so that what is sent can have its own size.
    static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// More room is not kept.
const KEPT_SCRATCH: usize = 64 * 1024;

/// The JSON text of params; empty when there are no members.
pub(crate) fn encode<T: Serialize>(params: &T) -> Result<Bytes> {
    let mut text = SCRATCH.take();
    let written = serde_json::to_writer(&mut text, params);
    finish(text, written)
}

fn finish(mut text: Vec<u8>, written: serde_json::Result<()>) -> Result<Bytes> {
    let encoded = match (written, text.as_slice()) {
        (Err(error), _) => Err(invalid(error.to_string())),
        (Ok(()), b"{}" | b"null") => Ok(Bytes::new()),
        (Ok(()), [b'{', ..]) if text.len() > KEPT_SCRATCH => return Ok(text.into()),
        (Ok(()), [b'{', ..]) => Ok(Bytes::copy_from_slice(&text)),
        (Ok(()), _) => Err(invalid("params must be an object".into())),
    };
    if text.capacity() <= KEPT_SCRATCH {
        text.clear();
        SCRATCH.set(text);
    }
    encoded
}

#[cold]
fn invalid(why: String) -> Error {
    Error::new(Cause::Arguments(why))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_core::Serializer;

    use super::*;

    #[test]
    fn params_are_objects_or_nothing() {
        assert!(encode(&()).unwrap().is_empty());
        assert!(encode(&BTreeMap::<String, u8>::new()).unwrap().is_empty());
        assert_eq!(encode(&BTreeMap::from([("a", 1)])).unwrap(), r#"{"a":1}"#);
        assert!(encode(&[1]).is_err() && encode(&BTreeMap::from([((1, 2), 1)])).is_err());
        // Nothing of a failure is left.
        assert_eq!(encode(&BTreeMap::from([("b", 2)])).unwrap(), r#"{"b":2}"#);
        let large = BTreeMap::from([("a", "x".repeat(100_000))]);
        assert_eq!(encode(&large).unwrap().len(), 100_008);
    }

    /// Whoever is written may write params too.
    #[test]
    fn one_encodes_within_another() {
        struct Outer;
        impl Serialize for Outer {
            fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                let inner =
                    encode(&BTreeMap::from([("inner", true)])).map_err(serde_core::ser::Error::custom)?;
                serializer.collect_map([("outer", inner.len())])
            }
        }
        assert_eq!(encode(&Outer).unwrap(), r#"{"outer":14}"#);
    }
}
