use std::ffi::{OsStr, OsString};

/// A command line for errors and logs: quoted where needed, cut where long, and without the values of arguments that
/// look like secrets by their names.
pub(crate) fn label(program: &OsStr, arguments: &[OsString]) -> String {
    let mut label = quoted(&program.to_string_lossy());
    let mut mask_next = false;
    for argument in arguments {
        let argument = argument.to_string_lossy();
        let is_option = argument.as_bytes().starts_with(b"-");
        label.push(' ');
        if mask_next && !is_option {
            mask_next = false;
            label.push_str(MASK);
        } else {
            mask_next = is_option && !argument.as_bytes().contains(&b'=') && names_a_secret(&argument);
            label.push_str(&quoted(&masked(&argument)));
        }
    }
    if label.len() > LIMIT {
        let mut end = LIMIT;
        while !label.is_char_boundary(end) {
            end -= 1;
        }
        label.truncate(end);
        label.push('…');
    }
    label
}

const MASK: &str = "***";

/// In bytes.
const LIMIT: usize = 300;

/// `NAME=value`, `Name: value` and URLs with credentials, without the value.
fn masked(argument: &str) -> String {
    let bytes = argument.as_bytes();
    let Some(end) = bytes.iter().position(|byte| matches!(byte, b'=' | b':')) else {
        return argument.to_owned();
    };
    let name = &argument[..end];
    if names_a_secret(name) && !name.as_bytes().contains(&b'/') {
        return format!("{}{MASK}", &argument[..=end]);
    }
    if let Some(at) = bytes.windows(3).position(|three| three == b"://") {
        let rest = at + 3;
        let authority = bytes[rest..].iter().take_while(|byte| !matches!(byte, b'/' | b'?' | b'#')).count();
        if let Some(credentials) = bytes[rest..rest + authority].iter().rposition(|byte| *byte == b'@') {
            return format!("{}{MASK}{}", &argument[..rest], &argument[rest + credentials..]);
        }
    }
    argument.to_owned()
}

fn names_a_secret(name: &str) -> bool {
    const WORDS: [&str; 9] = [
        "token",
        "secret",
        "password",
        "passwd",
        "apikey",
        "api-key",
        "api_key",
        "authorization",
        "credential",
    ];
    let name = name.as_bytes();
    let holds = |word: &&str| name.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()));
    WORDS.iter().any(holds)
        || name.last_chunk().is_some_and(|end: &[u8; 4]| {
            matches!(end[0], b'_' | b'-') && end[1..].eq_ignore_ascii_case(b"key")
        })
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || (c.is_ascii() && b"-_./\\:=@+,%*~".contains(&(c as u8)));
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("{word:?}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &[&str]) -> String {
        let arguments: Vec<OsString> = command[1..].iter().map(Into::into).collect();
        label(OsStr::new(command[0]), &arguments)
    }

    #[test]
    fn a_label_is_the_command_line() {
        assert_eq!(
            of(&["npx", "-y", "@scope/server", "/a b", "", "x\ny"]),
            r#"npx -y @scope/server "/a b" "" "x\ny""#
        );
    }

    #[test]
    fn what_is_named_like_a_secret_is_masked() {
        assert_eq!(of(&["s", "--api-key", "k", "--port", "1"]), "s --api-key *** --port 1");
        assert_eq!(of(&["s", "--token=t"]), "s --token=***");
        assert_eq!(of(&["docker", "-e", "GITHUB_TOKEN=t", "img"]), "docker -e GITHUB_TOKEN=*** img");
        assert_eq!(
            of(&["mcp-remote", "https://u:p@host/mcp", "--header", "Authorization: Bearer t"]),
            "mcp-remote https://***@host/mcp --header Authorization:***"
        );
        assert_eq!(of(&["s", "--use-token", "--verbose"]), "s --use-token --verbose");
    }

    #[test]
    fn a_long_label_is_cut() {
        let label = of(&["sh", "-c", &"é".repeat(1000)]);
        assert!(label.len() <= LIMIT + '…'.len_utf8());
        assert!(label.ends_with('…'));
    }
}
