/// A struct for a JSON object of the schema.
///
/// ```text
/// object! {
///     /// Docs.
///     pub struct Name [since V2025_06_18] tagged "type" = "text" {
///         /// Docs.
///         required_member: String,
///         /// Docs.
///         optional_member? with_optional_member: u64 [only V2025_11_25],
///         /// Docs.
///         meta? with_meta as "_meta": Meta,
///     }
/// }
/// ```
///
/// Only a JSON object is read. `#[read(…)]` before a member names another slot of `read` for it. Members are camel case on the wire, or as `as` says. An optional member is an `Option`: absent and `null` both read
/// as `None`, and `None` is not written. `new` takes the required members, the name behind the `?` is the setter.
/// `tagged` adds a constant member. The revisions of a member end up in its docs and in the inventory. `for servers` before those
/// of a type: clients only write it, so what reads it is compiled where that is done.
macro_rules! object {
    (
        $(#[$attr:meta])*
        pub struct $name:ident $([$($rev:tt)*])? $(tagged $key:literal = $tag:literal)? { $($body:tt)* }
    ) => {
        object!(@member
            { $(#[$attr])* $(#[doc = lifetime_text!($($rev)*)])? }
            { $name { $($($rev)*)? } $($key = $tag)? }
            {} {} {} {} {}
            $($body)*
        );
    };

    (@member $attrs:tt $head:tt
        { $($fields:tt)* } $args:tt { $($inits:tt)* } { $($setters:tt)* } { $($members:tt)* }
        $(#[doc = $doc:expr])* $(#[read($how:ident)])? $field:ident ? $setter:ident $(as $wire:literal)? : u64 $([$($rev:tt)*])? , $($rest:tt)*
    ) => {
        object!(@member $attrs $head
            {
                $($fields)*
                $(#[doc = $doc])*
                $(#[doc = lifetime_text!($($rev)*)])?
                pub $field: Option<u64>,
            }
            $args { $($inits)* $field: None, }
            {
                $($setters)*
                #[doc = concat!("The same with [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
                pub fn $setter(mut self, $field: u64) -> Self {
                    self.$field = Some($field);
                    self
                }
            }
            {
                $($members)*
                ($field $($wire)?, optional, u64, { $($($rev)*)? } $($how)?)
            }
            $($rest)*
        );
    };

    (@member $attrs:tt $head:tt
        { $($fields:tt)* } $args:tt { $($inits:tt)* } { $($setters:tt)* } { $($members:tt)* }
        $(#[doc = $doc:expr])* $(#[read($how:ident)])? $field:ident ? $setter:ident $(as $wire:literal)? : $ty:ty $([$($rev:tt)*])? , $($rest:tt)*
    ) => {
        object!(@member $attrs $head
            {
                $($fields)*
                $(#[doc = $doc])*
                $(#[doc = lifetime_text!($($rev)*)])?
                pub $field: Option<$ty>,
            }
            $args { $($inits)* $field: None, }
            {
                $($setters)*
                #[doc = concat!("The same with [`", stringify!($field), "`](#structfield.", stringify!($field), ").")]
                pub fn $setter(mut self, $field: impl Into<$ty>) -> Self {
                    self.$field = Some($field.into());
                    self
                }
            }
            {
                $($members)*
                ($field $($wire)?, optional, $ty, { $($($rev)*)? } $($how)?)
            }
            $($rest)*
        );
    };

    (@member $attrs:tt $head:tt
        { $($fields:tt)* } { $($args:tt)* } { $($inits:tt)* } $setters:tt { $($members:tt)* }
        $(#[doc = $doc:expr])* $(#[read($how:ident)])? $field:ident $(as $wire:literal)? : u64 $([$($rev:tt)*])? , $($rest:tt)*
    ) => {
        object!(@member $attrs $head
            {
                $($fields)*
                $(#[doc = $doc])*
                $(#[doc = lifetime_text!($($rev)*)])?
                pub $field: u64,
            }
            { $($args)* $field: u64, }
            { $($inits)* $field, }
            $setters
            {
                $($members)*
                ($field $($wire)?, required, u64, { $($($rev)*)? } $($how)?)
            }
            $($rest)*
        );
    };

    (@member $attrs:tt $head:tt
        { $($fields:tt)* } { $($args:tt)* } { $($inits:tt)* } $setters:tt { $($members:tt)* }
        $(#[doc = $doc:expr])* $(#[read($how:ident)])? $field:ident $(as $wire:literal)? : $ty:ty $([$($rev:tt)*])? , $($rest:tt)*
    ) => {
        object!(@member $attrs $head
            {
                $($fields)*
                $(#[doc = $doc])*
                $(#[doc = lifetime_text!($($rev)*)])?
                pub $field: $ty,
            }
            { $($args)* $field: impl Into<$ty>, }
            { $($inits)* $field: $field.into(), }
            $setters
            {
                $($members)*
                ($field $($wire)?, required, $ty, { $($($rev)*)? } $($how)?)
            }
            $($rest)*
        );
    };

    (@member
        { $($attrs:tt)* }
        { $name:ident { $($rev:tt)* } $($key:literal = $tag:literal)? }
        { $($fields:tt)* } { $($args:tt)* } { $($inits:tt)* }
        { $($setters:tt)* }
        { $(($member:ident $($wire:literal)?, $presence:ident, $kind:ty, { $($member_rev:tt)* } $($how:ident)?))* }
    ) => {
        $($attrs)*
        #[derive(Debug, Clone, PartialEq)]
        #[non_exhaustive]
        pub struct $name {
            $(
                #[doc = $key]
                tag: $crate::union::Tag<Self>,
            )?
            $($fields)*
        }

        impl $name {
            /// Makes one of its required members.
            pub fn new($($args)*) -> Self {
                Self {
                    $(tag: $crate::union::Tag::of($key),)?
                    $($inits)*
                }
            }

            $($setters)*

            const LAYOUT: &$crate::read::Layout = &$crate::read::Layout {
                what: stringify!($name),
                names: $crate::read::names!($(concat!("=", $key),)? $(object!(@name $member $($wire)?)),*),
                needed: $crate::read::needed(&[
                    $(object!(@never $key),)? $(object!(@needed $presence $($how)?)),*
                ]),
            };
        }

        impl $crate::read::Read for $name {
            lazy_where_rare! { { $($rev)* }
                fn read(reader: &mut $crate::read::Reader<'_>) -> $crate::read::Result<Self> {
                    let mut object = <Self as $crate::read::Blank>::BLANK;
                    reader.object(
                        Self::LAYOUT,
                        &mut [
                            $(&mut $crate::read::Tag($tag),)?
                            $(object!(@slot object.$member $(, $how)?)),*
                        ],
                    )?;
                    Ok(object)
                }
            }
        }

        impl $crate::read::Blank for $name {
            const BLANK: Self = Self {
                $(tag: $crate::union::Tag::of($key),)?
                $($member: $crate::read::Blank::BLANK,)*
            };
        }

        $crate::read::deserialize_by_reading!($name);

        impl $crate::write::Members for $name {
            #[inline]
            fn visit(&self, each: &mut dyn FnMut(&str, $crate::write::Node<'_>)) {
                $crate::write::members(
                    Self::LAYOUT.names,
                    &[
                        $(&$tag,)?
                        $(object!(@part $presence self.$member $(, $how)?)),*
                    ],
                    each,
                );
            }
        }

        $crate::write::serialize_by_members!($name);

        $(
            impl $crate::union::Tagged for $name {
                const TAG: &'static str = $tag;
            }
        )?

        impl $crate::inventory::Described for $name {
            const INFO: $crate::inventory::TypeInfo = $crate::inventory::TypeInfo {
                name: stringify!($name),
                lifetime: lifetime!($($rev)*),
                shape: $crate::inventory::Shape::Object {
                    members: &[
                        $($crate::inventory::MemberInfo::constant($key, $tag),)?
                        $($crate::inventory::MemberInfo {
                            field: stringify!($member),
                            wire: object!(@wire $($wire)?),
                            presence: $crate::inventory::Presence::$presence(),
                            kind: stringify!($kind),
                            constant: None,
                            lifetime: lifetime!($($member_rev)*),
                        },)*
                    ],
                    open: false,
                },
            };
        }
    };

    (@wire) => { None };
    (@wire $wire:literal) => { Some($wire) };

    (@name $member:ident) => { stringify!($member) };
    (@name $member:ident $wire:literal) => { concat!("=", $wire) };

    (@part required $value:expr, lenient_integer) => { &$crate::write::OrNull(&$value) };
    (@part $presence:ident $value:expr $(, $how:ident)?) => { &&$value };

    (@slot $member:expr, lenient_integer) => { &mut $crate::read::LenientInteger(&mut $member) };
    (@slot $member:expr, lenient) => { &mut $crate::read::Lenient(&mut $member) };
    (@slot $member:expr, present) => { &mut $crate::read::Present(&mut $member) };
    (@slot $member:expr, one_or_list) => { &mut $crate::read::OneOrList(&mut $member) };
    (@slot $member:expr, default) => { &mut $crate::read::Maybe(&mut $member) };
    (@slot $member:expr) => { &mut $member };

    (@needed required default) => { false };
    (@needed required lenient_integer) => { false };
    (@needed required $($how:ident)?) => { true };
    (@needed optional $($how:ident)?) => { false };

    (@never $key:literal) => { false };
}

#[cfg(test)]
mod tests {
    use crate::{
        CallToolResult, ContentBlock, Empty, EmptyResult, Implementation, InitializeResult, JsonRpcError,
        ResourceContents, TextContent,
    };

    #[test]
    fn an_array_is_no_object() {
        fn refused<T: serde_core::de::DeserializeOwned>(text: &str) {
            let Err(error) = serde_json::from_str::<T>(text) else { panic!("{text}") };
            assert!(error.to_string().starts_with("invalid type: sequence, expected an object"), "{error}");
            let tree: serde_json::Value = serde_json::from_str(text).unwrap();
            assert!(serde_json::from_value::<T>(tree).is_err(), "{text}, from a tree");
        }
        refused::<Implementation>(r#"["a","b",null,null,null,null]"#);
        refused::<EmptyResult>("[]");
        refused::<Empty>("[]");
        refused::<CallToolResult>("[[],null,null,null,null]");
        refused::<TextContent>(r#"["text","t",null,null]"#);
        refused::<JsonRpcError>(r#"[-1,"m",null]"#);
        refused::<ResourceContents>(r#"["u",null,"t",null,null]"#);
        refused::<InitializeResult>(
            r#"{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":["a","b"]}"#,
        );
        assert!(serde_json::from_str::<ContentBlock>(r#"["text","t"]"#).is_err());
    }

    #[test]
    fn an_error_names_the_type() {
        let error = serde_json::from_str::<Implementation>("7").unwrap_err().to_string();
        assert_eq!(
            error,
            "invalid type: integer `7`, expected an object (Implementation) at line 1 column 1"
        );
        let error = serde_json::from_str::<Implementation>(r#"{"name":"n"}"#).unwrap_err().to_string();
        assert!(error.starts_with("missing field `version`"), "{error}");
    }
}
