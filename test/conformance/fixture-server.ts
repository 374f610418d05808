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
/** Milliseconds; longer than the throttling of progress. */
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

/** Tools that the suite calls to be asked a question. */
const ASKED = [
  'test_elicitation',
  ...['elicitation', 'request_state', 'capabilities', 'multiple_inputs', 'tampered_state'].map((name) => `test_input_required_result_${name}`),
];

function asks(name: string): AnyTool {
  return defineTool({
    name,
    title: 'Asks',
    description: 'What the conformance suite calls.',
    effects: 'write',
    input: z.strictObject({ message: z.string().default('something') }),
    output: z.strictObject({}),
    permission: ({ message }) => [{ action: 'write', resource: message }],
    timeoutMs: 10_000,
    keep: 'head',
    summarize: () => name,
    execute: () => text('It was allowed.'),
  });
}

/** Creates a tool that sends forms to the user one after the other, as tools of MCP servers do. */
function form(name: string, ...forms: readonly object[]): AnyTool {
  return tool(name, async (context) => {
    const said: string[] = [];
    for (const properties of forms) {
      const filled = await context.fillForm({ server: 'fixture', tool: name, message: 'Fill this in.', schema: { type: 'object', properties } });
      said.push(`Elicitation completed: action=${filled.action}, content=${JSON.stringify(filled.action === 'accept' ? filled.content : {})}`);
    }
    return await text(said.join('\n'));
  });
}

const options = (...values: string[]): object[] => values.map((value) => ({ const: value, title: `The ${value}` }));

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
  {
    ...tool('json_schema_2020_12_tool', () => text('ok')),
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' }, phone: { type: 'string' }, email: { type: 'string' } },
      allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
      if: { properties: { name: { const: 'phone' } }, required: ['name'] },
      then: { required: ['phone'] },
      else: { required: ['email'] },
      additionalProperties: false,
    },
  },
  form('test_elicitation_sep1034_defaults', {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  }),
  form('test_elicitation_sep1330_enums', {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: options('value1', 'value2', 'value3') },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: options('value1', 'value2', 'value3') } },
  }),
  form('test_input_required_result_multi_round', { name: { type: 'string' } }, { color: { type: 'string' } }),
  // These need approval, as any call may.
  ...ASKED.map((name) => asks(name)),
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

/** Opens a server with the features that the suite tests, on the code of `synapse mcp --http`. */
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
