// The contract on the TypeScript SDK 2.x: of both eras, or with `modern` as its argument of that one alone; over stdio, or
// with PORT over Streamable HTTP: at /mcp with sessions in the legacy era, at /stateless without.

import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node';
import {
    McpServer,
    ResourceTemplate,
    completable,
    createMcpHandler,
    inputRequired,
    inputResponse,
    isLegacyRequest
} from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

import * as contract from './contract.mjs';
import { listen, sessions } from './http.mjs';

const modernOnly = process.argv[2] === 'modern';

const call = ({ mcpReq, http }) => ({
    token: mcpReq._meta?.progressToken,
    signal: mcpReq.signal,
    notify: mcpReq.notify,
    hangUp: http?.closeSSE
});

/** `changed` tells those who listen that the tools changed; without it, the server itself does. */
function create(changed) {
    const server = new McpServer(
        { name: contract.NAME, version: contract.VERSION },
        { instructions: contract.INSTRUCTIONS }
    );
    const touch = changed ?? (() => server.sendToolListChanged());
    const prompt = contract.register(server, { ResourceTemplate, completable, call, touch });
    server.registerPrompt('greet', { argsSchema: z.object({ name: prompt.name }) }, prompt.greet);
    server.registerTool('ask', {}, async ({ mcpReq }) => {
        const answer = inputResponse(mcpReq.inputResponses, 'who');
        if (answer.kind === 'missing') {
            const who = inputRequired.elicit({ message: contract.QUESTION, requestedSchema: contract.PERSON });
            return inputRequired({ inputRequests: { who } });
        }
        return answer.action === 'accept' ? contract.introduction(answer.content) : contract.text(answer.action);
    });
    return server;
}

if (process.env.PORT) {
    // Each request of the modern era has a server of its own, so the handler tells those who listen.
    const handler = createMcpHandler(() => create(() => handler.notify.toolsChanged()), { legacy: 'reject' });
    const modern = toNodeHandler(handler);
    const legacy = sessions(() => create(), NodeStreamableHTTPServerTransport);
    listen({
        '/mcp': async (request, response) => {
            const body = request.method === 'POST' ? await json(request) : undefined;
            const isLegacy = !modernOnly && (await isLegacyRequest(await toWebRequest(request, body), body));
            await (isLegacy ? legacy : modern)(request, response, body);
        },
        '/stateless': toNodeHandler(createMcpHandler(() => create(() => handler.notify.toolsChanged()), { bus: handler.bus }))
    });
} else {
    serveStdio(() => create(), { legacy: modernOnly ? 'reject' : 'serve' });
}

async function json(request) {
    const chunks = [];
    for await (const chunk of request) {
        chunks.push(chunk);
    }
    return JSON.parse(Buffer.concat(chunks).toString());
}
