//! Takes what looks like a secret out of a JSON text, and leaves its form.

use crate::secrets::HIDDEN;

/// Names of members whose texts are secrets: as they stand, or as the end of a longer name. Compared without case, `_` and
/// `-`.
const NAMES: [&str; 13] = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "apikey",
    "token",
    "authorization",
    "cookie",
    "credential",
    "credentials",
    "privatekey",
    "accesskey",
    "otp",
];

/// Names that end like these, and are none.
const HARMLESS: [&str; 4] = ["progresstoken", "pagetoken", "nexttoken", "continuationtoken"];

/// How known kinds of secrets begin.
const BEGINNINGS: [&str; 14] = [
    "sk-",
    "ghp_",
    "gho_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "npm_",
    "eyJ",
    "ya29.",
];

/// Shorter words that begin so are words.
const SHORTEST: usize = 16;

/// The same JSON with [`HIDDEN`] in place of texts that are secrets: by the name of their member, or by their look.
/// For text that is no JSON there is [`look`].
pub(crate) fn redact(json: &str) -> String {
    let mut clean = String::with_capacity(json.len());
    let mut name = String::new();
    // For each open bracket, whether it is that of a list of secrets.
    let mut lists = Vec::new();
    let mut before = ' ';
    let mut at = 0;
    let bytes = json.as_bytes();
    while at < bytes.len() {
        let byte = bytes[at];
        if byte != b'"' {
            match byte {
                b'[' => lists.push(before == ':' && is_secret_name(&name)),
                b'{' => lists.push(false),
                b']' | b'}' => {
                    lists.pop();
                }
                _ => {}
            }
            let c = json[at..].chars().next().unwrap_or(' ');
            if !c.is_whitespace() {
                before = c;
            }
            clean.push(c);
            at += c.len_utf8();
            continue;
        }
        let end = string_end(bytes, at);
        let token = &json[at..end];
        let is_name = json[end..].trim_start().starts_with(':');
        if is_name {
            name = serde_json::from_str(token).unwrap_or_default();
            clean.push_str(token);
        } else {
            let by_name =
                (before == ':' && is_secret_name(&name)) || (before != ':' && lists.last() == Some(&true));
            clean.push_str(&value(token, by_name));
        }
        before = '"';
        at = end;
    }
    clean
}

fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn value(token: &str, by_name: bool) -> String {
    let Ok(text) = serde_json::from_str::<String>(token) else { return look(token) };
    let hidden = if by_name && !text.is_empty() { HIDDEN.to_owned() } else { look(&text) };
    if hidden == text { token.to_owned() } else { serde_json::to_string(&hidden).unwrap_or_default() }
}

fn is_secret_name(name: &str) -> bool {
    let plain: String =
        name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).collect::<String>().to_lowercase();
    NAMES.iter().any(|secret| plain.ends_with(secret)) && !HARMLESS.iter().any(|other| plain.ends_with(other))
}

/// Hides the words of a text that look like secrets, and `name=value` whose name says so.
pub(super) fn look(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    let mut word_before = "";
    while !rest.is_empty() {
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        if !word.is_empty() {
            let follows_name = clean.ends_with(['=']) && is_secret_name(word_before);
            let follows_scheme =
                matches!(word_before, "Bearer" | "Basic") && clean.ends_with(' ') && word.len() >= 8;
            if follows_name || follows_scheme || looks_secret(word) {
                clean.push_str(HIDDEN);
            } else {
                clean.push_str(word);
            }
            word_before = word;
        }
        let Some(c) = behind.chars().next() else { break };
        clean.push(c);
        rest = &behind[c.len_utf8()..];
    }
    clean
}

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+' | '/' | '~')
}

fn looks_secret(word: &str) -> bool {
    word.len() >= SHORTEST && BEGINNINGS.iter().any(|beginning| word.starts_with(beginning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_taken_out_and_the_rest_stays() {
        for (json, expected) in [
            (r#"{"password":"hunter2","user":"me"}"#, r#"{"password":"[redacted]","user":"me"}"#),
            (r#"{"db_password" : "a\"b","x":[1.50]}"#, r#"{"db_password" : "[redacted]","x":[1.50]}"#),
            (r#"{"api-key":"k","apiKeys":"no"}"#, r#"{"api-key":"[redacted]","apiKeys":"no"}"#),
            (
                r#"{"tokens":["a"],"token":["a","b"],"z":["c"]}"#,
                r#"{"tokens":["a"],"token":["[redacted]","[redacted]"],"z":["c"]}"#,
            ),
            (
                r#"{"_meta":{"progressToken":"p1"},"nextPageToken":"n"}"#,
                r#"{"_meta":{"progressToken":"p1"},"nextPageToken":"n"}"#,
            ),
            (
                r#"{"properties":{"password":{"type":"string"}},"required":["password"]}"#,
                r#"{"properties":{"password":{"type":"string"}},"required":["password"]}"#,
            ),
            (r#"{"text":"use ghp_abcdefghijklmnop0123 now"}"#, r#"{"text":"use [redacted] now"}"#),
            (
                r#"{"text":"Authorization: Bearer abcdefgh.1234"}"#,
                r#"{"text":"Authorization: Bearer [redacted]"}"#,
            ),
            (
                r#"{"uri":"https://h/x?access_token=abc&y=1"}"#,
                r#"{"uri":"https://h/x?access_token=[redacted]&y=1"}"#,
            ),
            (
                r#"{"text":"sk-8 and eyJ are words","n":9007199254740993}"#,
                r#"{"text":"sk-8 and eyJ are words","n":9007199254740993}"#,
            ),
            (r#"{"maxTokens":512,"secret":5,"token":""}"#, r#"{"maxTokens":512,"secret":5,"token":""}"#),
        ] {
            assert_eq!(redact(json), expected);
            assert!(serde_json::from_str::<serde_json::Value>(&redact(json)).is_ok());
        }
    }

    #[test]
    fn what_is_no_json_does_no_harm() {
        for text in ["", "\"", "\"\\", "{\"a", "]]}", "päge", "\"é"] {
            assert!(redact(text).len() >= text.len(), "{text}");
        }
        assert_eq!(look("päge ghp_abcdefghijklmnop0123, é"), "päge [redacted], é");
    }
}
