"""What the streams of a session said, so that a client can take them up again; for both generations of the SDK."""

from mcp.server.streamable_http import EventMessage, EventStore


class Events(EventStore):
    def __init__(self) -> None:
        self.events: list = []

    async def store_event(self, stream_id, message):
        self.events.append((stream_id, message))
        return str(len(self.events))

    async def replay_events_after(self, last_event_id, send_callback):
        last = int(last_event_id)
        stream = self.events[last - 1][0]
        for at, (of, message) in enumerate(self.events[last:], start=last + 1):
            if of == stream and message is not None:
                await send_callback(EventMessage(message, str(at)))
        return stream
