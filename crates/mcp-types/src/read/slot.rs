use super::{Read, Reader, Result};
use crate::{ContentBlock, Json, List, read};

/// Where a member of an object is read to.
pub(crate) trait Slot {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()>;

    /// Whether the object cannot be without it, and is.
    fn is_missing(&self) -> bool {
        false
    }
}

/// A member that must be there.
pub(crate) struct Needed<T>(pub(crate) Option<T>);

/// A member that may be absent or `null`.
pub(crate) struct Maybe<T>(pub(crate) Option<T>);

/// A member whose absence is harmless: a value of the wrong kind or out of range reads as absent, so that one absurd hint
/// does not cost the whole object.
pub(crate) struct Lenient<T>(pub(crate) Option<T>);

/// As [`Lenient`], for a whole number that some peers write as `1.0` or `1e3`.
pub(crate) struct LenientInteger(pub(crate) Option<u64>);

/// A member whose type can hold `null`: `null` is a value, and only absence reads as `None`.
pub(crate) struct Present(pub(crate) Option<Json>);

/// A list that may be written as its only element.
pub(crate) struct OneOrList(pub(crate) Option<List<ContentBlock>>);

/// A member with one value only. Absent reads as right.
pub(crate) struct Tag(pub(crate) &'static str);

macro_rules! empty {
    ($($slot:ident $(<$t:ident>)?),*) => {$(
        impl$(<$t>)? Default for $slot$(<$t>)? {
            fn default() -> Self {
                Self(None)
            }
        }
    )*};
}

empty!(Needed<T>, Maybe<T>, Lenient<T>, LenientInteger, Present, OneOrList);

impl<T: Read> Slot for Needed<T> {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        self.0 = Some(T::read(reader)?);
        Ok(())
    }

    fn is_missing(&self) -> bool {
        self.0.is_none()
    }
}

impl<T: Read> Slot for Maybe<T> {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        if !reader.null() {
            self.0 = Some(T::read(reader)?);
        }
        Ok(())
    }
}

impl<T: Read> Slot for Lenient<T> {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        self.0 = read::text(reader.raw()?.get()).ok();
        Ok(())
    }
}

impl Slot for LenientInteger {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let text = reader.raw()?.get();
        self.0 = text.parse().ok().or_else(|| whole(text.parse().ok()?));
        Ok(())
    }
}

impl Slot for Present {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        self.0 = Some(Json::read(reader)?);
        Ok(())
    }
}

impl Slot for OneOrList {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        self.0 = Some(if reader.peek() == Some(b'{') {
            List::from([ContentBlock::read(reader)?])
        } else {
            List::read(reader)?
        });
        Ok(())
    }

    fn is_missing(&self) -> bool {
        self.0.is_none()
    }
}

impl Slot for Tag {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let text = reader.string()?;
        if text == self.0 {
            return Ok(());
        }
        Err(reader.error(format_args!("invalid value: string {text:?}, expected {:?}", self.0)))
    }
}

/// Of a member that must be there. [`Reader::object`] has looked for it, and knows its name.
#[cold]
pub(crate) fn absent() -> serde_json::Error {
    serde::de::Error::custom("a member is missing")
}

/// The largest number below which every whole `f64` is exact.
const EXACT: f64 = 9_007_199_254_740_992.0;

fn whole(number: f64) -> Option<u64> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked: whole, not negative, below 2^53"
    )]
    (number.fract() == 0.0 && (0.0..=EXACT).contains(&number)).then_some(number as u64)
}
