use std::ffi::{OsStr, OsString};

use crate::resolve::Os;

/// What a server's process inherits of our environment.
///
/// Variables set on [`Stdio`](crate::Stdio) come on top and win, whatever is inherited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Inherit {
    /// The variables of [`LISTED`](Self::LISTED), and whatever begins with [`LISTED_PREFIXES`](Self::LISTED_PREFIXES):
    /// what programs need to start, to find their files and to reach the network. Tokens and keys that happen to stand
    /// in our environment are not for every server.
    ///
    /// Proxy variables may hold a password; a server that may use the proxy needs it. Remove them with
    /// [`Stdio::env_remove`](crate::Stdio::env_remove) where that is not wanted. Values that begin with `()` are left
    /// out: old shells would run them.
    #[default]
    Listed,
    /// Everything.
    All,
    /// Nothing: the environment is what is set on [`Stdio`](crate::Stdio).
    Nothing,
}

impl Inherit {
    /// The variables that [`Inherit::Listed`] passes on. Names are compared without case on Windows, exactly elsewhere.
    pub const LISTED: &'static [&'static str] = &[
        // Who and where.
        "HOME",
        "LOGNAME",
        "USER",
        "SHELL",
        "PATH",
        "TMPDIR",
        "TZ",
        // Terminal and language.
        "TERM",
        "COLORTERM",
        "NO_COLOR",
        "LANG",
        "LANGUAGE",
        // Proxies and certificates.
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "http_proxy",
        "https_proxy",
        "all_proxy",
        "no_proxy",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "NODE_EXTRA_CA_CERTS",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "NIX_SSL_CERT_FILE",
        // Where tool managers keep programs.
        "NVM_DIR",
        "VOLTA_HOME",
        "PYENV_ROOT",
        "UV_CACHE_DIR",
        "NPM_CONFIG_CACHE",
        // Windows.
        "ALLUSERSPROFILE",
        "APPDATA",
        "COMMONPROGRAMFILES",
        "COMMONPROGRAMFILES(X86)",
        "COMMONPROGRAMW6432",
        "COMPUTERNAME",
        "COMSPEC",
        "HOMEDRIVE",
        "HOMEPATH",
        "LOCALAPPDATA",
        "NUMBER_OF_PROCESSORS",
        "OS",
        "PATHEXT",
        "PROCESSOR_ARCHITECTURE",
        "PROGRAMDATA",
        "PROGRAMFILES",
        "PROGRAMFILES(X86)",
        "PROGRAMW6432",
        "PSMODULEPATH",
        "PUBLIC",
        "SYSTEMDRIVE",
        "SYSTEMROOT",
        "TEMP",
        "TMP",
        "USERDOMAIN",
        "USERNAME",
        "USERPROFILE",
        "WINDIR",
    ];

    /// The beginnings of names that [`Inherit::Listed`] passes on.
    pub const LISTED_PREFIXES: &'static [&'static str] = &["LC_", "XDG_"];

    fn passes(self, os: Os, name: &OsStr, value: &OsStr) -> bool {
        match self {
            Self::All => true,
            Self::Nothing => false,
            Self::Listed => {
                let Some(name) = name.to_str() else { return false };
                let listed =
                    Self::LISTED.iter().any(|listed| same_name(os, OsStr::new(listed), OsStr::new(name)));
                (listed || Self::LISTED_PREFIXES.iter().any(|prefix| name.starts_with(prefix)))
                    && !value.as_encoded_bytes().starts_with(b"()")
            }
        }
    }
}

/// One change to the inherited environment; `None` takes a variable out.
pub(crate) type Change = (OsString, Option<OsString>);

/// The child's environment: what is inherited of `ours`, then `changes` in order.
pub(crate) fn environment(
    os: Os,
    ours: &mut dyn Iterator<Item = (OsString, OsString)>,
    inherit: Inherit,
    also: &[OsString],
    changes: &[Change],
) -> Vec<(OsString, OsString)> {
    let mut theirs = Vec::new();
    for (name, value) in ours {
        if inherit.passes(os, &name, &value) || also.iter().any(|also| same_name(os, also, &name)) {
            theirs.push((name, value));
        }
    }
    for (name, value) in changes {
        theirs.retain(|(other, _)| !same_name(os, name, other));
        if let Some(value) = value {
            theirs.push((name.clone(), value.clone()));
        }
    }
    theirs
}

