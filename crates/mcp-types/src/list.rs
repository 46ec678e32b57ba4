use std::{
    fmt,
    ops::{Deref, DerefMut},
    slice,
    sync::Arc,
    vec,
};

use serde_core::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeOwned, Error},
};
use serde_json::value::RawValue;

use crate::Json;

/// A list that survives bad elements: the good ones are its elements, the others are kept beside them with the reason.
///
/// It reads like a slice. `null` reads as an empty list, because some peers write an empty list so. Writing it writes the
/// good elements only; [`List::rejected`] and the raw message hold the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct List<T> {
    elements: Vec<T>,
    /// `None` when there are none, to keep the common case small.
    rejected: Option<Arc<Vec<Rejected>>>,
}

/// An element of a [`List`] that could not be decoded, or that whoever read the list rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rejected {
    /// The place in the list as it came, from 0.
    pub index: usize,
    /// Why, in words; may contain text of the peer.
    pub reason: String,
    /// The element as it came.
    pub json: Json,
}

impl<T> List<T> {
    /// A list without elements.
    pub const fn new() -> Self {
        Self { elements: Vec::new(), rejected: None }
    }

    /// The elements that could not be decoded, in order.
    pub fn rejected(&self) -> &[Rejected] {
        self.rejected.as_ref().map_or(&[], |rejected| rejected)
    }

    /// Moves elements to the rejected ones: those for which `check` gives a reason, and the element as it came. It is told
    /// the place of each in the list as it came.
    ///
    /// # Errors
    /// When the list has more than 1,000 rejected elements then: it is bad as a whole. It is left as it was.
    pub fn reject(
        &mut self,
        mut check: impl FnMut(usize, &T) -> Option<(String, Json)>,
    ) -> Result<(), TooManyRejected> {
        let before = self.rejected().len();
        let mut places = Places { rejected: self.rejected().iter().map(|it| it.index).peekable(), next: 0 };
        let mut found = Vec::new();
        for (at, element) in self.elements.iter().enumerate() {
            let index = places.take();
            let Some((reason, json)) = check(index, element) else { continue };
            if before + found.len() == MAX_REJECTED {
                return Err(TooManyRejected);
            }
            found.push((at, Rejected { index, reason, json }));
        }
        if found.is_empty() {
            return Ok(());
        }
        let mut bad = found.iter().map(|(at, _)| *at).peekable();
        let mut at = 0;
        self.elements.retain(|_| {
            at += 1;
            bad.next_if_eq(&(at - 1)).is_none()
        });
        let mut rejected = self.rejected.take().map(Arc::unwrap_or_clone).unwrap_or_default();
        // They are few, and in order on both sides.
        for (_, new) in found {
            let place = rejected.partition_point(|it| it.index < new.index);
            rejected.insert(place, new);
        }
        self.rejected = Some(Arc::new(rejected));
        Ok(())
    }

    /// Appends an element.
    pub fn push(&mut self, element: T) {
        self.elements.push(element);
    }

    pub(crate) fn as_vec(&self) -> &Vec<T> {
        &self.elements
    }

    /// The good elements.
    pub fn into_vec(self) -> Vec<T> {
        self.elements
    }

    pub(crate) fn from_parts(elements: Vec<T>, rejected: Vec<Rejected>) -> Self {
        Self { elements, rejected: (!rejected.is_empty()).then(|| Arc::new(rejected)) }
    }

    /// The good elements, and those that could not be decoded.
    pub fn into_parts(self) -> (Vec<T>, Vec<Rejected>) {
        (self.elements, self.rejected.map(Arc::unwrap_or_clone).unwrap_or_default())
    }
}

/// A list has more rejected elements than can be reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyRejected;

/// The places that elements have in the list as it came: those that no rejected element has.
struct Places<I: Iterator<Item = usize>> {
    rejected: std::iter::Peekable<I>,
    next: usize,
}

impl<I: Iterator<Item = usize>> Places<I> {
    fn take(&mut self) -> usize {
        while self.rejected.next_if_eq(&self.next).is_some() {
            self.next += 1;
        }
        self.next += 1;
        self.next - 1
    }
}

impl fmt::Display for TooManyRejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "more than {MAX_REJECTED} elements of the list are bad")
    }
}

impl std::error::Error for TooManyRejected {}

/// A list with more bad elements than these is bad as a whole: a report of each would take more memory than the list.
pub(crate) const MAX_REJECTED: usize = 1000;

