use serde_core::{
    Deserializer,
    de::{DeserializeOwned, Error as _, Visitor, value::Error},
    forward_to_deserialize_any,
};

/// The names of a struct's members in the order of their declaration, which no schema of `schemars` keeps: its maps sort.
///
/// Serde's derive tells them to the deserializer. Nothing of a type that says none, one with `flatten` for example.
pub(super) struct Fields(&'static [&'static str]);

impl Fields {
    pub(super) fn of<T: DeserializeOwned>() -> Self {
        let mut fields: &[&str] = &[];
        // It ends with an error in any case: there is no value to read.
        let _ = T::deserialize(Listener(&mut fields));
        Self(fields)
    }

    /// Sorts by the place of the name; what has none stays behind, in its order.
    pub(super) fn sort<M>(&self, members: &mut [M], name: impl Fn(&M) -> &str) {
        let place = |member: &M| self.0.iter().position(|field| *field == name(member));
        members.sort_by_key(|member| place(member).unwrap_or(usize::MAX));
    }
}

struct Listener<'a>(&'a mut &'static [&'static str]);

impl<'de> Deserializer<'de> for Listener<'_> {
    type Error = Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        *self.0 = fields;
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Error> {
        Err(Error::custom("no value"))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        seq tuple tuple_struct map enum identifier ignored_any
    }
}
