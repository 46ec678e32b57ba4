//! From end to end: arguments of tools in header fields, and tools whose schemas say wrongly which.

use std::{
    future::{IntoFuture, ready},
    sync::{Arc, Mutex},
};

use mcp_client::{Client, ClientBuilder, Diagnostic, ErrorKind, Versions};
use mcp_testkit::http::{HttpExchange, HttpRequest, HttpServer};
use mcp_types::{ElicitResult, Json, JsonObject, Revision, Tool};
use serde_json::json;

use crate::{WIRE, common::secs};

const DISCOVERED: &str = r#"{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}"#;
pub(crate) const CALLED: &str = r#"{"resultType":"complete","content":[]}"#;
pub(crate) const QUERY: &str = r#"{"name":"query","inputSchema":{"type":"object","properties":{
    "region":{"type":"string","x-mcp-header":"Region"},"limit":{"type":"integer","x-mcp-header":"Limit"},
    "dry":{"type":"boolean","x-mcp-header":"Dry"},"sql":{"type":"string"},
    "at":{"type":"object","properties":{"zone":{"type":["string","null"],"x-mcp-header":"Zone"}}}}}}"#;
const PLAIN: &str = r#"{"name":"plain","inputSchema":{"type":"object"}}"#;

pub(crate) fn builder() -> ClientBuilder {
    Client::builder("test", "1.0.0").connect_timeout(secs(8))
}

/// A client of a modern server.
pub(crate) async fn modern(builder: ClientBuilder) -> (Client, HttpServer) {
    let mut server = WIRE.serve().await;
    let connecting = builder.connect(WIRE.http(&server)).into_future();
    let (client, ()) = tokio::join!(connecting, async {
        server.expect("server/discover").await.result(DISCOVERED).await;
    });
    (client.unwrap(), server)
}

