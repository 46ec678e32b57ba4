//! The page of `mcp view` in a real browser, headless.
//!
//! Without a browser nothing is checked here, and that is said on the terminal, whatever the test runner captures; in CI
//! (`CI` is set) it is a failure, unless `MCP_NO_BROWSER=1` says that it is meant.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Mutex,
};

use serde_json::Value;

use crate::common::{finish, folder, mcp_args};

const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// One browser at a time: each is many processes.
static ONE: Mutex<()> = Mutex::new(());

fn browser() -> Option<PathBuf> {
    if let Some(path) = env::var_os("MCP_BROWSER") {
        return Some(path.into());
    }
    let folders: Vec<_> = env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect();
    let found = BROWSERS.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let found = found.into_iter().find(|path| path.is_file());
    if found.is_none() {
        let set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let told = "SKIPPED: no browser, so the page of `mcp view` was not looked at; install Chromium, or name one in MCP_BROWSER\n";
        let _ = std::io::stderr().write_all(told.as_bytes());
        assert!(!set("CI") || set("MCP_NO_BROWSER"), "{told}(MCP_NO_BROWSER=1 does without in CI)");
    }
    found
}

/// The document as the browser has it when the page is at rest.
fn dom(browser: &Path, url: &str, profile: &Path) -> String {
    let _one = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let mut command = Command::new(browser);
    command
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1200,900",
        ])
        .args(["--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    finish(command.spawn().unwrap()).expect(0).out
}

/// A recording with a hostile frame, and its page.
fn page(folder: &Path) -> PathBuf {
    let file = folder.join("s.jsonl");
    let page = folder.join("page.html");
    mcp_args(["record", file.to_str().unwrap(), "call", "--demo", "slow", "steps=2", "milliseconds=20"])
        .expect(0);
    let hostile = r#"{"ms":900,"from":"server","frame":{"jsonrpc":"2.0","method":"</script><img src=x onerror=document.title='hit'>","params":{"n":9007199254740993}}}"#;
    let mut recording = fs::OpenOptions::new().append(true).open(&file).unwrap();
    writeln!(recording, "{hostile}").unwrap();
    mcp_args(["view", file.to_str().unwrap(), "-o", page.to_str().unwrap()]).expect(0);
    page
}

/// Does what a person does, and leaves what was seen in the document.
const DRIVER: &str = include_str!("browser.js");

fn seen(dom: &str) -> Value {
    let text =
        dom.split("<pre id=\"seen\">").nth(1).unwrap_or_else(|| panic!("the page did not answer: {dom}"));
    let text =
        text.split("</pre>").next().unwrap().replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_page_is_drawn_searched_and_unfolded() {
    let Some(browser) = browser() else { return };
    let folder = folder("browser");
    let page = page(&folder);

    // As it is, under its own policy.
    let whole = dom(&browser, &format!("file://{}", page.display()), &folder.join("profile"));
    assert!(whole.contains("demo server – MCP recording") && whole.contains("tools/call slow"), "{whole}");
    assert!(!whole.contains("<img"), "{whole}");
    // A search in the address.
    let found = dom(&browser, &format!("file://{}#q=tools/call", page.display()), &folder.join("profile"));
    let count = found.split("<output").nth(1).unwrap().split(['>', '<']).nth(1).unwrap().to_owned();
    assert!(count.contains(" of ") && found.contains("hidden"), "{count}");

    // A copy that is driven.
    let driven = folder.join("driven.html");
    fs::write(
        &driven,
        fs::read_to_string(&page).unwrap().replace("</body>", &format!("<script>{DRIVER}</script></body>")),
    )
    .unwrap();
    let seen = seen(&dom(&browser, &format!("file://{}", driven.display()), &folder.join("profile")));
    let rows = seen["rows"].as_u64().unwrap();
    assert!(rows >= 10, "{seen}");
    assert_eq!(seen["count"], format!("{rows} lines"), "{seen}");
    assert_eq!(seen["images"], 0, "{seen}");
    for held in ["toServer", "bar", "spans", "folded", "unfolded", "jumped", "foldedAgain"] {
        assert_eq!(seen[held], true, "{held}: {seen}");
    }
    assert!(seen["took"].as_str().unwrap().contains(" ms"), "{seen}");
    assert_eq!(seen["found"], serde_json::json!(["notifications/progress 2 of 2"]), "{seen}");
    assert_eq!(seen["marks"], serde_json::json!([1]), "{seen}");
    assert_eq!(seen["allAgain"], rows, "{seen}");
    assert_eq!(seen["digits"], 1, "every digit of a number is there: {seen}");
}
