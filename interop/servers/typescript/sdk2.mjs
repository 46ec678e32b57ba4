// The contract on the TypeScript SDK 2.x: of both eras, or with `modern` as its argument of that one alone.

import { McpServer, ResourceTemplate, completable, inputRequired, inputResponse } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

import * as contract from './contract.mjs';

const call = ({ mcpReq }) => ({
    token: mcpReq._meta?.progressToken,
    signal: mcpReq.signal,
    notify: mcpReq.notify
});

function create() {
    const server = new McpServer(
        { name: contract.NAME, version: contract.VERSION },
        { instructions: contract.INSTRUCTIONS }
    );
    const prompt = contract.register(server, { ResourceTemplate, completable, call });
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

serveStdio(create, { legacy: process.argv[2] === 'modern' ? 'reject' : 'serve' });
