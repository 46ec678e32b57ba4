"""The contract, as far as the high levels of the SDK's generations are alike."""

import asyncio
import base64

from pydantic import BaseModel

import contract


class Sum(BaseModel):
    sum: int


class Person(BaseModel):
    name: str
    colour: str = contract.COLOUR


def register(server, Context, Image, Completion, ToolError) -> None:
    """Everything but `ask` and `touch`: how a user is asked and clients are told is what the generations differ in."""
    stopped = 0

    @server.tool()
    def echo(message: str) -> str:
        return message

    @server.tool()
    def add(a: int, b: int) -> Sum:
        return Sum(sum=a + b)

    @server.tool()
    def fail() -> str:
        raise ToolError("it failed")

    @server.tool()
    def picture() -> Image:
        return Image(data=base64.b64decode(contract.PIXEL), format="png")

    @server.tool()
    async def count(steps: int, pause_ms: int, ctx: Context) -> str:
        nonlocal stopped
        try:
            for step in range(1, steps + 1):
                await asyncio.sleep(pause_ms / 1000)
                await ctx.report_progress(step, steps, f"step {step}")
        except asyncio.CancelledError:
            stopped += 1
            raise
        return f"counted to {steps}"

    @server.tool()
    async def disconnect(ctx: Context) -> str:
        can = ctx.request_context.close_sse_stream is not None
        await ctx.close_sse_stream()
        await asyncio.sleep(0.1)
        return "came back" if can else "stayed"

    @server.tool(name="stopped")
    def count_stopped() -> str:
        return str(stopped)

    @server.resource(contract.README_URI, name="readme", mime_type="text/plain")
    def readme() -> str:
        return contract.README_TEXT

    @server.resource(contract.PIXEL_URI, name="pixel", mime_type="image/png")
    def pixel() -> bytes:
        return base64.b64decode(contract.PIXEL)

    @server.resource(contract.ITEM_TEMPLATE, name="item", mime_type="text/plain")
    def item(id: str) -> str:
        return contract.item_text(id)

    @server.prompt()
    def greet(name: str) -> str:
        return contract.greeting(name)

    @server.completion()
    async def complete(ref, argument, context):
        return Completion(values=contract.names(argument.value))
