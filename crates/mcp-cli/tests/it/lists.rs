use crate::common::{legacy, mcp, scripted};

#[test]
fn lists_are_tables_over_all_pages() {
    // The demo server has three items a page.
    let run = mcp("tools --demo").expect(0);
    let lines: Vec<_> = run.out.lines().collect();
    assert!(lines[0].starts_with("NAME") && lines[0].contains("DESCRIPTION"), "{run:?}");
    assert!(lines.len() > 4, "{run:?}");
    assert!(lines[2].starts_with("add") && lines[2].contains("a:number b:number"), "{run:?}");
    assert!(mcp("resources --demo").expect(0).out.contains("demo:///pixel.png"));
    assert!(mcp("templates --demo").expect(0).out.contains("demo:///squares/{number}"));
    assert!(mcp("prompts --demo").expect(0).out.contains("code [language]"));
}

#[test]
fn json_gives_items_as_they_came_and_what_was_rejected() {
    let server = legacy(
        r#"{"tools":{}}"#,
        r#"*'"cursor":"2"'*) reply '{"tools":[{"name":"bad"}]}';;
*'"tools/list"'*) reply '{"tools":[{"name":"ok","x-new":9007199254740993,"inputSchema":{"type":"object"}}],"nextCursor":"2"}';;"#,
    );
    let run = scripted("tools --json", &server).expect(0);
    assert!(
        run.out.contains(r#"{"name":"ok","x-new":9007199254740993,"inputSchema":{"type":"object"}}"#),
        "{run:?}"
    );
    let json = run.json();
    assert_eq!(json["tools"].as_array().unwrap().len(), 2);
    assert_eq!(json["rejected"][0]["index"], 1);
    assert_eq!(json["rejected"][0]["item"]["name"], "bad");
    assert!(json["rejected"][0]["reason"].as_str().unwrap().contains("inputSchema"));

    let run = scripted("tools", &server).expect(0);
    assert!(run.out.contains("ok") && run.err.contains("rejected: item 1 cannot be read"), "{run:?}");
    let run = scripted("call bad", &server).expect(4);
    assert!(run.err.contains("definition of `bad` cannot be read"), "{run:?}");
}

#[test]
fn a_list_that_is_not_offered_is_empty() {
    let server = legacy("{}", "");
    let run = scripted("tools", &server).expect(0);
    assert!(run.out.is_empty() && run.err.contains("lists no tools"), "{run:?}");
    assert_eq!(
        scripted("templates --json", &server).expect(0).json()["resourceTemplates"],
        serde_json::json!([])
    );
}

#[test]
fn info_says_what_was_negotiated() {
    for (protocol, era) in [("2026-07-28", "modern"), ("2024-11-05", "legacy")] {
        let json = mcp(&format!("info --demo --json --protocol {protocol}")).expect(0).json();
        assert_eq!((&json["era"], &json["revision"]), (&era.into(), &protocol.into()));
        assert_eq!(json["serverInfo"]["name"], "mcp-demo");
        assert!(json["capabilities"]["tools"].is_object());
        assert!(json["instructions"].is_string() && json["answer"].is_object());
    }
    let run = mcp("info --demo").expect(0);
    assert!(run.out.contains("revision      2026-07-28"), "{run:?}");
    assert!(mcp("ping --demo --json").expect(0).json()["milliseconds"].is_number());
}