impl<T: DeserializeOwned> List<T> {
    /// Decodes each element by itself.
    fn salvage(text: &str) -> crate::read::Result<Self> {
        let mut list = Vec::new();
        let mut rejected = Vec::new();
        for (index, raw) in serde_json::from_str::<Vec<&RawValue>>(text)?.into_iter().enumerate() {
            match serde_json::from_str(raw.get()) {
                Ok(element) => list.push(element),
                Err(error) if rejected.len() == MAX_REJECTED => return Err(error.into()),
                Err(error) => rejected.push(Rejected {
                    index,
                    reason: error.to_string(),
                    json: Json::from(raw.to_owned()),
                }),
            }
        }
        Ok(Self::from_parts(list, rejected))
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // A copy of the text: what fails half-way through a deserializer cannot be read from it again. Lists of this
        // crate's types need none where the whole is one of them too.
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        // Nearly every list is good as a whole; only the others pay for a look at each element.
        serde_json::from_str::<Option<Vec<T>>>(raw.get())
            .map(|elements| Self::from(elements.unwrap_or_default()))
            .or_else(|_| Self::salvage(raw.get()))
            .map_err(D::Error::custom)
    }
}

impl<T: Serialize> Serialize for List<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.elements.serialize(serializer)
    }
}

impl<T> Default for List<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> Deref for List<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.elements
    }
}

impl<T> DerefMut for List<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.elements
    }
}

impl<T> From<Vec<T>> for List<T> {
    fn from(elements: Vec<T>) -> Self {
        Self { elements, rejected: None }
    }
}

impl<T, const N: usize> From<[T; N]> for List<T> {
    fn from(elements: [T; N]) -> Self {
        Self::from(Vec::from(elements))
    }
}

impl<T> FromIterator<T> for List<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        Self::from(Vec::from_iter(elements))
    }
}

impl<T> Extend<T> for List<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, elements: I) {
        self.elements.extend(elements);
    }
}

impl<T> IntoIterator for List<T> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements.into_iter()
    }
}

impl<'a, T> IntoIterator for &'a List<T> {
    type Item = &'a T;
    type IntoIter = slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements.iter()
    }
}

impl<'a, T> IntoIterator for &'a mut List<T> {
    type Item = &'a mut T;
    type IntoIter = slice::IterMut<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.elements.iter_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_elements_are_kept_beside_the_good_ones() {
        let list: List<u8> = serde_json::from_str(r#"[1,"two",3, 4000 ]"#).unwrap();
        assert_eq!(*list, [1, 3]);
        assert_eq!(list.rejected().len(), 2);
        assert_eq!(list.rejected()[0].index, 1);
        assert_eq!(list.rejected()[0].json.as_str(), "\"two\"");
        assert!(list.rejected()[0].reason.contains("u8"));
        assert_eq!(list.rejected()[1].json.as_str(), "4000");
        assert_eq!(serde_json::to_string(&list).unwrap(), "[1,3]");
    }

    #[test]
    fn what_is_no_list_is_an_error_and_null_is_an_empty_one() {
        assert!(serde_json::from_str::<List<u8>>("{}").is_err());
        assert!(serde_json::from_str::<List<u8>>("\"x\"").is_err());
        assert_eq!(serde_json::from_str::<List<u8>>("null").unwrap(), List::new());
    }

    #[test]
    fn lists_decode_from_readers_and_trees_too() {
        let text = r#"[1,"two"]"#;
        let from_reader: List<u8> = serde_json::from_reader(text.as_bytes()).unwrap();
        let tree: serde_json::Value = serde_json::from_str(text).unwrap();
        let from_tree: List<u8> = serde_json::from_value(tree).unwrap();
        assert_eq!(from_reader, from_tree);
        assert_eq!(from_reader.rejected().len(), 1);
    }

    #[test]
    fn elements_are_rejected_later_under_their_own_place() {
        let mut list: List<u8> = serde_json::from_str(r#"["a",1,2,"b","c",3,4,5]"#).unwrap();
        let mut seen = Vec::new();
        list.reject(|index, element| {
            seen.push((index, *element));
            (element % 2 == 1).then(|| ("odd".into(), Json::from(u64::from(*element))))
        })
        .unwrap();
        assert_eq!(seen, [(1, 1), (2, 2), (5, 3), (6, 4), (7, 5)]);
        assert_eq!(*list, [2, 4]);
        let rejected: Vec<_> = list.rejected().iter().map(|it| (it.index, it.json.as_str())).collect();
        let expected = [(0, r#""a""#), (1, "1"), (3, r#""b""#), (4, r#""c""#), (5, "3"), (7, "5")];
        assert_eq!(rejected, expected);
        list.reject(|_, _| None).unwrap();
        assert_eq!(list.rejected().len(), 6);
    }

    #[test]
    fn more_rejected_elements_than_can_be_reported_change_nothing() {
        let bad = |_: usize, _: &u32| Some((String::new(), Json::from(true)));
        let mut list: List<u32> = (0..1000).collect();
        list.reject(bad).unwrap();
        assert_eq!((list.len(), list.rejected().len()), (0, 1000));
        let mut list: List<u32> = (0..1001).collect();
        assert_eq!(list.reject(bad), Err(TooManyRejected));
        assert_eq!((list.len(), list.rejected().len()), (1001, 0));
    }

    #[test]
    fn a_list_of_countless_bad_elements_is_bad_as_a_whole() {
        let text = format!("[{}7]", "7,".repeat(100_000));
        assert!(serde_json::from_str::<List<String>>(&text).is_err());
    }
}
