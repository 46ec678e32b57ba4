"""The contract on the high level of the Python SDK 1.x: over stdio, or over the transport that the first
argument names, on PORT; with `plain` as the second, without sessions and streams."""

import os
import sys

from mcp.server.fastmcp import Context, FastMCP, Image
from mcp.server.fastmcp.exceptions import ToolError
from mcp.types import Completion

import contract
import events
import high

server = FastMCP(
    contract.NAME,
    instructions=contract.INSTRUCTIONS,
    log_level="ERROR",
    port=int(os.environ.get("PORT", "0")),
    event_store=None if "plain" in sys.argv else events.Events(),
    retry_interval=100,
    # Without sessions and without streams.
    stateless_http="plain" in sys.argv,
    json_response="plain" in sys.argv,
)
high.register(server, Context, Image, Completion, ToolError)


@server.tool()
async def ask(ctx: Context) -> str:
    answer = await ctx.elicit(contract.QUESTION, high.Person)
    if answer.action != "accept":
        return answer.action
    return contract.introduction(answer.data.name, answer.data.colour)


@server.tool()
async def touch(ctx: Context) -> str:
    await ctx.session.send_tool_list_changed()
    return "touched"


server.run(*sys.argv[1:2])
