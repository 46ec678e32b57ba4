/// A string out of a set that may grow: unknown values are kept in `Other` and written as they came.
macro_rules! open_enum {
    (
        $(#[$attr:meta])*
        pub enum $name:ident $([$($rev:tt)*])? { $($(#[$variant_attr:meta])* $variant:ident = $text:literal,)* }
    ) => {
        $(#[$attr])*
        $(#[doc = lifetime_text!($($rev)*)])?
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum $name {
            $($(#[$variant_attr])* $variant,)*
            /// A value that this crate does not know, as it came.
            Other(String),
        }

        impl $name {
            /// The value as it stands on the wire.
            pub fn as_str(&self) -> &str {
                match self {
                    $(Self::$variant => $text,)*
                    Self::Other(text) => text,
                }
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                match text {
                    $($text => Self::$variant,)*
                    _ => Self::Other(text.to_owned()),
                }
            }
        }

        impl From<String> for $name {
            #[inline]
            fn from(text: String) -> Self {
                match text.as_str() {
                    $($text => Self::$variant,)*
                    _ => Self::Other(text),
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::write::Write for $name {
            #[inline]
            fn node(&self) -> $crate::write::Node<'_> {
                $crate::write::Node::Text(self.as_str())
            }
        }

        $crate::write::serialize_by_writing!($name);

        impl<'de> serde_core::Deserialize<'de> for $name {
            fn deserialize<D: serde_core::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(Self::from)
            }
        }

        impl $crate::read::Read for $name {
            lazy_where_rare! { { $($($rev)*)? }
                fn read(reader: &mut $crate::read::Reader<'_>) -> $crate::read::Result<Self> {
                    Ok(Self::from(&*reader.string()?))
                }
            }
        }

        impl $crate::read::Blank for $name {
            const BLANK: Self = Self::Other(String::new());
        }

        impl $crate::inventory::Described for $name {
            const INFO: $crate::inventory::TypeInfo = $crate::inventory::TypeInfo {
                name: stringify!($name),
                lifetime: lifetime!($($($rev)*)?),
                shape: $crate::inventory::Shape::Enum { values: &[$($text),*] },
            };
        }
    };
}
