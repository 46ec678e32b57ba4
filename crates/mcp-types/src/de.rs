//! Reading with more patience than serde's derive has.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, Error, MapAccess, Visitor},
    forward_to_deserialize_any,
};

use crate::Json;

/// Gives serde's derive an object and nothing else: on its own it also takes an array of the members in order, so that
/// `[]` would be a result without members, and `["a","b"]` a name and a version.
pub(crate) struct Object<D> {
    deserializer: D,
    name: &'static str,
}

impl<D> Object<D> {
    /// `name` is that of the type, for errors.
    pub(crate) fn new(name: &'static str, deserializer: D) -> Self {
        Self { deserializer, name }
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Object<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.deserializer.deserialize_map(Members { visitor, name: self.name })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct Members<V> {
    visitor: V,
    name: &'static str,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Members<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an object ({})", self.name)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_map(map)
    }
}

/// Reads a string into anything that is made from one.
pub(crate) struct Text<T>(PhantomData<T>);

impl<T> Text<T> {
    pub(crate) const NEW: Self = Self(PhantomData);
}

impl<T: for<'a> From<&'a str> + From<String>> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<T, E> {
        Ok(T::from(text))
    }

    fn visit_string<E: Error>(self, text: String) -> Result<T, E> {
        Ok(T::from(text))
    }
}

/// For a member whose absence is harmless: a value of the wrong kind or out of range reads as absent, so that one absurd
/// hint does not cost the whole object.
pub(crate) fn lenient<'de, D: Deserializer<'de>, T: DeserializeOwned>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    let json = Json::deserialize(deserializer)?;
    Ok(json.decode::<Option<T>>().ok().flatten())
}

/// As [`lenient`], for a whole number that some peers write as `1.0` or `1e3`.
pub(crate) fn lenient_integer<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u64>, D::Error> {
    let json = Json::deserialize(deserializer)?;
    Ok(json.decode::<u64>().ok().or_else(|| whole(json.decode().ok()?)))
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

/// For a member whose type can hold `null`: `null` is a value, and only absence reads as `None`.
pub(crate) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Json>, D::Error> {
    Json::deserialize(deserializer).map(Some)
}

/// For a required member that some peers write as `null`. Goes with `#[serde(default)]`.
pub(crate) fn null_as_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}
