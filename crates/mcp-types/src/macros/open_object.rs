/// A struct for a JSON object whose known members are all optional and whose unknown ones are kept: capabilities and
/// their settings.
///
/// A known member whose value is of another kind than the schema says is kept among the unknown ones, so that nothing a
/// peer declares can make the whole unreadable.
macro_rules! open_object {
    (
        $(#[$attr:meta])*
        pub struct $name:ident $([$($rev:tt)*])? {
            $($(#[$member_attr:meta])* $field:ident ? $setter:ident as $wire:literal: $ty:ty $([$($member_rev:tt)*])? ,)*
        }
    ) => {
        $(#[$attr])*
        $(#[doc = lifetime_text!($($rev)*)])?
        #[derive(Debug, Clone, Default, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $(
                $(#[$member_attr])*
                $(#[doc = lifetime_text!($($member_rev)*)])?
                pub $field: Option<$ty>,
            )*
            /// All other members, as they came.
            pub extra: $crate::JsonObject,
        }

        impl $name {
            /// An object without members.
            pub fn new() -> Self {
                Self::default()
            }

            $(
                #[doc = concat!("The same with [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
                pub fn $setter(mut self, $field: impl Into<$ty>) -> Self {
                    self.$field = Some($field.into());
                    self
                }
            )*
        }

        impl $crate::write::Members for $name {
            #[inline]
            fn visit(&self, each: &mut dyn FnMut(&str, $crate::write::Node<'_>)) {
                $crate::write::members(
                    $crate::read::names!($(concat!("=", $wire)),*),
                    &[$(&&self.$field),*],
                    each,
                );
                $crate::write::Members::visit(&self.extra, each);
            }
        }

        $crate::write::serialize_by_members!($name);

        impl $crate::read::Read for $name {
            lazy_where_rare! { { $($($rev)*)? }
                fn read(reader: &mut $crate::read::Reader<'_>) -> $crate::read::Result<Self> {
                    let mut object = <Self as $crate::read::Blank>::BLANK;
                    let names = $crate::read::names!($(concat!("=", $wire)),*);
                    $crate::read::open(reader, names, &mut [$(&mut object.$field),*], &mut object.extra)?;
                    Ok(object)
                }
            }
        }

        impl $crate::read::Blank for $name {
            const BLANK: Self = Self { $($field: None,)* extra: $crate::JsonObject::new() };
        }

        $crate::read::deserialize_by_reading!($name);

        impl $crate::inventory::Described for $name {
            const INFO: $crate::inventory::TypeInfo = $crate::inventory::TypeInfo {
                name: stringify!($name),
                lifetime: lifetime!($($($rev)*)?),
                shape: $crate::inventory::Shape::Object {
                    members: &[
                        $($crate::inventory::MemberInfo {
                            field: stringify!($field),
                            wire: Some($wire),
                            presence: $crate::inventory::Presence::Optional,
                            kind: stringify!($ty),
                            constant: None,
                            lifetime: lifetime!($($($member_rev)*)?),
                        },)*
                    ],
                    open: true,
                },
            };
        }
    };
}

/// An `open_object!` whose members can be looked up by a path.
macro_rules! capability {
    (
        $(#[$attr:meta])*
        pub struct $name:ident $([$($rev:tt)*])? {
            $($(#[$member_attr:meta])* $field:ident ? $setter:ident as $wire:literal: $ty:ty $([$($member_rev:tt)*])? ,)*
        }
    ) => {
        open_object! {
            $(#[$attr])*
            pub struct $name $([$($rev)*])? {
                $($(#[$member_attr])* $field ? $setter as $wire: $ty $([$($member_rev)*])? ,)*
            }
        }

        impl $name {
            /// Whether the member at `path` is there and neither `null` nor `false`. The names of members are joined by
            /// dots: `resources.subscribe`.
            #[inline]
            pub fn has(&self, path: &str) -> bool {
                $crate::capabilities::has(self, path)
            }
        }
    };
}
