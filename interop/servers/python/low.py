"""The contract's schemas and pages, for servers that write them by hand."""

PAGE = 3

_INTEGER = {"type": "integer"}


def _schema(**properties) -> dict:
    return {"type": "object", "properties": properties, "required": list(properties)}


TOOLS = {
    # Over HTTP, in the modern era, it is wanted in a header field too.
    "echo": {"inputSchema": _schema(message={"type": "string", "x-mcp-header": "Message"})},
    "add": {"inputSchema": _schema(a=_INTEGER, b=_INTEGER), "outputSchema": _schema(sum=_INTEGER)},
    "fail": {"inputSchema": _schema()},
    "picture": {"inputSchema": _schema()},
    "count": {"inputSchema": _schema(steps=_INTEGER, pause_ms=_INTEGER)},
    "stopped": {"inputSchema": _schema()},
    "disconnect": {"inputSchema": _schema()},
    "ask": {"inputSchema": _schema()},
    "touch": {"inputSchema": _schema()},
}

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "colour": {"type": "string", "default": "blue"}},
    "required": ["name"],
}


def page(names: list[str], cursor: str | None) -> tuple[list[str], str | None]:
    """The page at `cursor`, and the cursor of the next one."""
    start = int(cursor) if cursor else 0
    end = start + PAGE
    return names[start:end], str(end) if end < len(names) else None
