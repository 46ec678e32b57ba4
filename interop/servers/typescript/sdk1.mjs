// The contract on the TypeScript SDK 1.x: over stdio; with PORT, over Streamable HTTP at /mcp and HTTP+SSE at /sse.

import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';

import * as contract from './contract.mjs';
import { listen, sessions } from './http.mjs';

const call = ({ _meta, signal, sendNotification, closeSSEStream }) => ({
    token: _meta?.progressToken,
    signal,
    notify: sendNotification,
    hangUp: closeSSEStream
});

function create() {
    const server = new McpServer(
        { name: contract.NAME, version: contract.VERSION },
        { instructions: contract.INSTRUCTIONS }
    );
    const touch = () => server.sendToolListChanged();
    const prompt = contract.register(server, { ResourceTemplate, completable, call, touch });
    server.registerPrompt('greet', { argsSchema: { name: prompt.name } }, prompt.greet);
    server.registerTool('ask', {}, async extra => {
        const { action, content } = await server.server.elicitInput(
            { message: contract.QUESTION, requestedSchema: contract.PERSON },
            { relatedRequestId: extra.requestId }
        );
        return action === 'accept' ? contract.introduction(content) : contract.text(action);
    });
    return server;
}

if (process.env.PORT) {
    const streams = new Map();
    listen({
        '/mcp': sessions(create, StreamableHTTPServerTransport),
        '/unchecked': sessions(create, StreamableHTTPServerTransport, false),
        '/sse': async (request, response) => {
            if (request.method !== 'GET') {
                response.writeHead(405, { allow: 'GET' }).end();
                return;
            }
            const transport = new SSEServerTransport('/messages', response);
            streams.set(transport.sessionId, transport);
            await create().connect(transport);
        },
        '/messages': async (request, response) => {
            const id = new URL(request.url, 'http://localhost').searchParams.get('sessionId');
            await streams.get(id).handlePostMessage(request, response);
        }
    });
} else {
    await create().connect(new StdioServerTransport());
}
