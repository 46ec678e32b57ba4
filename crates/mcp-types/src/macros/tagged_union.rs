/// One of several objects, told apart by a string member. Objects of an unknown kind are kept whole.
///
/// Written by hand because serde's own tagged enums buffer through a tree that cannot hold raw JSON.
macro_rules! tagged_union {
    (
        $(#[$attr:meta])*
        pub enum $name:ident $([$($rev:tt)*])? by $key:literal {
            $($(#[$variant_attr:meta])* $variant:ident($ty:ty) = $tag:literal,)*
        }
    ) => {
        $(#[$attr])*
        $(#[doc = lifetime_text!($($rev)*)])?
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_attr])* $variant($ty),)*
            /// A kind that this crate does not know, kept whole.
            Unknown($crate::UnknownObject),
        }

        impl $name {
            #[doc = concat!("The `", $key, "` of the object, as it stands on the wire.")]
            pub fn kind(&self) -> &str {
                match self {
                    $(Self::$variant(_) => $tag,)*
                    Self::Unknown(object) => object.kind(),
                }
            }
        }

        $(
            impl From<$ty> for $name {
                fn from(value: $ty) -> Self {
                    Self::$variant(value)
                }
            }
        )*

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self {
                    $(Self::$variant(value) => value.serialize(serializer),)*
                    Self::Unknown(object) => object.serialize(serializer),
                }
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                struct Object;
                impl<'de> serde::de::Visitor<'de> for Object {
                    type Value = $name;
                    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                        f.write_str(concat!("an object with a member `", $key, "`"))
                    }
                    fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<$name, A::Error> {
                        use serde::de::{Deserialize, Error, value::MapAccessDeserializer};
                        use $crate::union::{Head, head, unknown};
                        let (tag, json) = match head(&mut map, $key)? {
                            Head::First(tag) => {
                                return match tag.as_ref() {
                                    $($tag => <$ty>::deserialize(MapAccessDeserializer::new(map)).map($name::$variant),)*
                                    _ => unknown(map, $key, tag.into_owned()).map($name::Unknown),
                                };
                            }
                            Head::Later(tag, json) => (tag, json),
                        };
                        match tag.as_deref() {
                            $(Some($tag) => json.decode().map($name::$variant).map_err(A::Error::custom),)*
                            Some(kind) => Ok($name::Unknown($crate::UnknownObject::from_text(kind.to_owned(), json))),
                            None => Err(A::Error::missing_field($key)),
                        }
                    }
                }
                deserializer.deserialize_map(Object)
            }
        }

        impl $crate::inventory::Described for $name {
            const INFO: $crate::inventory::TypeInfo = $crate::inventory::TypeInfo {
                name: stringify!($name),
                lifetime: lifetime!($($($rev)*)?),
                shape: $crate::inventory::Shape::Union {
                    key: Some($key),
                    variants: &[$(($tag, stringify!($ty))),*],
                },
            };
        }
    };
}
