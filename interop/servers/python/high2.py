"""The contract on the high level of the Python SDK 2.x, which serves both eras: over stdio, or over the transport that the
argument names, on PORT."""

import os
import sys
from typing import Annotated

from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.resolve import Elicit, Resolve
from mcp_types import Completion

import contract
import events
import high

server = MCPServer(
    contract.NAME, version=contract.VERSION, instructions=contract.INSTRUCTIONS, log_level="ERROR"
)
high.register(server, Context, Image, Completion, ToolError)


def who() -> Elicit[high.Person]:
    return Elicit(contract.QUESTION, high.Person)


@server.tool()
async def ask(person: Annotated[ElicitationResult[high.Person], Resolve(who)]) -> str:
    if not isinstance(person, AcceptedElicitation):
        return person.action
    return contract.introduction(person.data.name, person.data.colour)


@server.tool()
async def touch(ctx: Context) -> str:
    await ctx.notify_tools_changed()
    return "touched"


match sys.argv[1:]:
    case ["streamable-http"]:
        server.run(
            "streamable-http",
            port=int(os.environ["PORT"]),
            event_store=events.Events(),
            retry_interval=100,
        )
    case [transport]:
        server.run(transport, port=int(os.environ["PORT"]))
    case _:
        server.run()
