/// The wire text of a variant of `Revision`, as a literal, for docs.
macro_rules! revision_text {
    (V2024_11_05) => {
        "2024-11-05"
    };
    (V2025_03_26) => {
        "2025-03-26"
    };
    (V2025_06_18) => {
        "2025-06-18"
    };
    (V2025_11_25) => {
        "2025-11-25"
    };
    (V2026_07_28) => {
        "2026-07-28"
    };
}

/// The last paragraph of an item's docs, when not all revisions have it.
macro_rules! lifetime_text {
    (for servers) => {
        ""
    };
    (for servers $($rev:ident)+) => {
        lifetime_text!($($rev)+)
    };
    (since $since:ident) => {
        concat!("\n\nSince ", revision_text!($since), ".")
    };
    (until $until:ident) => {
        concat!("\n\nUntil ", revision_text!($until), ".")
    };
    (only $only:ident) => {
        concat!("\n\nOnly in ", revision_text!($only), ".")
    };
    (since $since:ident until $until:ident) => {
        concat!("\n\nSince ", revision_text!($since), ", until ", revision_text!($until), ".")
    };
    (extension) => {
        "\n\nOf an extension."
    };
}

/// The first and the last revision of an item, as an `inventory::Lifetime`.
macro_rules! lifetime {
    (for servers $($rev:ident)*) => {
        lifetime!($($rev)*)
    };
    () => {
        $crate::inventory::Lifetime::ALL
    };
    (since $since:ident) => {
        $crate::inventory::Lifetime {
            since: $crate::Revision::$since,
            ..$crate::inventory::Lifetime::ALL
        }
    };
    (until $until:ident) => {
        $crate::inventory::Lifetime {
            until: $crate::Revision::$until,
            ..$crate::inventory::Lifetime::ALL
        }
    };
    (only $only:ident) => {
        lifetime!(since $only until $only)
    };
    (since $since:ident until $until:ident) => {
        $crate::inventory::Lifetime {
            since: $crate::Revision::$since,
            until: $crate::Revision::$until,
            extension: false,
        }
    };
    (extension) => {
        $crate::inventory::Lifetime {
            extension: true,
            ..$crate::inventory::Lifetime::ALL
        }
    };
}

/// A function, `#[inline]` for types of extensions and for what clients only write: those are compiled in the crates that read
/// them, which are few.
macro_rules! lazy_where_rare {
    ({ extension } $($function:tt)*) => {
        #[inline]
        $($function)*
    };
    ({ for servers $($rev:ident)* } $($function:tt)*) => {
        #[inline]
        $($function)*
    };
    ({ $($rev:ident)* } $($function:tt)*) => {
        $($function)*
    };
}
