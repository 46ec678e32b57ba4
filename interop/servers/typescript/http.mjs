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

/** Sessions of the legacy era: `create` makes a server, `Transport` is the SDK's, for Node.js. */
export function sessions(create, Transport) {
    const open = new Map();
    return async (request, response, body) => {
        const id = request.headers['mcp-session-id'];
        if (id !== undefined && !open.has(id)) {
            response.writeHead(404).end('No such session');
            return;
        }
        let transport = open.get(id);
        if (!transport) {
            transport = new Transport({
                sessionIdGenerator: randomUUID,
                onsessioninitialized: id => open.set(id, transport)
            });
            transport.onclose = () => open.delete(transport.sessionId);
            await create().connect(transport);
        }
        await transport.handleRequest(request, response, body);
    };
}
