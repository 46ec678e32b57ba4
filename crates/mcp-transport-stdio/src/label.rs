use std::ffi::{OsStr, OsString};

/// A command line for errors and logs: quoted where needed, cut where long, and without the values of arguments that
/// look like secrets by their names.
pub(crate) fn label(program: &OsStr, arguments: &[OsString]) -> String {
    let mut label = quoted(&program.to_string_lossy());
    let mut mask_next = false;
    for argument in arguments {
        let argument = argument.to_string_lossy();
        label.push(' ');
        label.push_str(&if mask_next && !argument.starts_with('-') {
            mask_next = false;
            String::from(MASK)
        } else {
            mask_next = argument.starts_with('-') && !argument.contains('=') && names_a_secret(&argument);
            quoted(&masked(&argument))
        });
    }
    if label.len() > LIMIT {
        let end = (0..=LIMIT).rev().find(|at| label.is_char_boundary(*at)).unwrap_or(0);
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
    if let Some((name, _)) = argument.split_once(['=', ':'])
        && names_a_secret(name)
        && !name.contains('/')
    {
        let end = name.len() + 1;
        return format!("{}{MASK}", &argument[..end]);
    }
    if let Some((scheme, rest)) = argument.split_once("://") {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
        if let Some((credentials, _)) = authority.rsplit_once('@') {
            return format!("{scheme}://{MASK}{}", &rest[credentials.len()..]);
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
    let name = name.to_ascii_lowercase();
    WORDS.iter().any(|word| name.contains(word)) || name.ends_with("_key") || name.ends_with("-key")
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./\\:=@+,%*~".contains(c);
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
