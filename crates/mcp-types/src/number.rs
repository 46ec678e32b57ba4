use std::fmt;

use crate::{
    Json,
    read::{self, Blank, Read, Reader},
    write,
};

/// A JSON number, kept as the text it came in, so that no digit is lost.
#[derive(Clone, PartialEq, Eq)]
pub struct Number(Json);

impl Number {
    /// The number as it stands on the wire.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The value, if it is written as a 64-bit integer.
    pub fn as_i64(&self) -> Option<i64> {
        signed(self.as_str())
    }

    /// The value, if it is written as an unsigned 64-bit integer.
    pub fn as_u64(&self) -> Option<u64> {
        unsigned(self.as_str())
    }

    /// The value, rounded to what a float can hold; infinite when it is too large.
    pub fn as_f64(&self) -> f64 {
        self.as_str().parse().unwrap_or(f64::NAN)
    }

    /// The number `value`; `None` when it is infinite or not a number, which JSON cannot say.
    pub fn from_f64(value: f64) -> Option<Self> {
        value.is_finite().then(|| Self(Json::from(value)))
    }
}

/// `text` as an integer. Here, because each use of `parse` is the whole parser again.
pub(crate) fn signed(text: &str) -> Option<i64> {
    text.parse().ok()
}

/// As [`signed`], without a sign.
pub(crate) fn unsigned(text: &str) -> Option<u64> {
    text.parse().ok()
}

impl From<i32> for Number {
    fn from(value: i32) -> Self {
        Self::from(i64::from(value))
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Self {
        Self(Json::from(value))
    }
}

impl From<u64> for Number {
    fn from(value: u64) -> Self {
        Self(Json::from(value))
    }
}

impl From<Number> for Json {
    fn from(number: Number) -> Self {
        number.0
    }
}

write::written_as!(Number: number => &number.0;);
write::serialize_by_writing!(Number);

impl fmt::Debug for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Read for Number {
    fn read(reader: &mut Reader<'_>) -> read::Result<Self> {
        let is_number = matches!(reader.peek(), Some(b'-' | b'0'..=b'9'));
        let json = Json::read(reader)?;
        if is_number { Ok(Self(json)) } else { Err(reader.error("expected a number")) }
    }
}

read::deserialize_by_reading!(Number);

impl Blank for Number {
    const BLANK: Self = Self(Json::NULL);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Field report T-06.
    #[test]
    fn digits_survive() {
        for text in ["9223372036854775808", "-1", "1.50", "1e999", "0"] {
            let number: Number = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&number).unwrap(), text);
        }
        let big: Number = serde_json::from_str("9223372036854775808").unwrap();
        assert_eq!((big.as_i64(), big.as_u64()), (None, Some(9_223_372_036_854_775_808)));
        assert!(serde_json::from_str::<Number>("\"1\"").is_err());
        assert_eq!(Number::from_f64(f64::NAN), None);
    }
}
