import { SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { asData } from '../../output/data-mark.ts';
import { defineTool, type AnyTool } from '../../tool/tool.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { RemoteAbilities, RemoteCall } from '../connection/connection.ts';
import { isDeceptive } from '../../workspace/byte-name.ts';
import { personOf } from '../tools/person-of.ts';
import { BLOCKS, readAnswer } from '../tools/answer.ts';
import { calm } from '../tools/calm-progress.ts';
import { requestToolName, type REQUEST_TOOLS } from '../tool-name.ts';
import type { WatchedResources } from './watched-resources.ts';

/** Makes a request to the server; throws Synapse errors. */
export type MakeRequest = (method: string, params: Readonly<Record<string, unknown>>, call: RemoteCall) => Promise<unknown>;

/** What the request tools of a server are made from. */
export interface RequestToolsParts {
  readonly server: string;
  readonly timeoutMs: number;
  readonly maxTimeoutMs: number;
  readonly abilities: RemoteAbilities;
  readonly request: MakeRequest;
  readonly watched: WatchedResources;
}

/** Maximum number of characters and of parts of one result; more is a mistake or an attack. */
const MAX_CHARACTERS = 8_000_000;
const MAX_PARTS = 500;
const MAX_URI = 2_000;
/** Maximum number of completion values, as the protocol says. */
const MAX_VALUES = 100;
const MAX_VALUE = 1_000;

const text = z.string().optional().catch(undefined);
const CONTENT = z.looseObject({ uri: z.string().optional().catch(undefined), mimeType: text, text, blob: z.base64().optional().catch(undefined) });
const READ = z.looseObject({ contents: z.array(CONTENT).max(MAX_PARTS) });
const GOT = z.looseObject({
  description: text,
  messages: z.array(z.looseObject({ role: z.enum(['user', 'assistant']), content: BLOCKS })).max(MAX_PARTS),
});
const COMPLETED = z.looseObject({
  completion: z.looseObject({
    values: z.array(z.string()),
    hasMore: z.boolean().optional().catch(undefined),
    total: z.number().optional().catch(undefined),
  }),
});

/** The content of a resource, as the server sent it. */
export const RESOURCE_DATA = z.strictObject({
  contents: z.array(z.strictObject({ uri: z.string(), mimeType: text, text, blob: text })),
});
/** A prompt, as the server sent it. */
export const PROMPT_DATA = z.strictObject({
  description: text,
  messages: z.array(z.strictObject({ role: z.enum(['user', 'assistant']), content: BLOCKS })),
});
/** Possible values for an argument of a prompt or template. */
export const COMPLETION_DATA = z.strictObject({ values: z.array(z.string()), hasMore: z.boolean() });

const URI = z.strictObject({
  uri: z
    .string()
    .min(1)
    .max(MAX_URI)
    .refine((uri) => !isDeceptive(uri), 'characters that cannot be seen')
    .describe('As the server has it'),
});

function parsed<Schema extends z.ZodType>(schema: Schema, answer: unknown, server: string): z.output<Schema> {
  const read = schema.safeParse(answer);
  if (!read.success) throw new SynapseError('tool_failed', `The MCP server ${server} answered with something that is not what the protocol has.`);
  if (JSON.stringify(read.data).length <= MAX_CHARACTERS) return read.data;
  throw new SynapseError('too_large', `The MCP server ${server} answered with more than ${MAX_CHARACTERS} characters.`);
}

/** Creates our tools for what a server has besides tools. Rules, questions and records apply to their calls too. */
export function requestTools(parts: RequestToolsParts): AnyTool[] {
  const { resources, prompts, subscribe, completions } = parts.abilities;
  return [
    ...(resources ? [readResourceTool(parts)] : []),
    ...(prompts ? [getPromptTool(parts)] : []),
    ...(subscribe ? [watchResourceTool(parts)] : []),
    ...(completions ? [completeTool(parts)] : []),
  ];
}

/** Makes the request of a tool, and lets the server ask the person meanwhile. */
async function make(
  { server, request }: RequestToolsParts,
  tool: string,
  method: string,
  params: Readonly<Record<string, unknown>>,
  ctx: ToolContext,
) {
  const person = personOf(ctx, { server, tool });
  const answer = await request(method, params, { signal: ctx.signal, onProgress: calm((progress) => ctx.progress(progress)), fill: person.fill });
  return { answer, note: person.note() };
}

function shared({ server, timeoutMs, maxTimeoutMs }: RequestToolsParts, which: keyof typeof REQUEST_TOOLS) {
  const name = requestToolName(server, which);
  return {
    name,
    effects: 'mcp' as const,
    permission: () => [{ action: 'mcp' as const, resource: name }],
    timeoutMs,
    renewableMs: Math.max(timeoutMs, maxTimeoutMs),
    verbatim: true,
    keep: 'ends' as const,
  };
}

function readResourceTool(parts: RequestToolsParts): AnyTool {
  const { server } = parts;
  const common = shared(parts, 'readResource');
  return defineTool({
    ...common,
    title: `Read a resource of ${server}`,
    description: `Read a resource of the MCP server ${server} by its URI.`,
    input: URI,
    output: RESOURCE_DATA,
    summarize: ({ uri }, { contents }) => `${common.name}(${uri.slice(0, 200)}) → ${contents.length} parts`,
    async execute({ uri }, ctx) {
      const { answer, note } = await make(parts, common.name, 'resources/read', { uri }, ctx);
      const contents = parsed(READ, answer, server).contents.map((one) => ({
        uri: one.uri ?? uri,
        mimeType: one.mimeType,
        text: one.text,
        blob: one.blob,
      }));
      const blocks = contents.map((resource) => ({ type: 'resource', resource }));
      return {
        data: { contents },
        content: asData(readAnswer({ content: blocks }, (bytes) => ctx.keep(bytes), ctx.limits.outputBytes).content, `MCP server ${server}`),
        ...note,
      };
    },
  });
}

function getPromptTool(parts: RequestToolsParts): AnyTool {
  const { server } = parts;
  const common = shared(parts, 'getPrompt');
  return defineTool({
    ...common,
    title: `Get a prompt of ${server}`,
    description: `Get a prompt of the MCP server ${server} by its name.`,
    input: z.strictObject({ name: z.string().min(1).max(200), arguments: z.record(z.string(), z.string()).default({}) }),
    output: PROMPT_DATA,
    summarize: ({ name }, { messages }) => `${common.name}(${name}) → ${messages.length} messages`,
    async execute(input, ctx) {
      const { answer, note } = await make(parts, common.name, 'prompts/get', input, ctx);
      const { description, messages: sent } = parsed(GOT, answer, server);
      const messages = sent.map(({ role, content }) => ({ role, content }));
      const blocks = messages.flatMap(({ role, content }) => [{ type: 'text', text: `${role}:` }, content]);
      const content = readAnswer({ content: blocks }, (bytes) => ctx.keep(bytes), ctx.limits.outputBytes).content;
      return { data: { description, messages }, content: content.length === 0 ? '' : asData(content, `MCP server ${server}`), ...note };
    },
  });
}

function watchResourceTool(parts: RequestToolsParts): AnyTool {
  const { server } = parts;
  const common = shared(parts, 'watchResource');
  return defineTool({
    ...common,
    title: `Watch a resource of ${server}`,
    description: `Hear of changes of a resource of the MCP server ${server}.`,
    input: URI,
    output: z.strictObject({}),
    summarize: ({ uri }) => `${common.name}(${uri.slice(0, 200)})`,
    async execute({ uri }, { signal }) {
      await parts.watched.add(uri, signal);
      return { data: {}, content: '' };
    },
  });
}

function completeTool(parts: RequestToolsParts): AnyTool {
  const { server } = parts;
  const common = shared(parts, 'complete');
  return defineTool({
    ...common,
    title: `Complete a value for ${server}`,
    description: `Ask the MCP server ${server} what fits a place of a prompt or a template.`,
    input: z.strictObject({
      ref: z.union([
        z.strictObject({ type: z.literal('ref/prompt'), name: z.string().max(200) }),
        z.strictObject({ type: z.literal('ref/resource'), uri: z.string().max(MAX_URI) }),
      ]),
      argument: z.strictObject({ name: z.string().max(200), value: z.string().max(MAX_VALUE) }),
      context: z.strictObject({ arguments: z.record(z.string(), z.string().max(MAX_VALUE)).optional() }).optional(),
    }),
    output: COMPLETION_DATA,
    summarize: ({ argument }, { values }) => `${common.name}(${argument.name}) → ${values.length} values`,
    async execute(input, ctx) {
      const { answer } = await make(parts, common.name, 'completion/complete', input, ctx);
      const { values, hasMore = false } = parsed(COMPLETED, answer, server).completion;
      const usable = values.filter((value) => value.length <= MAX_VALUE && !isDeceptive(value));
      const data = { values: usable.slice(0, MAX_VALUES), hasMore: hasMore || usable.length > MAX_VALUES };
      return { data, content: data.values.join('\n') };
    },
  });
}
