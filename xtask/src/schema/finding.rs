//! What does not agree.

use std::fmt;

use super::revision::Revision;

/// What is compared. The names stand in the file of waivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Rule {
    /// Every definition of the schema has a type.
    Type,
    /// Every property of the schema has a member.
    Member,
    /// Every property of the schema was reached by the comparison.
    Reached,
    /// A member holds what the schema allows.
    Kind,
    /// A member holds nothing that no revision allows.
    Wider,
    /// A member that must be there is required by the schema.
    Required,
    /// A member that may be absent is optional in some revision.
    Optional,
    /// Every value of an enum and every constant of the schema is known.
    Value,
    /// Every alternative of a union of the schema has a variant.
    Variant,
    /// Everything in Rust is in a schema, or has another source.
    Extra,
    /// "Since" and "Until" are those of the schemas.
    Lifetime,
    /// The table of methods says what the schema says.
    Method,
    /// A marker type has the parameters and the result of its method.
    Marker,
    /// What belongs to an extension says where it comes from.
    Extension,
    /// Every public type is in the inventory.
    Listed,
    /// An official example survives a round trip.
    Example,
}

impl Rule {
    pub(super) const ALL: [(Self, &'static str); 16] = [
        (Self::Type, "type"),
        (Self::Member, "member"),
        (Self::Reached, "reached"),
        (Self::Kind, "kind"),
        (Self::Wider, "wider"),
        (Self::Required, "required"),
        (Self::Optional, "optional"),
        (Self::Value, "value"),
        (Self::Variant, "variant"),
        (Self::Extra, "extra"),
        (Self::Lifetime, "lifetime"),
        (Self::Method, "method"),
        (Self::Marker, "marker"),
        (Self::Extension, "extension"),
        (Self::Listed, "listed"),
        (Self::Example, "example"),
    ];

    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(rule, _)| *rule == self).map_or("", |(_, name)| name)
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, other)| *other == name).map(|(rule, _)| *rule)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Finding {
    /// `None`: it is about all revisions together.
    pub(super) revision: Option<Revision>,
    /// A type or definition, with `.member` where it is about one.
    pub(super) place: String,
    pub(super) rule: Rule,
    pub(super) problem: String,
    pub(super) fix: String,
}

impl Finding {
    pub(super) fn new(
        revision: impl Into<Option<Revision>>,
        place: impl Into<String>,
        rule: Rule,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self {
            revision: revision.into(),
            place: place.into(),
            rule,
            problem: problem.into(),
            fix: fix.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(revision) = self.revision {
            write!(f, "{revision} ")?;
        }
        write!(f, "{} [{}]: {}; fix: {}", self.place, self.rule.name(), self.problem, self.fix)
    }
}
