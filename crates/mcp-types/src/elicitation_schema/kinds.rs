//! The kinds of members that a form can have.

use crate::Number;

object! {
    /// A text.
    #[derive(Default)]
    pub struct StringSchema [since V2025_06_18] tagged "type" = "string" {
        /// The name, for people.
        title? with_title: String,
        /// What it is, for people.
        description? with_description: String,
        /// The least length, in characters.
        #[read(lenient_integer)]
        min_length? with_min_length: u64,
        /// The greatest length, in characters.
        #[read(lenient_integer)]
        max_length? with_max_length: u64,
        /// The form of the text.
        format? with_format: StringFormat,
        /// The value to start with.
        default? with_default: String [since V2025_11_25],
    }
}

open_enum! {
    /// The form of a text.
    pub enum StringFormat [since V2025_06_18] {
        /// An address of electronic mail.
        Email = "email",
        /// A URI.
        Uri = "uri",
        /// A date, in ISO 8601.
        Date = "date",
        /// A date and a time, in ISO 8601.
        DateTime = "date-time",
    }
}

object! {
    /// A number.
    pub struct NumberSchema [since V2025_06_18] {
        /// Whether fractions are allowed.
        kind as "type": NumberKind,
        /// The name, for people.
        title? with_title: String,
        /// What it is, for people.
        description? with_description: String,
        /// The least value.
        minimum? with_minimum: Number,
        /// The greatest value.
        maximum? with_maximum: Number,
        /// The value to start with.
        default? with_default: Number [since V2025_11_25],
    }
}

open_enum! {
    /// Whether a number may have a fraction.
    pub enum NumberKind [since V2025_06_18] {
        /// It may.
        Number = "number",
        /// It may not.
        Integer = "integer",
    }
}

object! {
    /// Yes or no.
    #[derive(Default)]
    pub struct BooleanSchema [since V2025_06_18] tagged "type" = "boolean" {
        /// The name, for people.
        title? with_title: String,
        /// What it is, for people.
        description? with_description: String,
        /// The value to start with.
        default? with_default: bool,
    }
}

object! {
    /// One of some values.
    pub struct UntitledSingleSelectEnumSchema [since V2025_06_18] tagged "type" = "string" {
        /// The values.
        values as "enum": Vec<String>,
        /// The name, for people.
        title? with_title: String,
        /// What it is, for people.
        description? with_description: String,
        /// The value to start with.
        default? with_default: String [since V2025_11_25],
    }
}

object! {
    /// One of some values with titles.
    pub struct TitledSingleSelectEnumSchema [since V2025_11_25] tagged "type" = "string" {
        /// The values.
        one_of: Vec<EnumOption>,
        /// The name, for people.
        title? with_title: String,
        /// What it is, for people.
        description? with_description: String,
        /// The value to start with.
        default? with_default: String,
    }
}

object! {
    /// A value with its title.
    #[derive(Eq)]
    pub struct EnumOption [since V2025_11_25] {
        /// The value.
        value as "const": String,
        /// The text to show for it.
        title: String,
    }
}

object! {
    /// Several of some values.
    pub struct UntitledMultiSelectEnumSchema [since V2025_11_25] tagged "type" = "array" {
        /// The values.
        items: UntitledItems,
        /// The name, for people.
        title? with_title: String,
        /// What it is, for people.
        description? with_description: String,
        /// The least number of values.
        #[read(lenient_integer)]
        min_items? with_min_items: u64,
        /// The greatest number of values.
        #[read(lenient_integer)]
        max_items? with_max_items: u64,
        /// The values to start with.
        default? with_default: Vec<String>,
    }
}

object! {
    /// The values of a multiple choice.
    #[derive(Eq)]
    pub struct UntitledItems [since V2025_11_25] tagged "type" = "string" {
        /// The values.
        values as "enum": Vec<String>,
    }
}

object! {
    /// Several of some values with titles.
    pub struct TitledMultiSelectEnumSchema [since V2025_11_25] tagged "type" = "array" {
        /// The values.
        items: TitledItems,
        /// The name, for people.
        title? with_title: String,
        /// What it is, for people.
        description? with_description: String,
        /// The least number of values.
        #[read(lenient_integer)]
        min_items? with_min_items: u64,
        /// The greatest number of values.
        #[read(lenient_integer)]
        max_items? with_max_items: u64,
        /// The values to start with.
        default? with_default: Vec<String>,
    }
}

object! {
    /// The values of a multiple choice, with titles.
    #[derive(Eq)]
    pub struct TitledItems [since V2025_11_25] {
        /// The values.
        any_of: Vec<EnumOption>,
    }
}

object! {
    /// One of some values with titles, as it was written first. Deprecated since 2025-11-25.
    pub struct LegacyTitledEnumSchema [since V2025_06_18] tagged "type" = "string" {
        /// The values.
        values as "enum": Vec<String>,
        /// The text to show for each, in the same order.
        enum_names? with_enum_names: Vec<String>,
        /// The name, for people.
        title? with_title: String,
        /// What it is, for people.
        description? with_description: String,
        /// The value to start with.
        default? with_default: String [since V2025_11_25],
    }
}
