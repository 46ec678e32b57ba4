// What every server of this folder answers, whatever SDK it stands on. The client's side of it: scenarios/own.json.

import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

export const NAME = 'interop';
export const VERSION = '1.0.0';
export const INSTRUCTIONS = 'A server to try clients on.';
export const QUESTION = 'Who are you?';

const README_TEXT = 'Notes, with a letter outside of ASCII: ü.';
// A PNG of one transparent pixel.
const PIXEL =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

export const PERSON = {
    type: 'object',
    properties: { name: { type: 'string' }, colour: { type: 'string', default: 'blue' } },
    required: ['name']
};

export const text = value => ({ content: [{ type: 'text', text: value }] });

export const introduction = ({ name, colour }) => text(`${name} likes ${colour}`);

const names = prefix => ['Ada', 'Alan', 'Grace'].filter(name => name.startsWith(prefix));

/** Of all servers of this process: over HTTP, each session or request may have one of its own. */
let stopped = 0;

/**
 * Everything but `ask`: how a user is asked is what the generations differ in.
 * `call` gives, of what a handler is told of its call: the progress token, the signal of its cancellation, a function
 * that sends a notification, and where there is one, a function that ends the connection of the call. `touch` tells the client that the tools changed.
 */
export function register(server, { ResourceTemplate, completable, call, touch }) {
    // Over HTTP, in the modern era, it is wanted in a header field too.
    const message = z.string().meta({ 'x-mcp-header': 'Message' });
    server.registerTool('echo', { inputSchema: z.object({ message }) }, async ({ message }) => text(message));
    const operands = z.object({ a: z.int(), b: z.int() });
    const result = z.object({ sum: z.int() });
    server.registerTool('add', { inputSchema: operands, outputSchema: result }, async ({ a, b }) => ({
        ...text(JSON.stringify({ sum: a + b })),
        structuredContent: { sum: a + b }
    }));
    server.registerTool('fail', {}, async () => {
        throw new Error('it failed');
    });
    server.registerTool('picture', {}, async () => ({
        content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }]
    }));
    const counting = z.object({ steps: z.int(), pause_ms: z.int() });
    server.registerTool('count', { inputSchema: counting }, async ({ steps, pause_ms }, context) => {
        const { token, signal, notify } = call(context);
        try {
            for (let step = 1; step <= steps; step++) {
                await sleep(pause_ms, undefined, { signal });
                if (token !== undefined) {
                    await notify({
                        method: 'notifications/progress',
                        params: { progressToken: token, progress: step, total: steps, message: `step ${step}` }
                    });
                }
            }
        } catch (error) {
            stopped += signal.aborted ? 1 : 0;
            throw error;
        }
        return text(`counted to ${steps}`);
    });
    server.registerTool('stopped', {}, async () => text(String(stopped)));
    server.registerTool('disconnect', {}, async context => {
        const { hangUp } = call(context);
        hangUp?.();
        await sleep(100);
        return text(hangUp ? 'came back' : 'stayed');
    });
    server.registerTool('touch', {}, async () => {
        touch();
        return text('touched');
    });

    server.registerResource('readme', 'note:///readme', { mimeType: 'text/plain' }, async uri => ({
        contents: [{ uri: uri.href, mimeType: 'text/plain', text: README_TEXT }]
    }));
    server.registerResource('pixel', 'note:///pixel', { mimeType: 'image/png' }, async uri => ({
        contents: [{ uri: uri.href, mimeType: 'image/png', blob: PIXEL }]
    }));
    const items = new ResourceTemplate('note:///items/{id}', { list: undefined });
    server.registerResource('item', items, { mimeType: 'text/plain' }, async (uri, { id }) => ({
        contents: [{ uri: uri.href, mimeType: 'text/plain', text: `item ${id}` }]
    }));

    const name = completable(z.string(), names);
    const greet = async ({ name }) => ({
        messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}.` } }]
    });
    return { name, greet };
}
