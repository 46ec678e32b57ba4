//! A call that the server refuses for its header fields: the tools are listed, and it is made once more.

use std::{
    future::{IntoFuture, ready},
    sync::Arc,
};

use mcp_client::{Client, ErrorKind};
use mcp_testkit::http::HttpServer;
use mcp_types::{ElicitResult, JsonObject, Tool};
use serde_json::json;

use crate::{
    common::{ms, secs},
    param_headers::{CALLED, QUERY, Refuse, builder, list, mirrored, modern, page},
};

const OTHER: &str = r#"{"name":"other","inputSchema":{"type":"object"}}"#;

fn query(client: &Client) -> mcp_client::Call<mcp_types::CallToolRequest> {
    client.call_tool("query").args(&json!({"region": "a", "limit": 1})).unwrap()
}

async fn refuse(server: &mut HttpServer, fields: &[(&str, &str)]) {
    let exchange = server.expect("tools/call").await;
    assert_eq!(mirrored(&exchange.request), fields);
    exchange.mismatch().await;
}

const FIELDS: [(&str, &str); 2] = [("mcp-param-limit", "1"), ("mcp-param-region", "a")];

/// A tool that was never listed is called without fields first, as the proposal SEP-2243 has it.
#[tokio::test]
async fn an_unknown_tool_is_listed_when_it_must_be() {
    // One call at a time: the listing must not wait for a place among the calls.
    let (client, mut server) = modern(builder().max_calls(1)).await;
    let calling = query(&client).header("x-tenant", "t").into_future();
    let (called, ()) = tokio::join!(calling, async {
        let exchange = server.expect("tools/call").await;
        let first = exchange.request.rpc_id();
        assert_eq!(mirrored(&exchange.request), []);
        exchange.mismatch().await;
        let exchange = server.expect("tools/list").await;
        assert_eq!(exchange.request.header("x-tenant"), Some("t"), "who calls is who lists");
        assert_eq!(exchange.request.header("mcp-method"), Some("tools/list"));
        exchange.result(&page(&[OTHER], Some("2"))).await;
        let exchange = server.expect("tools/list").await;
        assert!(String::from_utf8_lossy(&exchange.request.body).contains(r#""cursor":"2""#));
        exchange.result(&page(&[QUERY], Some("3"))).await;
        // Pages behind the tool are not asked for.
        let exchange = server.expect("tools/call").await;
        assert_eq!(mirrored(&exchange.request), FIELDS);
        assert_eq!(exchange.request.header("x-tenant"), Some("t"));
        assert_ne!(exchange.request.rpc_id(), first);
        exchange.result(CALLED).await;
    });
    called.unwrap();
    assert!(server.try_next().is_none());
    // It is known from here on.
    let (called, ()) = tokio::join!(query(&client).into_future(), async {
        let exchange = server.expect("tools/call").await;
        assert_eq!(mirrored(&exchange.request), FIELDS);
        exchange.result(CALLED).await;
    });
    called.unwrap();
}

#[tokio::test]
async fn an_outdated_definition_is_replaced() {
    let outdated: Tool = serde_json::from_str(&QUERY.replace("Region", "Area")).unwrap();
    let (client, mut server) = modern(builder().known_tools([outdated])).await;
    let calling = query(&client).with_progress();
    let handle = calling.cancel_handle();
    let (called, ()) = tokio::join!(calling.into_future(), async {
        refuse(&mut server, &[("mcp-param-area", "a"), ("mcp-param-limit", "1")]).await;
        server.expect("tools/list").await.result(&page(&[QUERY], None)).await;
        let exchange = server.expect("tools/call").await;
        assert_eq!(mirrored(&exchange.request), FIELDS);
        exchange.result(CALLED).await;
    });
    called.unwrap();
    handle.cancel("too late");
}

#[tokio::test]
async fn a_second_refusal_is_the_callers() {
    let (client, mut server) = modern(builder()).await;
    for rounds in [1, 10] {
        let (refused, ()) = tokio::join!(query(&client).max_rounds(rounds).into_future(), async {
            server.expect("tools/call").await.mismatch().await;
            server.expect("tools/list").await.result(&page(&[QUERY], None)).await;
            refuse(&mut server, &FIELDS).await;
        });
        let error = refused.unwrap_err();
        assert_eq!((error.kind(), error.rpc().unwrap().code.0), (ErrorKind::Rpc, -32020));
        assert!(!error.may_have_executed());
        assert!(server.try_next().is_none(), "once");
    }
}

/// Once a call, not once a round.
#[tokio::test]
async fn a_later_round_may_be_refused_too() {
    let answering = builder().on_elicit(|_, _| ready(Ok(ElicitResult::accept(JsonObject::new()))));
    let (client, mut server) = modern(answering).await;
    let more = r#"{"resultType":"input_required","requestState":"s"}"#;
    let (refused, ()) = tokio::join!(query(&client).into_future(), async {
        server.expect("tools/call").await.result(more).await;
        server.expect("tools/call").await.mismatch().await;
        server.expect("tools/list").await.result(&page(&[QUERY], None)).await;
        let exchange = server.expect("tools/call").await;
        assert_eq!(mirrored(&exchange.request), FIELDS);
        assert!(String::from_utf8_lossy(&exchange.request.body).contains(r#""requestState":"s""#));
        exchange.result(more).await;
        refuse(&mut server, &FIELDS).await;
    });
    assert_eq!(refused.unwrap_err().rpc().unwrap().code.0, -32020);
    assert!(server.try_next().is_none());
}

/// When the listing does not help, the refusal is the outcome, with what became of the listing.
#[tokio::test]
async fn a_listing_that_does_not_help_is_told() {
    let invalid = QUERY.replace("\"Limit\"", "\"Region\"");
    for (listed, told) in [
        (page(&[OTHER], None), "not among"),
        (page(&[&invalid], None), "`limit`"),
        (r#"{"resultType":"complete","tools":7}"#.into(), "listing the tools again failed"),
        (r#"{"resultType":"odd"}"#.into(), "listing the tools again failed"),
    ] {
        let (client, mut server) = modern(builder()).await;
        let (refused, ()) = tokio::join!(query(&client).into_future(), async {
            server.expect("tools/call").await.mismatch().await;
            server.expect("tools/list").await.result(&listed).await;
        });
        let error = refused.unwrap_err();
        assert_eq!(error.rpc().unwrap().code.0, -32020, "{listed}");
        assert!(error.to_string().contains(told), "{error}");
        assert_eq!(error.method(), Some("tools/call"));
        assert!(server.try_next().is_none());
    }
    let (client, mut server) = modern(builder()).await;
    let (refused, ()) = tokio::join!(query(&client).into_future(), async {
        server.expect("tools/call").await.mismatch().await;
        server.expect("tools/list").await.respond(503, &[], "").await;
    });
    assert!(refused.unwrap_err().to_string().contains("503"));
}

#[tokio::test]
async fn other_refusals_list_nothing() {
    let (client, mut server) = modern(builder()).await;
    let (refused, ()) = tokio::join!(client.list_tools().all(), async {
        server.expect("tools/list").await.mismatch().await;
    });
    assert_eq!(refused.unwrap_err().rpc().unwrap().code.0, -32020);
    let (refused, ()) = tokio::join!(query(&client).into_future(), async {
        let exchange = server.expect("tools/call").await;
        let id = exchange.request.rpc_id().unwrap();
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32602,"message":"no"}}}}"#);
        exchange.respond(400, &[("content-type", "application/json")], body).await;
    });
    assert_eq!(refused.unwrap_err().rpc().unwrap().code.0, -32602);
    assert!(server.try_next().is_none());
}

#[tokio::test]
async fn the_total_limit_counts_for_the_listing_too() {
    let (client, mut server) = modern(builder()).await;
    let (late, ()) = tokio::join!(query(&client).total(ms(400)).into_future(), async {
        server.expect("tools/call").await.mismatch().await;
        server.expect("tools/list").await.gone().await;
    });
    let error = late.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert!(!error.may_have_executed() && error.to_string().contains("-32020"), "{error}");
    // So do the metadata limit for the listing, and the rest of the total limit for the second request.
    let (client, mut server) = modern(builder().metadata_timeout(ms(300))).await;
    let (refused, ()) = tokio::join!(query(&client).into_future(), async {
        server.expect("tools/call").await.mismatch().await;
        server.expect("tools/list").await.gone().await;
    });
    assert!(refused.unwrap_err().to_string().contains("listing the tools again failed"));
    let (late, ()) = tokio::join!(query(&client).total(ms(400)).into_future(), async {
        server.expect("tools/call").await.mismatch().await;
        server.expect("tools/list").await.result(&page(&[QUERY], None)).await;
        server.expect("tools/call").await.gone().await;
    });
    let error = late.unwrap_err();
    assert_eq!((error.kind(), error.may_have_executed()), (ErrorKind::Timeout, true));
}

#[tokio::test]
async fn a_call_can_be_given_up_while_the_tools_are_listed() {
    let (client, mut server) = modern(builder()).await;
    // Dropped.
    let calling = tokio::spawn(query(&client).into_future());
    server.expect("tools/call").await.mismatch().await;
    let mut listing = server.expect("tools/list").await;
    calling.abort();
    listing.gone().await;
    // Cancelled.
    let calling = query(&client).with_progress();
    let handle = calling.cancel_handle();
    let (cancelled, ()) = tokio::join!(calling.into_future(), async {
        server.expect("tools/call").await.mismatch().await;
        let mut listing = server.expect("tools/list").await;
        handle.cancel("enough");
        listing.gone().await;
    });
    assert_eq!(cancelled.unwrap_err().kind(), ErrorKind::Cancelled);
    // The client is closed.
    let (closed, ()) = tokio::join!(query(&client).into_future(), async {
        server.expect("tools/call").await.mismatch().await;
        let mut listing = server.expect("tools/list").await;
        client.close_within(ms(0)).await;
        listing.gone().await;
    });
    let error = closed.unwrap_err();
    assert!(!error.may_have_executed(), "{error}");
    assert!(server.try_next().is_none());
}

/// Many calls at once, each refused: each lists for itself, and all are answered.
#[tokio::test]
async fn calls_side_by_side_are_mended_each() {
    let (client, mut server) = modern(builder()).await;
    let client = Arc::new(client);
    let calls: Vec<_> = (0..20).map(|_| tokio::spawn(query(&client).into_future())).collect();
    let serve = async {
        let (mut refused, mut answered) = (0, 0);
        while answered < 20 {
            let exchange = server.next().await;
            match exchange.request.rpc_method().as_deref() {
                Some("tools/list") => exchange.result(&page(&[QUERY], None)).await,
                _ if mirrored(&exchange.request).is_empty() => {
                    refused += 1;
                    exchange.mismatch().await;
                }
                _ => {
                    answered += 1;
                    exchange.result(CALLED).await;
                }
            }
        }
        assert!(refused <= 20);
    };
    tokio::time::timeout(secs(20), serve).await.unwrap();
    for call in calls {
        call.await.unwrap().unwrap();
    }
}

/// The definition that was obtained last counts until there is another, whatever the server says meanwhile.
#[tokio::test]
async fn a_change_of_the_tools_alone_forgets_nothing() {
    let (client, mut server) = modern(builder()).await;
    list(&client, &mut server, &[QUERY]).await;
    let (called, ()) = tokio::join!(query(&client).into_future(), async {
        let mut exchange = server.expect("tools/call").await;
        exchange.start_events(&[]).await.unwrap();
        exchange.event(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#).await.unwrap();
        exchange.result_event(CALLED).await.unwrap();
        exchange.end().await;
    });
    called.unwrap();
    let (called, ()) = tokio::join!(query(&client).into_future(), async {
        let exchange = server.expect("tools/call").await;
        assert_eq!(mirrored(&exchange.request), FIELDS);
        exchange.result(CALLED).await;
    });
    called.unwrap();
}
