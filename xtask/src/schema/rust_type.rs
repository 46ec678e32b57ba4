//! The name of a Rust type, as a macro has it in its hands: `List<Icon>`.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RustType {
    /// Without its path.
    pub(super) name: String,
    pub(super) arguments: Vec<RustType>,
}

impl RustType {
    pub(super) fn named(name: &str) -> Self {
        Self { name: name.to_string(), arguments: Vec::new() }
    }

    /// # Errors
    /// It is not a path with arguments, which is all that members of the types are.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut rest = text.trim();
        let parsed = Self::take(&mut rest);
        parsed.filter(|_| rest.is_empty()).ok_or_else(|| format!("`{text}` is no type that xtask can read"))
    }

    fn take(rest: &mut &str) -> Option<Self> {
        let end = rest.find(['<', '>', ',']).unwrap_or(rest.len());
        let path = rest[..end].trim();
        let name = path.rsplit("::").next().unwrap_or(path).trim().to_string();
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return None;
        }
        *rest = &rest[end..];
        let mut arguments = Vec::new();
        if let Some(inner) = rest.strip_prefix('<') {
            *rest = inner;
            loop {
                arguments.push(Self::take(rest)?);
                match rest.as_bytes().first()? {
                    b',' => *rest = rest[1..].trim_start(),
                    _ => break,
                }
            }
            *rest = rest.strip_prefix('>')?.trim_start();
        }
        Some(Self { name, arguments })
    }
}

impl fmt::Display for RustType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (index, argument) in self.arguments.iter().enumerate() {
            write!(f, "{}{argument}", if index == 0 { "<" } else { ", " })?;
        }
        f.write_str(if self.arguments.is_empty() { "" } else { ">" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_arguments_are_read() {
        for (text, read) in [
            ("String", "String"),
            ("crate :: List < crate::Icon >", "List<Icon>"),
            ("Map<Vec<u64>, Option<X>>", "Map<Vec<u64>, Option<X>>"),
        ] {
            assert_eq!(RustType::parse(text).map(|ty| ty.to_string()), Ok(read.to_string()));
        }
        for text in ["", "&str", "[u8; 4]", "List<", "List<A>>", "(A, B)"] {
            assert!(RustType::parse(text).is_err(), "{text}");
        }
    }
}