pub(crate) fn page(tools: &[&str], next: Option<&str>) -> String {
    let next = next.map(|next| format!(r#","nextCursor":"{next}""#)).unwrap_or_default();
    let tools = tools.join(",");
    format!(r#"{{"resultType":"complete","tools":[{tools}],"ttlMs":0,"cacheScope":"private"{next}}}"#)
}

pub(crate) async fn list(client: &Client, server: &mut HttpServer, tools: &[&str]) {
    let (listed, ()) = tokio::join!(client.list_tools().all(), async {
        server.expect("tools/list").await.result(&page(tools, None)).await;
    });
    listed.unwrap();
}

/// The fields of a request that mirror arguments.
pub(crate) fn mirrored(request: &HttpRequest) -> Vec<(&str, &str)> {
    let fields = request.fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let mut fields: Vec<_> = fields.filter(|(name, _)| name.starts_with("mcp-param-")).collect();
    fields.sort_unstable();
    fields
}

/// Calls `query` and gives the request back.
async fn call(client: &Client, server: &mut HttpServer, arguments: &serde_json::Value) -> HttpRequest {
    let calling = client.call_tool("query").args(arguments).unwrap().into_future();
    let (called, request) = tokio::join!(calling, async {
        let exchange = server.expect("tools/call").await;
        let request = exchange.request.clone();
        exchange.result(CALLED).await;
        request
    });
    called.unwrap();
    request
}

#[tokio::test]
async fn arguments_of_a_listed_tool_travel_in_fields() {
    let (client, mut server) = modern(builder()).await;
    list(&client, &mut server, &[PLAIN, QUERY]).await;
    let all =
        json!({"region": "us-west1", "limit": 42, "dry": false, "sql": "SELECT 1", "at": {"zone": "a"}});
    let request = call(&client, &mut server, &all).await;
    assert_eq!(
        mirrored(&request),
        [
            ("mcp-param-dry", "false"),
            ("mcp-param-limit", "42"),
            ("mcp-param-region", "us-west1"),
            ("mcp-param-zone", "a")
        ]
    );
    assert_eq!(request.header("mcp-name"), Some("query"));
    let odd = json!({"region": "Zürich\r\nx: y", "limit": null, "at": {"zone": ""}});
    let request = call(&client, &mut server, &odd).await;
    assert_eq!(
        mirrored(&request),
        [("mcp-param-region", "=?base64?WsO8cmljaA0KeDogeQ==?="), ("mcp-param-zone", "")]
    );
    let request = call(&client, &mut server, &json!({"sql": "SELECT 1"})).await;
    assert_eq!(mirrored(&request), []);
}

/// A page, a stream and a request by name are listings as well as all of it.
#[tokio::test]
async fn every_page_that_passes_is_learnt_from() {
    for way in 0..3 {
        let (client, mut server) = modern(builder()).await;
        let listing = async {
            match way {
                0 => drop(client.list_tools().page(Some("2".into())).await.unwrap()),
                1 => {
                    let mut stream = client.list_tools().stream();
                    while let Some(tool) = stream.next().await {
                        tool.unwrap();
                    }
                }
                _ => {
                    let params = mcp_types::PaginatedRequestParams::new().with_cursor("2");
                    client.request::<mcp_types::ListToolsRequest>(params).await.unwrap();
                }
            }
        };
        tokio::join!(listing, async {
            if way == 1 {
                server.expect("tools/list").await.result(&page(&[PLAIN], Some("2"))).await;
            }
            server.expect("tools/list").await.result(&page(&[QUERY], None)).await;
        });
        let request = call(&client, &mut server, &json!({"limit": -7})).await;
        assert_eq!(mirrored(&request), [("mcp-param-limit", "-7")], "{way}");
    }
}

#[tokio::test]
async fn known_definitions_need_no_listing_and_listed_ones_replace_them() {
    let query: Tool = serde_json::from_str(QUERY).unwrap();
    let (client, mut server) = modern(builder().known_tools([query])).await;
    let request = call(&client, &mut server, &json!({"limit": 1})).await;
    assert_eq!(mirrored(&request), [("mcp-param-limit", "1")]);
    let renamed = QUERY.replace("\"Limit\"", "\"Max\"");
    list(&client, &mut server, &[PLAIN, &renamed]).await;
    let request = call(&client, &mut server, &json!({"limit": 1})).await;
    assert_eq!(mirrored(&request), [("mcp-param-max", "1")]);
    list(&client, &mut server, &[PLAIN]).await;
    assert_eq!(mirrored(&call(&client, &mut server, &json!({"limit": 1})).await), []);
}

#[tokio::test]
async fn tools_with_invalid_annotations_are_left_out_and_reported() {
    let bad = r#"{"name":"bad","x-mine":1,"inputSchema":{"properties":{"a":{"type":"number","x-mcp-header":"A"}}}}"#;
    let twice = r#"{"name":"twice","inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}}"#;
    let told = Arc::new(Mutex::new(Vec::new()));
    let keep = Arc::clone(&told);
    let known: Tool = serde_json::from_str(&bad.replace("bad", "known")).unwrap();
    let telling = builder().known_tools([known]).on_diagnostic(move |diagnostic| {
        if let Diagnostic::InvalidTool { tool, reason } = diagnostic {
            keep.lock().unwrap().push((tool, reason));
        }
    });
    let (client, mut server) = modern(telling).await;
    let (listed, ()) = tokio::join!(client.list_tools().all(), async {
        let first = page(&[bad, r#"{"name":"unreadable"}"#, PLAIN], Some("2"));
        server.expect("tools/list").await.result(&first).await;
        server.expect("tools/list").await.result(&page(&[QUERY, twice], None)).await;
    });
    let listed = listed.unwrap();
    let names: Vec<_> = listed.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["plain", "query"]);
    let [first, unreadable, second] = listed.rejected.as_slice() else { panic!("{:?}", listed.rejected) };
    assert_eq!((first.index, first.json.as_str()), (0, bad));
    assert!(first.reason.contains("`a`") && first.reason.contains("x-mcp-header"), "{}", first.reason);
    assert_eq!(unreadable.index, 1);
    assert_eq!((second.index, second.json.as_str()), (1, twice));
    client.close().await;
    let told = told.lock().unwrap();
    let names: Vec<_> = told.iter().map(|(tool, _)| tool.as_str()).collect();
    assert_eq!(names, ["known", "bad", "twice"]);
    assert_eq!(told[1].1, first.reason);
}

/// In the legacy era the annotations mean nothing.
#[tokio::test]
async fn a_legacy_server_gets_no_fields_and_keeps_its_tools() {
    let mut server = WIRE.serve().await;
    let legacy = builder().versions(Versions::exactly(Revision::V2025_11_25));
    let connecting = legacy.connect(WIRE.http(&server)).into_future();
    let (client, ()) = tokio::join!(connecting, async {
        let initialized = r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}"#;
        server.expect("initialize").await.result(initialized).await;
        server.expect("notifications/initialized").await.accept().await;
        server.expect("GET").await.respond(405, &[], "").await;
    });
    let client = client.unwrap();
    let (listed, ()) = tokio::join!(client.list_tools().all(), async {
        let bad = QUERY.replace("\"query\"", "\"bad\"").replace("Limit", "");
        server.expect("tools/list").await.result(&page(&[QUERY, &bad], None)).await;
    });
    assert_eq!(listed.unwrap().len(), 2);
    assert_eq!(mirrored(&call(&client, &mut server, &json!({"limit": 1})).await), []);
    let (refused, ()) = tokio::join!(client.call_tool("query").into_future(), async {
        server.expect("tools/call").await.mismatch().await;
    });
    assert_eq!(refused.unwrap_err().rpc().unwrap().code.0, -32020);
    assert!(server.try_next().is_none());
}

#[tokio::test]
async fn every_round_of_a_call_has_its_fields() {
    let answering = builder().on_elicit(|_, _| ready(Ok(ElicitResult::accept(JsonObject::new()))));
    let (client, mut server) = modern(answering).await;
    list(&client, &mut server, &[QUERY]).await;
    let calling = client.call_tool("query").args(&json!({"region": "a"})).unwrap().into_future();
    let (called, ()) = tokio::join!(calling, async {
        for round in 0..3 {
            let exchange = server.expect("tools/call").await;
            assert_eq!(mirrored(&exchange.request), [("mcp-param-region", "a")], "{round}");
            if round < 2 {
                exchange.result(r#"{"resultType":"input_required","requestState":"s"}"#).await;
            } else {
                exchange.result(CALLED).await;
            }
        }
    });
    called.unwrap();
}

#[tokio::test]
async fn mirrored_fields_cannot_be_set_by_hand() {
    let (client, mut server) = modern(builder()).await;
    list(&client, &mut server, &[QUERY]).await;
    for name in ["Mcp-Param-Region", "mcp-param-other", "MCP-PARAM-"] {
        let call = client.call_tool("query").args(&json!({"region": "a"})).unwrap().header(name, "b");
        let error = call.await.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArguments, "{name}");
        assert!(!error.may_have_executed() && error.to_string().contains(name), "{error}");
    }
    assert!(server.try_next().is_none());
    let field = WIRE.http(&server).header("mcp-param-region", "b").unwrap_err();
    assert!(field.to_string().contains("mcp-param-region"), "{field}");
}

/// Arguments are told to the server with every digit, in the body and beside it.
#[tokio::test]
async fn a_long_integer_keeps_its_digits() {
    let (client, mut server) = modern(builder()).await;
    list(&client, &mut server, &[QUERY]).await;
    let arguments: JsonObject =
        [("limit", Json::from_text("123456789012345678901").unwrap())].into_iter().collect();
    let calling = client.call_tool("query").args(&arguments).unwrap().into_future();
    let (called, ()) = tokio::join!(calling, async {
        let exchange = server.expect("tools/call").await;
        assert_eq!(mirrored(&exchange.request), [("mcp-param-limit", "123456789012345678901")]);
        assert!(String::from_utf8_lossy(&exchange.request.body).contains(r#""limit":123456789012345678901"#));
        exchange.result(CALLED).await;
    });
    called.unwrap();
}

pub(crate) trait Refuse {
    /// Says that header fields and body differ.
    async fn mismatch(self);
}

impl Refuse for HttpExchange {
    async fn mismatch(self) {
        let id = self.request.rpc_id().unwrap();
        let error = r#"{"code":-32020,"message":"Header mismatch: Mcp-Param-Region is missing"}"#;
        let body = format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#);
        self.respond(400, &[("content-type", "application/json")], body).await;
    }
}
