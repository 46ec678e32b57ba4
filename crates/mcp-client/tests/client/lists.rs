//! Lists: page by page, bounded, bad items reported.

use std::future::IntoFuture;

use crate::common::{builder, legacy, modern, over_exchanges, secs};
use mcp_client::ErrorKind;
use mcp_types::Revision;
use tokio::time::Instant;

/// Field report T-04; expectations: lists are read whole.
#[tokio::test(start_paused = true)]
async fn lists_are_read_page_by_page_and_bad_items_are_reported() {
    let (client, mut peer) = legacy().await;
    let good = |name: &str| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let server = async {
        let first = peer.expect("tools/list").await;
        // Field report T-05: nothing that is not set.
        assert_eq!(first.params(), "null");
        // An empty text is a cursor.
        first.reply(format!(r#"{{"tools":[{},{{"name":"bad"}}],"nextCursor":""}}"#, good("a")));
        let second = peer.expect("tools/list").await.with_params(r#"{"cursor":""}"#);
        second.reply(format!(r#"{{"tools":[{}],"nextCursor":null,"_meta":null}}"#, good("b")));
        peer.expect("tools/list").await.with_params(r#"{"cursor":"x"}"#).reply(r#"{"tools":[]}"#);
    };
    let calls = async {
        let tools = client.list_tools().all().await.unwrap();
        assert_eq!(tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((tools.rejected.len(), tools.rejected[0].index), (1, 1));
        assert!(tools.rejected[0].reason.contains("inputSchema"), "{:?}", tools.rejected);
        let page = client.list_tools().page(Some("x".into())).await.unwrap();
        assert!(page.tools.is_empty() && page.next_cursor.is_none());
    };
    tokio::join!(server, calls);
}

/// What a schema says of header fields matters only where there are header fields.
#[tokio::test(start_paused = true)]
async fn without_header_fields_their_annotations_mean_nothing() {
    let bad = r#"{"name":"bad","inputSchema":{"properties":{"a":{"type":"array","x-mcp-header":"A"}}}}"#;
    let page = format!(r#"{{"resultType":"complete","tools":[{bad}],"ttlMs":0,"cacheScope":"private"}}"#);
    let (client, mut peer) = modern().await;
    let (listed, ()) = tokio::join!(client.list_tools().all(), async {
        peer.expect("tools/list").await.reply(page.clone());
    });
    let listed = listed.unwrap();
    assert_eq!((listed.len(), listed.rejected.len()), (1, 0));
    let (refused, ()) = tokio::join!(client.call_tool("bad").into_future(), async {
        peer.expect("tools/call").await.reply_error(-32020, "Header mismatch");
        peer.expect_nothing(secs(1)).await;
    });
    assert_eq!(refused.unwrap_err().rpc().unwrap().code.0, -32020);

    // Exchanges alone are no header fields.
    let (client, mut server) = over_exchanges(builder(), Revision::V2026_07_28).await;
    let (listed, ()) = tokio::join!(client.list_tools().all(), async {
        server.expect("tools/list").await.reply(page.clone());
    });
    assert_eq!(listed.unwrap().len(), 1);
    let (refused, ()) = tokio::join!(client.call_tool("bad").into_future(), async {
        server.expect("tools/call").await.reply_error(-32020, "Header mismatch");
    });
    assert_eq!(refused.unwrap_err().rpc().unwrap().code.0, -32020);
    assert!(server.try_next_exchange().is_none());
}

/// Field report C-01: the same cursor for ever, a cycle, an error on page two, a list that never ends in time.
#[tokio::test(start_paused = true)]
async fn listing_is_bounded() {
    let page = r#"{"tools":[{"name":"a","inputSchema":{}}],"nextCursor":"again"}"#;
    let (client, mut peer) = legacy().await;
    let served = tokio::spawn(async move {
        let mut count = 0;
        loop {
            let request = peer.expect("tools/list").await;
            count += 1;
            match count {
                1..=51 => request.reply(page),
                52 => request.reply_error(-32602, "bad cursor"),
                _ => {
                    tokio::time::sleep(secs(4)).await;
                    request.reply(page);
                }
            }
            if count == 60 {
                return peer;
            }
        }
    });
    let error = client.list_tools().max_pages(50).all().await.unwrap_err();
    assert_eq!((error.kind(), error.method()), (ErrorKind::TooManyPages, Some("tools/list")));

    let mut stream = client.list_tools().stream();
    assert_eq!(stream.next().await.unwrap().unwrap().name, "a");
    assert_eq!(stream.next().await.unwrap().unwrap_err().rpc().unwrap().code.0, -32602);
    assert!(stream.next().await.is_none());

    let begun = Instant::now();
    let error = client.list_tools().total(secs(10)).all().await.unwrap_err();
    assert_eq!((error.kind(), begun.elapsed().as_secs()), (ErrorKind::Timeout, 10));
    served.abort();
}

/// Quirk 19: an unknown tool is an error of four kinds, or a result; the list says it before.
#[tokio::test(start_paused = true)]
async fn a_mistyped_tool_is_found_in_the_list() {
    let (client, mut peer) = legacy().await;
    assert!(client.similar_tools("get-wether").is_empty());
    let list = tokio::spawn(client.list_tools().all());
    let tool = |name| format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let tools = ["get_weather", "get_water", "unlike"].map(tool).join(",");
    peer.expect("tools/list").await.reply(format!(r#"{{"tools":[{tools}]}}"#));
    list.await.unwrap().unwrap();
    assert_eq!(client.similar_tools("get-wether"), ["get_weather", "get_water"]);
    assert!(client.similar_tools("get_weather").is_empty());
}
