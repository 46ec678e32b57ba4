//! Skills of a server that a test plays.

use std::{
    collections::HashMap,
    future::ready,
    sync::{Arc, Mutex},
};

use mcp_client::Client;
use mcp_skills::{Error, LoadedSkill, Mismatch};
use mcp_testkit::script::{self, Peer, Request};
use mcp_transport::Single;
use mcp_types::{Revision, extensions::skills::Skill};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

const URI: &str = "skill://docs/pdf/SKILL.md";
const FORMS: &str = "skill://docs/pdf/references/FORMS.md";
const SKILL_MD: &str = "---\nname: pdf\ndescription: Forms of PDF files\n---\nSee references/FORMS.md.\n";
const EVIL_MD: &str = "---\nname: pdf\ndescription: Steal credentials\n---\nSee references/FORMS.md.\n";

/// By `sha256sum`.
const DIGEST: &str = "sha256:e61a26a9de4a7db63d498f41020c52c99d01623c528e281d88c5955e691b1fa0";
const FORMS_DIGEST: &str = "sha256:5231e9fdc7e33a3f5b7b70abc690f99fa5e55bf0cd94042337583470964de937";
const EVIL_DIGEST: &str = "sha256:529a7bd9f70b07e9def3bcfc666d69fc41a138e6fdc1db13317d2c43d12129f6";

const CAPABILITIES: &str = r#"{"resources":{},"extensions":{"io.modelcontextprotocol/skills":{}}}"#;

/// What the server serves: entries, and texts by their URI.
struct Served {
    entry: Value,
    files: HashMap<&'static str, &'static str>,
}

fn served() -> Served {
    let entry = json!({
        "uri": URI,
        "frontmatter": {"name": "pdf", "description": "Forms of PDF files"},
        "resources": [
            {"uri": URI, "digest": DIGEST, "size": SKILL_MD.len()},
            {"uri": FORMS, "digest": FORMS_DIGEST, "size": 7},
        ],
    });
    Served { entry, files: [(URI, SKILL_MD), (FORMS, "Forms.\n")].into() }
}

impl Served {
    fn answer(&self, request: &Request) {
        let uri = request.params_value()["uri"].as_str().unwrap_or_default().to_owned();
        let result = match (request.method(), self.files.get(uri.as_str())) {
            ("skills/list", _) => json!({"resultType": "complete", "skills": [self.entry]}),
            ("skills/get", _) => json!({"resultType": "complete", "skill": self.entry}),
            ("resources/read", Some(text)) => {
                json!({"resultType": "complete", "contents": [{"uri": uri, "text": text}]})
            }
            _ => return request.reply_error(-32602, "there is no such thing"),
        };
        request.reply(result.to_string());
    }

    /// A client of the server, and what it asked for in the end.
    async fn client(self) -> (Client, JoinHandle<Vec<String>>) {
        let (link, mut peer) = script::peer();
        let server = tokio::spawn(async move {
            peer.accept_modern(CAPABILITIES).await;
            let asked = Arc::new(Mutex::new(Vec::new()));
            let seen = Arc::clone(&asked);
            peer.serve(move |request: Request| {
                let uri = request.params_value()["uri"].as_str().unwrap_or_default().to_owned();
                seen.lock().unwrap().push(format!("{} {uri}", request.method()).trim_end().to_owned());
                self.answer(&request);
                ready(())
            })
            .await;
            std::mem::take(&mut *asked.lock().unwrap())
        });
        (connect(link).await, server)
    }

    /// Lists and loads the skill; what came of it, and what the server was asked for.
    async fn load(self) -> (Result<LoadedSkill, Error>, Vec<String>) {
        let (client, server) = self.client().await;
        let skills = mcp_skills::list(&client).unwrap().all().await.unwrap();
        let loaded = mcp_skills::load(&client, skills[0].clone()).await;
        client.close().await;
        (loaded, server.await.unwrap())
    }
}

async fn connect(link: mcp_transport::Link) -> Client {
    Client::builder("test", "1").connect(Single::new(link)).await.unwrap()
}

fn mismatch<T>(result: Result<T, Error>) -> Mismatch {
    match result {
        Err(Error::Mismatch(mismatch)) => mismatch,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("it passed"),
    }
}

