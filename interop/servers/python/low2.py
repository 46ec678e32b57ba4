"""The contract on the low level of the Python SDK 2.x, which serves both eras: over stdio, or with PORT over Streamable HTTP."""

import asyncio
import json
import os

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

import contract
import low

MODERN = "2026-07-28"
# Of no meaning to a client, which must send it back as it came.
STATE = 'state "1" \u2028 of the server'

bus = InMemorySubscriptionBus()
stopped = 0


async def list_tools(ctx, params) -> types.ListToolsResult:
    names, cursor = low.page(list(low.TOOLS), params.cursor if params else None)
    tools = [types.Tool.model_validate({"name": name, **low.TOOLS[name]}) for name in names]
    return types.ListToolsResult(tools=tools, next_cursor=cursor)


async def call_tool(ctx, params) -> types.CallToolResult | types.InputRequiredResult:
    arguments = params.arguments or {}
    match params.name:
        case "echo":
            return text(arguments["message"])
        case "add":
            result = {"sum": arguments["a"] + arguments["b"]}
            content = [types.TextContent(text=json.dumps(result))]
            return types.CallToolResult(content=content, structured_content=result)
        case "fail":
            return types.CallToolResult(content=[types.TextContent(text="it failed")], is_error=True)
        case "picture":
            image = types.ImageContent(data=contract.PIXEL, mime_type="image/png")
            return types.CallToolResult(content=[image])
        case "count":
            return text(await count(ctx, **arguments))
        case "stopped":
            return text(str(stopped))
        case "disconnect":
            return text("stayed")
        case "ask":
            return await ask(ctx, params)
        case "touch":
            await bus.publish(ToolsListChanged())
            return text("touched")
    raise ValueError(f"no tool {params.name}")


async def ask(ctx, params) -> types.CallToolResult | types.InputRequiredResult:
    form = types.ElicitRequestFormParams(message=contract.QUESTION, requested_schema=low.PERSON)
    if ctx.protocol_version < MODERN:
        answer = await ctx.session.elicit_form(contract.QUESTION, low.PERSON)
    elif params.input_responses is None:
        requests = {"who": types.ElicitRequest(params=form)}
        return types.InputRequiredResult(input_requests=requests, request_state=STATE)
    elif params.request_state != STATE:
        raise ValueError(f"the state came back as {params.request_state!r}")
    else:
        answer = params.input_responses["who"]
    accepted = answer.action == "accept"
    return text(contract.introduction(**answer.content) if accepted else answer.action)


async def count(ctx, steps: int, pause_ms: int) -> str:
    global stopped
    try:
        for step in range(1, steps + 1):
            await asyncio.sleep(pause_ms / 1000)
            await ctx.session.report_progress(step, steps, f"step {step}")
    except asyncio.CancelledError:
        stopped += 1
        raise
    return f"counted to {steps}"


def text(value: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=value)])


async def list_resources(ctx, params) -> types.ListResourcesResult:
    return types.ListResourcesResult(
        resources=[
            types.Resource(uri=contract.README_URI, name="readme", mime_type="text/plain"),
            types.Resource(uri=contract.PIXEL_URI, name="pixel", mime_type="image/png"),
        ]
    )


async def list_templates(ctx, params) -> types.ListResourceTemplatesResult:
    item = types.ResourceTemplate(uri_template=contract.ITEM_TEMPLATE, name="item", mime_type="text/plain")
    return types.ListResourceTemplatesResult(resource_templates=[item])


async def read_resource(ctx, params) -> types.ReadResourceResult:
    uri = str(params.uri)
    if uri == contract.README_URI:
        contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=contract.README_TEXT)
    elif uri == contract.PIXEL_URI:
        contents = types.BlobResourceContents(uri=uri, mime_type="image/png", blob=contract.PIXEL)
    elif uri.startswith(contract.ITEM_PREFIX):
        item = contract.item_text(uri.removeprefix(contract.ITEM_PREFIX))
        contents = types.TextResourceContents(uri=uri, mime_type="text/plain", text=item)
    else:
        raise ValueError(f"no resource {uri}")
    return types.ReadResourceResult(contents=[contents])


async def list_prompts(ctx, params) -> types.ListPromptsResult:
    argument = types.PromptArgument(name="name", required=True)
    return types.ListPromptsResult(prompts=[types.Prompt(name="greet", arguments=[argument])])


async def get_prompt(ctx, params) -> types.GetPromptResult:
    content = types.TextContent(text=contract.greeting((params.arguments or {})["name"]))
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])


async def complete(ctx, params) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=contract.names(params.argument.value)))


server = Server(
    contract.NAME,
    version=contract.VERSION,
    instructions=contract.INSTRUCTIONS,
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    on_list_resources=list_resources,
    on_list_resource_templates=list_templates,
    on_read_resource=read_resource,
    on_list_prompts=list_prompts,
    on_get_prompt=get_prompt,
    on_completion=complete,
    on_subscriptions_listen=ListenHandler(bus),
)


async def main() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if port := os.environ.get("PORT"):
    import uvicorn

    uvicorn.run(server.streamable_http_app(), port=int(port), log_level="error")
else:
    asyncio.run(main())
