"""The contract on the low level of the Python SDK 1.x: over stdio, or with PORT over Streamable HTTP."""

import asyncio
import base64
import os

import mcp.types as types
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.lowlevel.helper_types import ReadResourceContents
from mcp.server.stdio import stdio_server

import contract
import low

server = Server(contract.NAME, version=contract.VERSION, instructions=contract.INSTRUCTIONS)
stopped = 0


@server.list_tools()
async def list_tools(request: types.ListToolsRequest) -> types.ListToolsResult:
    # Before it calls a tool that was not listed, the SDK asks for the definitions itself: with None, and for one page.
    if request is None:
        names, cursor = list(low.TOOLS), None
    else:
        names, cursor = low.page(list(low.TOOLS), request.params.cursor if request.params else None)
    tools = [types.Tool(name=name, **low.TOOLS[name]) for name in names]
    return types.ListToolsResult(tools=tools, nextCursor=cursor)


@server.call_tool()
async def call_tool(name: str, arguments: dict):
    match name:
        case "echo":
            return text(arguments["message"])
        case "add":
            return {"sum": arguments["a"] + arguments["b"]}
        case "fail":
            raise RuntimeError("it failed")
        case "picture":
            return [types.ImageContent(type="image", data=contract.PIXEL, mimeType="image/png")]
        case "count":
            return text(await count(**arguments))
        case "stopped":
            return text(str(stopped))
        case "disconnect":
            return text("stayed")
        case "ask":
            answer = await server.request_context.session.elicit(contract.QUESTION, low.PERSON)
            accepted = answer.action == "accept"
            return text(contract.introduction(**answer.content) if accepted else answer.action)
        case "touch":
            await server.request_context.session.send_tool_list_changed()
            return text("touched")
    raise ValueError(f"no tool {name}")


async def count(steps: int, pause_ms: int) -> str:
    global stopped
    context = server.request_context
    token = context.meta.progressToken if context.meta else None
    try:
        for step in range(1, steps + 1):
            await asyncio.sleep(pause_ms / 1000)
            if token is not None:
                await context.session.send_progress_notification(
                    token, step, steps, f"step {step}", related_request_id=str(context.request_id)
                )
    except asyncio.CancelledError:
        stopped += 1
        raise
    return f"counted to {steps}"


def text(value: str) -> list[types.TextContent]:
    return [types.TextContent(type="text", text=value)]


@server.list_resources()
async def list_resources() -> list[types.Resource]:
    return [
        types.Resource(uri=contract.README_URI, name="readme", mimeType="text/plain"),
        types.Resource(uri=contract.PIXEL_URI, name="pixel", mimeType="image/png"),
    ]


@server.list_resource_templates()
async def list_templates() -> list[types.ResourceTemplate]:
    return [types.ResourceTemplate(uriTemplate=contract.ITEM_TEMPLATE, name="item", mimeType="text/plain")]


@server.read_resource()
async def read_resource(uri):
    uri = str(uri)
    if uri == contract.README_URI:
        return [ReadResourceContents(content=contract.README_TEXT, mime_type="text/plain")]
    if uri == contract.PIXEL_URI:
        return [ReadResourceContents(content=base64.b64decode(contract.PIXEL), mime_type="image/png")]
    if uri.startswith(contract.ITEM_PREFIX):
        content = contract.item_text(uri.removeprefix(contract.ITEM_PREFIX))
        return [ReadResourceContents(content=content, mime_type="text/plain")]
    raise ValueError(f"no resource {uri}")


@server.list_prompts()
async def list_prompts() -> list[types.Prompt]:
    return [types.Prompt(name="greet", arguments=[types.PromptArgument(name="name", required=True)])]


@server.get_prompt()
async def get_prompt(name: str, arguments: dict[str, str] | None) -> types.GetPromptResult:
    content = types.TextContent(type="text", text=contract.greeting((arguments or {})["name"]))
    return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])


@server.completion()
async def complete(ref, argument, context):
    return types.Completion(values=contract.names(argument.value))


async def main() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options(NotificationOptions(tools_changed=True)))


async def listen(port: int) -> None:
    import uvicorn
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    manager = StreamableHTTPSessionManager(server)
    async with manager.run():
        config = uvicorn.Config(manager.handle_request, port=port, log_level="error", interface="asgi3", lifespan="off")
        await uvicorn.Server(config).serve()


port = os.environ.get("PORT")
asyncio.run(listen(int(port)) if port else main())