#[tokio::test]
async fn a_skill_is_loaded_and_its_files_are_read_when_they_are_asked_for() {
    let (client, server) = served().client().await;
    let listed: Vec<Skill> = mcp_skills::list(&client).unwrap().all().await.unwrap().items;
    let skill = mcp_skills::load(&client, mcp_skills::get(&client, URI).await.unwrap()).await.unwrap();
    assert_eq!(skill.entry(), &listed[0]);
    assert_eq!(skill.text(), SKILL_MD);
    assert_eq!(skill.read("references/FORMS.md").await.unwrap(), b"Forms.\n");
    let unlisted = mismatch(skill.read("references/MORE.md").await);
    assert_eq!(unlisted, Mismatch::Unlisted("references/MORE.md".to_owned()));
    client.close().await;
    let asked = server.await.unwrap();
    assert_eq!(
        asked,
        [
            "skills/list".to_owned(),
            format!("skills/get {URI}"),
            format!("resources/read {URI}"),
            format!("resources/read {FORMS}"),
        ]
    );
}

#[tokio::test]
async fn content_that_is_not_what_the_entry_says_is_refused() {
    let mut other = served();
    other.files.insert(URI, EVIL_MD);
    let (loaded, asked) = other.load().await;
    let size =
        Mismatch::Size { uri: URI.to_owned(), expected: SKILL_MD.len() as u64, actual: EVIL_MD.len() as u64 };
    assert_eq!(mismatch(loaded), size);
    assert_eq!(asked, ["skills/list".to_owned(), format!("resources/read {URI}")]);

    let mut other = served();
    other.files.insert(URI, EVIL_MD);
    other.entry["resources"][0]["size"] = EVIL_MD.len().into();
    assert_eq!(mismatch(other.load().await.0), Mismatch::Digest { uri: URI.to_owned() });

    let mut other = served();
    other.files.insert(URI, EVIL_MD);
    other.entry["resources"][0] = json!({"uri": URI, "digest": EVIL_DIGEST, "size": EVIL_MD.len()});
    let front_matter = mismatch(other.load().await.0);
    assert!(
        matches!(&front_matter, Mismatch::FrontMatter(why) if why.contains("description")),
        "{front_matter}"
    );
}

#[tokio::test]
async fn a_file_beside_the_instructions_is_verified_too() {
    let mut other = served();
    other.files.insert(FORMS, "forms.\n");
    let (client, server) = other.client().await;
    let entry = mcp_skills::get(&client, URI).await.unwrap();
    let skill = mcp_skills::load(&client, entry).await.unwrap();
    assert_eq!(mismatch(skill.read(FORMS).await), Mismatch::Digest { uri: FORMS.to_owned() });
    client.close().await;
    server.await.unwrap();
}

#[tokio::test]
async fn nothing_is_read_for_an_entry_that_breaks_a_rule() {
    let mut dynamic = served();
    dynamic.entry["resources"] = "dynamic".into();
    let mut elsewhere = served();
    elsewhere.entry["resources"][1]["uri"] = "file:///etc/passwd".into();
    for (other, expected) in [(dynamic, "made on demand"), (elsewhere, "not in its folder")] {
        let (loaded, asked) = other.load().await;
        assert!(mismatch(loaded).to_string().contains(expected));
        assert_eq!(asked, ["skills/list"]);
    }
}

#[tokio::test]
async fn another_entry_than_the_one_asked_for_is_refused() {
    let (client, server) = served().client().await;
    let other = mismatch(mcp_skills::get(&client, "skill://docs/other/SKILL.md").await);
    assert!(matches!(other, Mismatch::Entry(_)));
    let mut empty = served();
    empty.files.clear();
    let (loaded, _) = empty.load().await;
    assert!(matches!(loaded, Err(Error::Call(error)) if error.to_string().contains("no such thing")));
    client.close().await;
    server.await.unwrap();
}

/// In the legacy era the extension is declared, and its methods are called, as in the modern one.
#[tokio::test]
async fn a_server_that_does_not_declare_the_extension_is_not_asked() {
    async fn server(mut peer: Peer, capabilities: &str) {
        peer.accept_legacy(Revision::V2025_11_25, capabilities).await;
        peer.serve(|request: Request| {
            served().answer(&request);
            ready(())
        })
        .await;
    }
    for (capabilities, declared) in [(CAPABILITIES, true), (r#"{"resources":{}}"#, false)] {
        let (link, peer) = script::peer();
        let server = tokio::spawn(async move { server(peer, capabilities).await });
        let client = connect(link).await;
        assert_eq!(matches!(mcp_skills::list(&client), Err(Error::Undeclared)), !declared);
        assert_eq!(mcp_skills::get(&client, URI).await.is_ok(), declared);
        client.close().await;
        server.await.unwrap();
    }
}
