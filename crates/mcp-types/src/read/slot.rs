use super::{Read, Reader, Result};
use crate::{ContentBlock, Json, List, Map, number::unsigned};

/// Where a member of an object is read to.
pub(crate) trait Slot {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()>;
}

/// What is there before anything is read.
pub(crate) trait Blank {
    /// It is no value that anybody has written, and never leaves what reads.
    const BLANK: Self;
}

/// Which members must be there: a bit for each.
pub(crate) const fn needed(members: &[bool]) -> u64 {
    assert!(members.len() <= 64, "too many members");
    let (mut bits, mut at) = (0, 0);
    while at < members.len() {
        bits |= (members[at] as u64) << at;
        at += 1;
    }
    bits
}

/// A member that may be absent or `null`, and stays blank then. (So does an `Option` by itself.)
pub(crate) struct Maybe<'a, T>(pub(crate) &'a mut T);

/// A member whose absence is harmless: a value of the wrong kind or out of range reads as absent, so that one absurd hint
/// does not cost the whole object.
pub(crate) struct Lenient<'a, T>(pub(crate) &'a mut Option<T>);

/// As [`Lenient`], for a whole number that some peers write as `1.0` or `1e3`.
pub(crate) struct LenientInteger<'a>(pub(crate) &'a mut Option<u64>);

/// A member whose type can hold `null`: `null` is a value, and only absence reads as `None`.
pub(crate) struct Present<'a>(pub(crate) &'a mut Option<Json>);

/// A list that may be written as its only element.
pub(crate) struct OneOrList<'a>(pub(crate) &'a mut List<ContentBlock>);

/// A member with one value only. Absent reads as right.
pub(crate) struct Tag(pub(crate) &'static str);

/// After an error it is as it was.
impl<T: Read> Slot for T {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        *self = T::read(reader)?;
        Ok(())
    }
}

impl<T: Read> Slot for Maybe<'_, T> {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        if !reader.null() {
            *self.0 = T::read(reader)?;
        }
        Ok(())
    }
}

impl<T: Read> Slot for Lenient<'_, T> {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        *self.0 = T::read(&mut Reader::new(reader.raw()?.get())).ok();
        Ok(())
    }
}

impl Slot for LenientInteger<'_> {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        let text = reader.raw()?.get();
        *self.0 = unsigned(text).or_else(|| whole(text.parse().ok()?));
        Ok(())
    }
}

impl Slot for Present<'_> {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        *self.0 = Some(Json::read(reader)?);
        Ok(())
    }
}

impl Slot for OneOrList<'_> {
    fn fill(&mut self, reader: &mut Reader<'_>) -> Result<()> {
        *self.0 = if reader.peek() == Some(b'{') {
            List::from([ContentBlock::read(reader)?])
        } else {
            List::read(reader)?
        };
        Ok(())
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

macro_rules! blank {
    ($($ty:ty $(, $t:ident)? = $blank:expr;)*) => {$(
        impl$(<$t>)? Blank for $ty {
            const BLANK: Self = $blank;
        }
    )*};
}

blank! {
    String = Self::new();
    bool = false;
    u64 = 0;
    i64 = 0;
    f64 = 0.0;
    Json = Self::NULL;
    Option<T>, T = None;
    Vec<T>, T = Self::new();
    List<T>, T = Self::new();
    Map<T>, T = Self::new();
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
