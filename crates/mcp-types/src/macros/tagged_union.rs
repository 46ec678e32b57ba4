/// One of several objects, told apart by a string member. Objects of an unknown kind are kept whole.
///
/// serde's own tagged enums buffer through a tree that cannot hold raw JSON.
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
                #[inline]
                fn from(value: $ty) -> Self {
                    Self::$variant(value)
                }
            }
        )*

        impl $crate::write::Write for $name {
            #[inline]
            fn node(&self) -> $crate::write::Node<'_> {
                match self {
                    $(Self::$variant(value) => value.node(),)*
                    Self::Unknown(object) => object.node(),
                }
            }
        }

        $crate::write::serialize_by_writing!($name);

        impl $crate::read::Read for $name {
            lazy_where_rare! { { $($($rev)*)? }
                fn read(reader: &mut $crate::read::Reader<'_>) -> $crate::read::Result<Self> {
                    let kind = reader.kind($key)?;
                    Ok(match &*kind {
                        $($tag => Self::$variant(<$ty>::read(reader)?),)*
                        _ => Self::Unknown($crate::UnknownObject::read(kind.into_owned(), reader)?),
                    })
                }
            }
        }

        impl $crate::read::Blank for $name {
            const BLANK: Self = Self::Unknown($crate::UnknownObject::BLANK);
        }

        $crate::read::deserialize_by_reading!($name);

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