/// The value of a variable in an environment.
pub(crate) fn lookup<'a>(os: Os, environment: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    environment
        .iter()
        .find(|(other, _)| same_name(os, OsStr::new(name), other))
        .map(|(_, value)| value.as_os_str())
}

fn same_name(os: Os, left: &OsStr, right: &OsStr) -> bool {
    if os.is_windows() { left.eq_ignore_ascii_case(right) } else { left == right }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(list: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        list.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn change(name: &str, value: Option<&str>) -> Change {
        (name.into(), value.map(Into::into))
    }

    const OURS: &[(&str, &str)] = &[
        ("PATH", "/bin"),
        ("LC_ALL", "C"),
        ("https_proxy", "http://proxy"),
        ("SSL_CERT_FILE", "/ca.pem"),
        ("XDG_RUNTIME_DIR", "/run/user/1"),
        ("GITHUB_TOKEN", "secret"),
        ("Path", "not the same variable here"),
        ("SHELL", "() { :; }; echo run"),
    ];

    /// Field report S-09.
    #[test]
    fn only_listed_variables_are_inherited_by_default() {
        let theirs = environment(Os::Unix, &mut pairs(OURS).into_iter(), Inherit::default(), &[], &[]);
        assert_eq!(
            theirs,
            pairs(&[
                ("PATH", "/bin"),
                ("LC_ALL", "C"),
                ("https_proxy", "http://proxy"),
                ("SSL_CERT_FILE", "/ca.pem"),
                ("XDG_RUNTIME_DIR", "/run/user/1"),
            ])
        );
    }

    /// Field report S-09.
    #[test]
    fn what_is_set_wins_over_what_is_inherited() {
        let changes = [
            change("PATH", Some("/opt/bin")),
            change("LC_ALL", None),
            change("EXTRA", Some("1")),
            change("EXTRA", Some("2")),
        ];
        let also = ["GITHUB_TOKEN".into()];
        let theirs = environment(Os::Unix, &mut pairs(OURS).into_iter(), Inherit::Listed, &also, &changes);
        assert_eq!(lookup(Os::Unix, &theirs, "PATH"), Some(OsStr::new("/opt/bin")));
        assert_eq!(lookup(Os::Unix, &theirs, "LC_ALL"), None);
        assert_eq!(lookup(Os::Unix, &theirs, "EXTRA"), Some(OsStr::new("2")));
        assert_eq!(lookup(Os::Unix, &theirs, "GITHUB_TOKEN"), Some(OsStr::new("secret")));
    }

    /// Field report S-09.
    #[test]
    fn all_or_nothing_can_be_inherited() {
        let all = environment(Os::Unix, &mut pairs(OURS).into_iter(), Inherit::All, &[], &[]);
        assert_eq!(all, pairs(OURS));
        let changes = [change("ONLY", Some("1"))];
        let nothing = environment(Os::Unix, &mut pairs(OURS).into_iter(), Inherit::Nothing, &[], &changes);
        assert_eq!(nothing, pairs(&[("ONLY", "1")]));
    }

    /// Field report S-09.
    #[test]
    fn names_have_no_case_on_windows() {
        let ours =
            pairs(&[("Path", r"C:\Windows"), ("ComSpec", "cmd.exe"), ("PathExt", ".EXE"), ("Secret", "s")]);
        let changes = [change("PATH", Some(r"C:\node"))];
        let theirs = environment(Os::Windows, &mut ours.into_iter(), Inherit::Listed, &[], &changes);
        assert_eq!(theirs, pairs(&[("ComSpec", "cmd.exe"), ("PathExt", ".EXE"), ("PATH", r"C:\node")]));
        assert_eq!(lookup(Os::Windows, &theirs, "pathext"), Some(OsStr::new(".EXE")));
    }
}
