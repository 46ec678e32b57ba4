use crate::{List, Meta};

object! {
    /// Who a client or a server is. Said by itself and not verified: for display and logs, never for decisions.
    ///
    /// Schema: `Implementation`.
    pub struct Implementation {
        /// The name, for programs.
        name: String,
        /// The version of the software, in any form.
        version: String,
        /// The name, for people.
        title? with_title: String [since V2025_06_18],
        /// What it does.
        description? with_description: String [since V2025_11_25],
        /// URL of a web site about it.
        website_url? with_website_url: String [since V2025_11_25],
        /// Icons for display.
        icons? with_icons: List<Icon> [since V2025_11_25],
    }
}

object! {
    /// An icon, with hints on when to use it.
    ///
    /// The source comes from the peer. Show only `https:` and `data:` sources, fetch without credentials and from the
    /// peer's own origin, and take care with SVG, which can hold scripts.
    /// Section: [General fields, `icons`](https://modelcontextprotocol.io/specification/2026-07-28/basic#icons).
    pub struct Icon [since V2025_11_25] {
        /// URI of the image, often a `data:` URI.
        src: String,
        /// MIME type, when the source does not say it or says it wrongly.
        mime_type? with_mime_type: String,
        /// Sizes that it is good for, such as `48x48`, or `any` for formats that scale. Absent means any.
        sizes? with_sizes: Vec<String>,
        /// The background that it is made for. Absent means any.
        theme? with_theme: IconTheme,
    }
}

open_enum! {
    /// The background that an icon is made for.
    pub enum IconTheme [since V2025_11_25] {
        /// A light one.
        Light = "light",
        /// A dark one.
        Dark = "dark",
    }
}

object! {
    /// Hints on how to use or show an object.
    #[derive(Default)]
    pub struct Annotations {
        /// Whom it is for.
        audience? with_audience: Vec<Role>,
        /// How important it is, from 0 (can be left out) to 1 (needed). Not checked; what is no number reads as absent.
        #[read(lenient)]
        priority? with_priority: f64,
        /// When it was last changed, in ISO 8601.
        last_modified? with_last_modified: String [since V2025_06_18],
    }
}

open_enum! {
    /// Who says or gets something in a conversation.
    pub enum Role {
        /// The person.
        User = "user",
        /// The model.
        Assistant = "assistant",
    }
}

open_enum! {
    /// How to read a result. Absent means [`ResultType::Complete`].
    ///
    /// Extensions may add values; one that the receiver does not know makes the result invalid.
    /// Section: [ResultType](https://modelcontextprotocol.io/specification/2026-07-28/basic#resulttype).
    pub enum ResultType [since V2026_07_28] {
        /// The request is done; the result is that of its method.
        Complete = "complete",
        /// The server needs more from the client: the result is an
        /// [`InputRequiredResult`](crate::InputRequiredResult).
        InputRequired = "input_required",
    }
}

object! {
    /// A result without members of its own. Schema: `EmptyResult`.
    #[derive(Default)]
    pub struct EmptyResult {
        /// How to read the result.
        result_type? with_result_type: ResultType [since V2026_07_28],
        /// Metadata.
        meta? with_meta as "_meta": Meta,
    }
}

/// Parameters of a request that has none of its own. Schema: `RequestParams`.
pub type RequestParams = crate::Empty;

/// Parameters of a notification that has none of its own. Schema: `NotificationParams`.
pub type NotificationParams = crate::Empty;
