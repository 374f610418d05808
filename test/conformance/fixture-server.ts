import { createHands, defineTool, type AnyTool, type ToolContext, type ToolOutput } from '@synapse/hands';
import { runMcpHttpServer, type McpPrompt, type McpPromptMessage, type McpResource } from '@synapse/mcp-server';
import { SynapseError } from '@synapse/protocol';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import * as z from 'zod';

/** One red pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
/** Longer than progress is held back. */
const APART_MS = 300;

type Answer = ToolOutput<Record<string, never>>;

function tool(name: string, execute: (context: ToolContext) => Promise<Answer>): AnyTool {
  return defineTool({
    name,
    title: name,
    description: 'What the conformance suite calls.',
    effects: 'read',
    input: z.strictObject({}),
    output: z.strictObject({}),
    permission: () => [],
    timeoutMs: 10_000,
    keep: 'head',
    summarize: () => name,
    execute: (_, context) => execute(context),
  });
}

const text = async (content: string): Promise<Answer> => ({ data: {}, content });

const TOOLS: readonly AnyTool[] = [
  tool('test_simple_text', () => text('This is a simple text response for testing.')),
  tool('test_image_content', async () => ({ data: {}, content: [{ type: 'image', data: PIXEL, mimeType: 'image/png' }] })),
  tool('test_error_handling', async () => {
    throw new SynapseError('tool_failed', 'This tool intentionally returns an error for testing.');
  }),
  tool('test_tool_with_progress', async (context) => {
    for (const done of [0, 50, 100]) {
      context.progress({ progress: done, total: 100 });
      await delay(APART_MS);
    }
    return text('done');
  }),
  tool('test_reconnection', () => text('There before anybody had to come back for it.')),
  // Elicitation serves one end here: asking a person whether a call may run. So this one must be asked about.
  defineTool({
    name: 'test_elicitation',
    title: 'Asks',
    description: 'What the conformance suite calls.',
    effects: 'write',
    input: z.strictObject({ message: z.string() }),
    output: z.strictObject({}),
    permission: ({ message }) => [{ action: 'write', resource: message }],
    timeoutMs: 10_000,
    keep: 'head',
    summarize: () => 'test_elicitation',
    execute: () => text('It was allowed.'),
  }),
];

const embedded = (uri: string): McpPromptMessage => ({
  role: 'user',
  content: { type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' } },
});
const says = (words: string): McpPromptMessage => ({ role: 'user', content: { type: 'text', text: words } });
const argument = (name: string): McpPrompt['arguments'][number] => ({ name, description: 'A value', required: true });

function prompt(name: string, fields: readonly string[], get: McpPrompt['get']): McpPrompt {
  return { name, title: name, description: 'What the conformance suite asks for.', arguments: fields.map(argument), get };
}

const PROMPTS: readonly McpPrompt[] = [
  prompt('test_simple_prompt', [], () => [says('This is a simple prompt for testing.')]),
  prompt('test_prompt_with_arguments', ['arg1', 'arg2'], ({ arg1, arg2 }) => [says(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)]),
  prompt('test_prompt_with_embedded_resource', ['resourceUri'], ({ resourceUri = '' }) => [embedded(resourceUri), says('Please process it.')]),
  prompt('test_prompt_with_image', [], () => [
    { role: 'user', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
    says('Please analyze the image above.'),
  ]),
];

function resource(uri: string, mimeType: string, read: McpResource['read']): McpResource {
  return { uri, name: uri, title: uri, description: 'What the conformance suite reads.', mimeType, uses: [], read };
}

const RESOURCES: readonly McpResource[] = [
  resource('test://static-text', 'text/plain', async ({ uri }) => [
    { uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  ]),
  resource('test://static-binary', 'image/png', async ({ uri }) => [{ uri, mimeType: 'image/png', blob: PIXEL }]),
  resource('test://template/{id}/data', 'application/json', async ({ uri, variables: { id } }) => [
    { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }) },
  ]),
];

/** A server with what the suite asks for, on the code that `synapse mcp --http` runs. */
export async function openFixtureServer(token: string): Promise<AsyncDisposable & { readonly url: string }> {
  const workspace = await mkdtemp(join(tmpdir(), 'synapse-'));
  const hands = await createHands({ workspace, stateFolder: await mkdtemp(join(tmpdir(), 'synapse-state-')), tools: TOOLS });
  const ending = new AbortController();
  const { promise: listening, resolve } = Promise.withResolvers<string>();
  const served = runMcpHttpServer({
    hands,
    name: 'conformance-fixture',
    version: '1.0.0',
    prompts: async () => PROMPTS,
    resources: RESOURCES,
    token,
    port: 0,
    signal: ending.signal,
    onListening: resolve,
  });
  return {
    url: await listening,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await served;
      await hands[Symbol.asyncDispose]();
    },
  };
}
