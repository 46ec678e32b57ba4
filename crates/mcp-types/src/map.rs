use std::{fmt, marker::PhantomData, sync::Arc, vec};

use serde_core::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, Visitor},
    ser::SerializeMap,
};

/// A JSON object used as a map: entries in the order they came. Lookup is linear; such maps are small. Cheap to clone: what is
/// shared is copied when it is changed.
///
/// A map of open JSON is a [`JsonObject`](crate::JsonObject).
#[derive(Clone)]
pub struct Map<V>(Option<Arc<Vec<(String, V)>>>);

impl<V> Map<V> {
    /// A map without entries.
    pub const fn new() -> Self {
        Self(None)
    }

    /// The value of `key`. Of duplicates, the last one counts, as for most JSON readers.
    pub fn get(&self, key: &str) -> Option<&V> {
        self.entries().iter().rev().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Whether there is an entry for `key`.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.entries().is_empty()
    }

    /// How many entries there are.
    pub fn len(&self) -> usize {
        self.entries().len()
    }

    /// The entries, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &V)> {
        self.entries().iter().map(|(key, value)| (key.as_str(), value))
    }

    fn entries(&self) -> &[(String, V)] {
        self.0.as_ref().map_or(&[], |entries| entries)
    }
}

impl<V: Clone> Map<V> {
    /// Sets the value of `key`: in place if it is there, otherwise at the end.
    pub fn insert(&mut self, key: impl Into<String>, value: V) {
        let (key, entries) = (key.into(), self.entries_mut());
        match entries.iter_mut().rev().find(|(name, _)| *name == key) {
            Some(entry) => entry.1 = value,
            None => entries.push((key, value)),
        }
    }

    /// Adds an entry at the end, whether there is one for `key` or not.
    pub(crate) fn append(&mut self, key: String, value: V) {
        self.entries_mut().push((key, value));
    }

    /// Takes the entry of `key` out.
    pub fn remove(&mut self, key: &str) -> Option<V> {
        let at = self.entries().iter().rposition(|(name, _)| name == key)?;
        Some(self.entries_mut().remove(at).1)
    }

    fn entries_mut(&mut self) -> &mut Vec<(String, V)> {
        Arc::make_mut(self.0.get_or_insert_default())
    }
}

impl<V: PartialEq> PartialEq for Map<V> {
    fn eq(&self, other: &Self) -> bool {
        self.entries() == other.entries()
    }
}

impl<V: Eq> Eq for Map<V> {}

impl<V> From<Vec<(String, V)>> for Map<V> {
    fn from(entries: Vec<(String, V)>) -> Self {
        Self(if entries.is_empty() { None } else { Some(Arc::new(entries)) })
    }
}

impl<V> Default for Map<V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<V: fmt::Debug> fmt::Debug for Map<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Into<String>, W: Into<V>, V> FromIterator<(K, W)> for Map<V> {
    fn from_iter<I: IntoIterator<Item = (K, W)>>(entries: I) -> Self {
        entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect::<Vec<_>>().into()
    }
}

impl<K: Into<String>, W: Into<V>, V, const N: usize> From<[(K, W); N]> for Map<V> {
    fn from(entries: [(K, W); N]) -> Self {
        entries.into_iter().collect()
    }
}

impl<V: Clone> IntoIterator for Map<V> {
    type Item = (String, V);
    type IntoIter = vec::IntoIter<(String, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.map(Arc::unwrap_or_clone).unwrap_or_default().into_iter()
    }
}

impl<V: Serialize> Serialize for Map<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.len()))?;
        for (key, value) in self.iter() {
            map.serialize_entry(key, value)?;
        }
        map.end()
    }
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Map<V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Entries<V> {
            type Value = Map<V>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::with_capacity(map.size_hint().unwrap_or(0).min(64));
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Map::from(entries))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_keep_their_order() {
        let mut map: Map<String> = serde_json::from_str(r#"{"z":"1","a":"2"}"#).unwrap();
        map.insert("z", "3".to_owned());
        assert_eq!(serde_json::to_string(&map).unwrap(), r#"{"z":"3","a":"2"}"#);
        assert_eq!(map, Map::from([("z", "3"), ("a", "2")]));
        assert_eq!(map.remove("a").as_deref(), Some("2"));
        assert!(!map.contains_key("a"));
    }
}
