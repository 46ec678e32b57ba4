// The contract on the TypeScript SDK 1.x.

import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';

import * as contract from './contract.mjs';

const server = new McpServer(
    { name: contract.NAME, version: contract.VERSION },
    { instructions: contract.INSTRUCTIONS }
);
const call = ({ _meta, signal, sendNotification }) => ({
    token: _meta?.progressToken,
    signal,
    notify: sendNotification
});
const prompt = contract.register(server, { ResourceTemplate, completable, call });
server.registerPrompt('greet', { argsSchema: { name: prompt.name } }, prompt.greet);
server.registerTool('ask', {}, async () => {
    const answer = await server.server.elicitInput({
        message: contract.QUESTION,
        requestedSchema: contract.PERSON
    });
    return answer.action === 'accept' ? contract.introduction(answer.content) : contract.text(answer.action);
});
await server.connect(new StdioServerTransport());
