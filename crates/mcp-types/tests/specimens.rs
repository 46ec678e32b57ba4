//! One full specimen of each top-level type, read straight and in many twisted forms.
//!
//! Each specimen has every member of its type, in the order of the struct, so that it is written as it was read.

use std::fmt::Debug;

use mcp_types::{
    extensions::{skills, tasks},
    inventory::{Described, Presence, Shape},
    *,
};
use serde::{Serialize, de::DeserializeOwned};

const META: &str = r#""_meta":{"z":9007199254740993,"a":[1.50,null]}"#;
const ICONS: &str = r#""icons":[{"src":"data:,","mimeType":"image/png","sizes":["any"],"theme":"sepia"}]"#;
const CACHE: &str = r#""ttlMs":0,"cacheScope":"shared","resultType":"complete""#;

/// Checks `text`, which is a full `T`.
fn check<T: Serialize + DeserializeOwned + PartialEq + Debug + Described>(text: &str) {
    let name = T::INFO.name;
    let straight: T = serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(serde_json::to_string(&straight).unwrap(), text, "{name}");

    let members: Vec<(String, Json)> =
        serde_json::from_str::<JsonObject>(text).unwrap().into_iter().collect();
    let write = |members: Vec<(String, Json)>| Json::from(JsonObject::from_iter(members)).to_string();

    let mut reversed = members.clone();
    reversed.reverse();
    assert_eq!(serde_json::from_str::<T>(&write(reversed)).unwrap(), straight, "{name}, reversed");

    let tree: serde_json::Value = serde_json::from_str(&write(without_large_numbers(&members))).unwrap();
    assert!(serde_json::from_value::<T>(tree).is_ok(), "{name}, from a tree");
    assert_eq!(serde_json::from_reader::<_, T>(text.as_bytes()).unwrap(), straight, "{name}, from a reader");

    let Shape::Object { members: infos, open } = T::INFO.shape else { panic!("{name} is no object") };
    if !open {
        let mut more = members.clone();
        more.insert(0, ("com.example/unknown".into(), Json::from_text(r#"{"a":[1]}"#).unwrap()));
        assert_eq!(serde_json::from_str::<T>(&write(more)).unwrap(), straight, "{name}, unknown member");
    }
    for info in infos {
        let wire = info.wire_name();
        assert!(members.iter().any(|(key, _)| *key == wire), "{name} has no specimen of {wire}");
        if info.presence == Presence::Optional && wire != "structuredContent" {
            twist_optional::<T>(&members, &wire);
        }
    }
    twist_values::<T>(&members);
    for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
        assert!(serde_json::from_str::<T>(&text[..end]).is_err(), "{name}, cut at {end}");
    }
}

/// Field report T-05: `null` and absence are the same.
fn twist_optional<T: DeserializeOwned + PartialEq + Debug + Serialize>(
    members: &[(String, Json)],
    wire: &str,
) {
    let absent: Vec<_> = members.iter().filter(|(key, _)| key != wire).cloned().collect();
    let mut null = members.to_vec();
    null.iter_mut()
        .filter(|(key, _)| key == wire)
        .for_each(|(_, value)| *value = Json::from_text("null").unwrap());
    let read = |members| Json::from(JsonObject::from_iter(members)).decode::<T>().unwrap();
    let (absent, null): (T, T) = (read(absent), read(null));
    assert_eq!(absent, null, "{wire}");
    assert!(!serde_json::to_string(&absent).unwrap().contains(&format!("\"{wire}\":null")), "{wire}");
}

/// Whatever stands in a member: reading never panics, and what can be read is written stably.
fn twist_values<T: DeserializeOwned + Serialize>(members: &[(String, Json)]) {
    for place in 0..members.len() {
        for odd in
            ["null", "true", "-1", "1e999", "\"x\"", "[]", "{}", "[null]", "[[{}]]", "9223372036854775808"]
        {
            let mut twisted = members.to_vec();
            twisted[place].1 = Json::from_text(odd).unwrap();
            let text = Json::from(JsonObject::from_iter(twisted)).to_string();
            let Ok(value) = serde_json::from_str::<T>(&text) else { continue };
            let once = serde_json::to_string(&value).unwrap();
            let again: T =
                serde_json::from_str(&once).unwrap_or_else(|error| panic!("{text} became {once}: {error}"));
            assert_eq!(serde_json::to_string(&again).unwrap(), once, "{text}");
        }
    }
}

/// `serde_json::Value` rounds numbers, but must be readable all the same.
fn without_large_numbers(members: &[(String, Json)]) -> Vec<(String, Json)> {
    members
        .iter()
        .map(|(key, value)| {
            (key.clone(), Json::from_text(value.as_str().replace("9007199254740993", "1")).unwrap())
        })
        .collect()
}

#[test]
fn lifecycle_and_discovery() {
    let info = format!(
        r#"{{"name":"n","version":"1","title":"T","description":"D","websiteUrl":"https://x",{ICONS}}}"#
    );
    check::<Implementation>(&info);
    check::<InitializeRequestParams>(&format!(
        r#"{{"protocolVersion":"2025-11-25","capabilities":{{"roots":{{"listChanged":true}},"x":{{}}}},"clientInfo":{info},{META}}}"#
    ));
    check::<InitializeResult>(&format!(
        r#"{{"protocolVersion":"DRAFT","capabilities":{{"tools":{{"listChanged":true}}}},"serverInfo":{info},"instructions":"I",{META}}}"#
    ));
    check::<DiscoverResult>(&format!(
        r#"{{"supportedVersions":["2026-07-28","DRAFT"],"capabilities":{{}},"instructions":"I",{CACHE},{META}}}"#
    ));
    check::<EmptyResult>(&format!(r#"{{"resultType":"later",{META}}}"#));
    check::<Empty>(&format!("{{{META}}}"));
    check::<UnsupportedProtocolVersionErrorData>(r#"{"supported":["2026-07-28"],"requested":"1"}"#);
    check::<MissingRequiredClientCapabilityErrorData>(
        r#"{"requiredCapabilities":{"extensions":{"a.b/c":{}}}}"#,
    );
}

#[test]
fn capabilities() {
    let open = r#""x":{"n":9007199254740993}"#;
    check::<ClientCapabilities>(&format!(
        r#"{{"roots":{{"listChanged":true}},"sampling":{{"context":{{}},"tools":{{}}}},"elicitation":{{"form":{{}},"url":{{}}}},"tasks":{{"list":{{}},"cancel":{{}},"requests":{{"elicitation":{{"create":{{}}}},"sampling":{{"createMessage":{{}}}}}}}},"extensions":{{"a.b/c":{{}}}},"experimental":{{"e":{{}}}},{open}}}"#
    ));
    check::<ServerCapabilities>(&format!(
        r#"{{"tools":{{"listChanged":true}},"resources":{{"subscribe":true,"listChanged":false}},"prompts":{{"listChanged":true}},"completions":{{}},"logging":{{}},"tasks":{{"list":{{}},"cancel":{{}},"requests":{{"tools":{{"call":{{}}}}}}}},"extensions":{{"a.b/c":{{}}}},"experimental":{{"e":{{}}}},{open}}}"#
    ));
}

#[test]
fn tools() {
    let tool = format!(
        r#"{{"name":"n","inputSchema":{{"type":"object","$defs":{{}},"x":1.50}},"title":"T","description":"D","outputSchema":{{"x":1.50}},"annotations":{{"title":"T","readOnlyHint":true,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}},"execution":{{"taskSupport":"optional"}},{ICONS},{META}}}"#
    );
    check::<Tool>(&tool);
    check::<ListToolsResult>(&format!(r#"{{"tools":[{tool}],"nextCursor":"",{CACHE},{META}}}"#));
    check::<CallToolRequestParams>(&format!(
        r#"{{"name":"n","arguments":{{"z":9007199254740993,"a":1}},"task":{{"ttl":1}},"inputResponses":{{"z":{{}},"a":{{}}}},"requestState":"s",{META}}}"#
    ));
    check::<CallToolResult>(&format!(
        r#"{{"content":[{{"type":"hologram","x":1.50}}],"structuredContent":[9223372036854775808],"isError":false,"resultType":"complete",{META}}}"#
    ));
}

#[test]
fn content() {
    let hints = format!(
        r#""annotations":{{"audience":["user","robot"],"priority":1,"lastModified":"2025-01-12T15:00:58Z"}},{META}"#
    );
    check::<TextContent>(&format!(r#"{{"type":"text","text":"t\u0001",{hints}}}"#));
    check::<ImageContent>(&format!(r#"{{"type":"image","data":"AA==","mimeType":"image/png",{hints}}}"#));
    check::<AudioContent>(&format!(r#"{{"type":"audio","data":"AA==","mimeType":"audio/wav",{hints}}}"#));
    let described = r#""title":"T","description":"D","mimeType":"m""#;
    let link = format!(r#""uri":"u","name":"n",{described},"size":3,{ICONS},{hints}"#);
    check::<ResourceLink>(&format!(r#"{{"type":"resource_link",{link}}}"#));
    let contents = format!(r#"{{"uri":"u","text":"t","mimeType":"m",{META}}}"#);
    check::<TextResourceContents>(&contents);
    check::<BlobResourceContents>(&format!(r#"{{"uri":"u","blob":"AA==","mimeType":"m",{META}}}"#));
    check::<EmbeddedResource>(&format!(r#"{{"type":"resource","resource":{contents},{hints}}}"#));
    check::<Resource>(&format!("{{{link}}}"));
    check::<ListResourcesResult>(&format!(r#"{{"resources":[{{{link}}}],"nextCursor":"c",{CACHE},{META}}}"#));
    check::<ListResourceTemplatesResult>(&format!(
        r#"{{"resourceTemplates":[{{"uriTemplate":"u{{x}}","name":"n",{described},{ICONS},{hints}}}],"nextCursor":"c",{CACHE},{META}}}"#
    ));
    check::<ReadResourceResult>(&format!(r#"{{"contents":[{contents}],{CACHE},{META}}}"#));
    check::<ReadResourceRequestParams>(&format!(
        r#"{{"uri":"u","inputResponses":{{}},"requestState":"s",{META}}}"#
    ));
    check::<ResourceUpdatedNotificationParams>(&format!(r#"{{"uri":"u",{META}}}"#));
}

#[test]
fn prompts_and_completion() {
    check::<Prompt>(&format!(
        r#"{{"name":"n","title":"T","description":"D","arguments":[{{"name":"a","title":"A","description":"D","required":true}}],{ICONS},{META}}}"#
    ));
    check::<ListPromptsResult>(&format!(r#"{{"prompts":[{{"name":"n"}}],"nextCursor":"c",{CACHE},{META}}}"#));
    check::<GetPromptRequestParams>(&format!(
        r#"{{"name":"n","arguments":{{"z":"1","a":"2"}},"inputResponses":{{}},"requestState":"s",{META}}}"#
    ));
    check::<GetPromptResult>(&format!(
        r#"{{"messages":[{{"role":"user","content":{{"type":"text","text":"t"}}}}],"description":"D","resultType":"complete",{META}}}"#
    ));
    check::<CompleteRequestParams>(&format!(
        r#"{{"ref":{{"type":"ref/prompt","name":"n","title":"T"}},"argument":{{"name":"a","value":"v"}},"context":{{"arguments":{{"z":"1","a":"2"}}}},{META}}}"#
    ));
    check::<CompleteResult>(&format!(
        r#"{{"completion":{{"values":["a"],"total":3,"hasMore":true}},"resultType":"complete",{META}}}"#
    ));
}

#[test]
fn what_servers_ask_of_clients() {
    let message = r#"{"role":"assistant","content":[{"type":"tool_use","id":"i","name":"n","input":{"z":1,"a":2}},{"type":"tool_result","toolUseId":"i","content":[]}]}"#;
    check::<CreateMessageRequestParams>(&format!(
        r#"{{"messages":[{message}],"maxTokens":1,"modelPreferences":{{"hints":[{{"name":"m"}}],"costPriority":0,"speedPriority":0.5,"intelligencePriority":1}},"systemPrompt":"s","includeContext":"none","temperature":0.7,"stopSequences":["x"],"metadata":{{"z":1,"a":2}},"tools":[],"toolChoice":{{"mode":"auto"}},"task":{{"ttl":1}},{META}}}"#
    ));
    check::<CreateMessageResult>(&format!(
        r#"{{"role":"assistant","content":{{"type":"text","text":"t"}},"model":"m","stopReason":"bored",{META}}}"#
    ));
    check::<ElicitRequestFormParams>(&format!(
        r#"{{"message":"m","requestedSchema":{{"$schema":"s","type":"object","properties":{{}},"x":1.50}},"mode":"form","task":{{"ttl":1}},{META}}}"#
    ));
    check::<ElicitRequestUrlParams>(&format!(
        r#"{{"mode":"url","message":"m","url":"u","elicitationId":"e","task":{{"ttl":1}},{META}}}"#
    ));
    check::<ElicitResult>(&format!(
        r#"{{"action":"accept","content":{{"z":9007199254740993,"a":[]}},{META}}}"#
    ));
    check::<ListRootsResult>(&format!(r#"{{"roots":[{{"uri":"file:///","name":"n",{META}}}],{META}}}"#));
    check::<InputRequiredResult>(&format!(
        r#"{{"resultType":"input_required","inputRequests":{{"z":{{"method":"roots/list"}},"a":{{"method":"later/one","x":1}}}},"requestState":"s",{META}}}"#
    ));
}

#[test]
fn notifications_subscriptions_and_tasks() {
    check::<ProgressNotificationParams>(&format!(
        r#"{{"progressToken":"t","progress":0.5,"total":100,"message":"m",{META}}}"#
    ));
    check::<CancelledNotificationParams>(&format!(r#"{{"requestId":7,"reason":"r",{META}}}"#));
    check::<LoggingMessageNotificationParams>(&format!(
        r#"{{"level":"trace","data":{{"z":1.50,"a":null}},"logger":"l",{META}}}"#
    ));
    let filter = r#"{"toolsListChanged":true,"promptsListChanged":false,"resourcesListChanged":true,"resourceSubscriptions":["u"],"taskIds":["t"]}"#;
    check::<SubscriptionFilter>(filter);
    check::<SubscriptionsListenRequestParams>(&format!(r#"{{"notifications":{filter},{META}}}"#));
    check::<SubscriptionsAcknowledgedNotificationParams>(&format!(r#"{{"notifications":{filter},{META}}}"#));
    check::<SubscriptionsListenResult>(&format!(r#"{{"resultType":"complete",{META}}}"#));
    let task = r#""taskId":"t","status":"paused","createdAt":"c","lastUpdatedAt":"u""#;
    let core = format!(r#"{{{task},"ttl":1,"pollInterval":5,"statusMessage":"m",{META}}}"#);
    check::<Task>(&core);
    check::<CreateTaskResult>(&format!(r#"{{"task":{core},{META}}}"#));
    check::<ListTasksResult>(&format!(r#"{{"tasks":[{core}],"nextCursor":"c",{META}}}"#));
    check::<tasks::Task>(&format!(
        r#"{{{task},"ttlMs":1,"pollIntervalMs":5,"statusMessage":"m","inputRequests":{{}},"result":{{"z":1.50}},"error":{{"code":0,"message":"m"}},"resultType":"task",{META}}}"#
    ));
    check::<skills::GetSkillResult>(&format!(
        r#"{{"skill":{{"uri":"u","frontmatter":{{"z":1.50,"name":"n","description":"d"}},"resources":"dynamic"}},{CACHE},{META}}}"#
    ));
}
