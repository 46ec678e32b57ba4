// How the servers of this folder listen on the port that PORT names, whatever SDK they stand on.

import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';

/** Answers with the handler of the path, on loopback. */
export function listen(handlers) {
    const server = createServer(async (request, response) => {
        const { pathname } = new URL(request.url, 'http://localhost');
        const handler = handlers[pathname];
        if (handler) {
            await handler(request, response);
        } else {
            response.writeHead(404).end('Not found');
        }
    });
    server.listen(Number(process.env.PORT), '127.0.0.1');
}

/** What the streams of a session said, so that a client can take them up again. */
class EventStore {
    events = [];

    async storeEvent(stream, message) {
        this.events.push({ stream, message });
        return String(this.events.length);
    }

    async getStreamIdForEventId(id) {
        return this.events[id - 1]?.stream;
    }

    async replayEventsAfter(last, { send }) {
        const { stream } = this.events[last - 1];
        for (let at = Number(last); at < this.events.length; at++) {
            const event = this.events[at];
            if (event.stream === stream) {
                await send(String(at + 1), event.message);
            }
        }
        return stream;
    }
}

/**
 * Sessions of the legacy era: `create` makes a server, `Transport` is the SDK's, for Node.js. Where it is not `checked`, what
 * names an unknown session gets a transport too, as from many a server: the SDK refuses it then, in words of its own.
 */
export function sessions(create, Transport, checked = true) {
    const open = new Map();
    return async (request, response, body) => {
        const id = request.headers['mcp-session-id'];
        if (checked && id !== undefined && !open.has(id)) {
            response.writeHead(404).end('No such session');
            return;
        }
        let transport = open.get(id);
        if (!transport) {
            transport = new Transport({
                sessionIdGenerator: randomUUID,
                eventStore: new EventStore(),
                retryInterval: 100,
                onsessioninitialized: id => open.set(id, transport)
            });
            transport.onclose = () => open.delete(transport.sessionId);
            await create().connect(transport);
        }
        await transport.handleRequest(request, response, body);
    };
}
