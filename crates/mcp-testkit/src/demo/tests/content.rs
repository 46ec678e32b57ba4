use mcp_types::{
    CompleteRequest, GetPromptRequest, ListPromptsRequest, ListResourceTemplatesRequest,
    ListResourcesRequest, ListToolsRequest, ReadResourceRequest,
};

use super::*;

#[tokio::test]
async fn tools_come_page_by_page_in_every_revision() {
    for (revision, mut peer) in Peer::all().await {
        let mut names = Vec::new();
        let mut sizes = Vec::new();
        let mut params = json!({});
        loop {
            let page = peer.typed::<ListToolsRequest>(params).await;
            assert!(page.tools.rejected().is_empty());
            sizes.push(page.tools.len());
            names.extend(page.tools.iter().map(|tool| tool.name.clone()));
            match page.next_cursor {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => break,
            }
        }
        assert_eq!(sizes, [3, 3, 3], "{revision}");
        assert_eq!(
            names,
            ["echo", "add", "slow", "greet", "bump", "disconnect", "contents", "fail", "fail_protocol"]
        );
        let error = peer.error("tools/list", json!({ "cursor": "" })).await;
        assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
    }
    let mut peer = Peer::start(Demo::new().page_size(100));
    peer.meta = modern_meta(&json!({}));
    assert_eq!(peer.typed::<ListToolsRequest>(json!({})).await.next_cursor, None);
}

#[tokio::test]
async fn resources_are_listed_and_read() {
    for (_, mut peer) in Peer::all().await {
        let list = peer.typed::<ListResourcesRequest>(json!({})).await;
        assert_eq!(list.resources.len(), 3);
        for resource in &*list.resources {
            let read = peer.typed::<ReadResourceRequest>(json!({ "uri": resource.uri })).await;
            let [contents] = &*read.contents else { panic!("{read:?}") };
            assert_eq!(
                (contents.uri(), contents.mime_type()),
                (resource.uri.as_str(), resource.mime_type.as_deref())
            );
            assert_eq!(contents.as_text().is_some(), resource.name != "pixel");
        }
        let templates = peer.typed::<ListResourceTemplatesRequest>(json!({})).await;
        assert_eq!(templates.resource_templates[0].uri_template, "demo:///squares/{number}");
        let read = peer.typed::<ReadResourceRequest>(json!({ "uri": "demo:///squares/4294967295" })).await;
        assert_eq!(read.contents[0].as_text(), Some("18446744065119617025"));
    }
}

#[tokio::test]
async fn a_resource_that_is_not_there_is_an_error_of_the_era() {
    for (revision, mut peer) in Peer::all().await {
        let code = match revision.era() {
            Era::Legacy => ErrorCode::RESOURCE_NOT_FOUND,
            Era::Modern => ErrorCode::INVALID_PARAMS,
        };
        for uri in ["demo:///squares/-1", "demo:///squares/", "file:///etc/passwd", ""] {
            let error = peer.error("resources/read", json!({ "uri": uri })).await;
            assert_eq!(error.code, code);
            assert_eq!(error.data.unwrap().decode::<Value>().unwrap(), json!({ "uri": uri }));
        }
    }
}

#[tokio::test]
async fn prompts_are_listed_and_filled_in() {
    for (_, mut peer) in Peer::all().await {
        let list = peer.typed::<ListPromptsRequest>(json!({})).await;
        assert_eq!(
            list.prompts.iter().map(|prompt| prompt.name.as_str()).collect::<Vec<_>>(),
            ["hello", "review"]
        );
        peer.typed::<GetPromptRequest>(json!({ "name": "hello" })).await;
        let arguments = json!({ "code": "fn f() {}", "language": "Rust" });
        let review =
            peer.typed::<GetPromptRequest>(json!({ "name": "review", "arguments": arguments })).await;
        assert_eq!(review.messages[0].content.as_text(), Some("Review this Rust code:\n\nfn f() {}"));
        for params in [json!({ "name": "review" }), json!({ "name": "reveiw" }), json!({})] {
            assert_eq!(peer.error("prompts/get", params).await.code, ErrorCode::INVALID_PARAMS);
        }
    }
}

#[tokio::test]
async fn arguments_are_completed() {
    for (_, mut peer) in Peer::all().await {
        for (reference, name, value, expected) in [
            (
                json!({ "type": "ref/prompt", "name": "review" }),
                "language",
                "java",
                vec!["java", "javascript"],
            ),
            (json!({ "type": "ref/prompt", "name": "review" }), "code", "", vec![]),
            (
                json!({ "type": "ref/resource", "uri": "demo:///squares/{number}" }),
                "number",
                "1",
                vec!["1", "10"],
            ),
        ] {
            let params = json!({ "ref": reference, "argument": { "name": name, "value": value } });
            let result = peer.typed::<CompleteRequest>(params).await;
            assert_eq!(result.completion.values.to_vec(), expected);
        }
        let params =
            json!({ "ref": { "type": "ref/prompt", "name": "x" }, "argument": { "name": "a", "value": "" } });
        assert_eq!(peer.error("completion/complete", params).await.code, ErrorCode::INVALID_PARAMS);
    }
}
