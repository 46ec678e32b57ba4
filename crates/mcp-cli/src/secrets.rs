//! Values that were given as secrets: they are shown nowhere.

/// What stands for a secret.
pub(crate) const HIDDEN: &str = "[redacted]";

/// Shorter values are words and switches (`1`, `true`, `debug`): hiding those would hide everything.
const SHORTEST: usize = 6;

/// Values of header fields and of the environment of a server.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    pub(crate) fn add(&mut self, value: &str) {
        if value.len() >= SHORTEST && value != "Bearer" {
            self.0.push(value.to_owned());
            // A longer one may hold a shorter one.
            self.0.sort_unstable_by_key(|value| std::cmp::Reverse(value.len()));
        }
    }

    /// The same text with [`HIDDEN`] for each of them, also where it is written as a JSON string.
    pub(crate) fn hide(&self, text: &str) -> String {
        let mut hidden = text.to_owned();
        for secret in &self.0 {
            hidden = hidden.replace(secret.as_str(), HIDDEN);
            let json = serde_json::to_string(secret).unwrap_or_default();
            let inner = json.trim_matches('"');
            if inner != secret && !inner.is_empty() {
                hidden = hidden.replace(inner, HIDDEN);
            }
        }
        hidden
    }
}

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} values", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn given_values_are_hidden_wherever_they_stand() {
        let mut secrets = Secrets::default();
        for value in ["s3cret-token", "s3cret-token-long", "a\"quoted\"b", "1", "true"] {
            secrets.add(value);
        }
        assert_eq!(
            secrets.hide("x s3cret-token-long y s3cret-token 1 true"),
            "x [redacted] y [redacted] 1 true"
        );
        assert_eq!(secrets.hide(r#"{"a":"a\"quoted\"b"}"#), r#"{"a":"[redacted]"}"#);
        assert_eq!(format!("{secrets:?}"), "3 values");
    }
}
