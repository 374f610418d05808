import { SynapseError, type Progress } from '@synapse/protocol';
import type { RemoteCall } from '../connection/connection.ts';
import { displayText } from '../../workspace/byte-name.ts';
import { size } from '../../text/amounts.ts';
import { defineTool, type AnyTool, type HeldTool } from '../../tool.ts';
import { MCP_DATA, readAnswer } from './answer.ts';
import type { ToolDefinition } from './definition.ts';
import { inputShape } from './input-shape.ts';

/** Progress is passed on ten times a second at most: more than a person reads, and each word renews the deadline. */
const PROGRESS_MS = 100;
const MAX_MESSAGE = 500;

/** What a tool of a server is made with. */
export interface McpToolParts {
  readonly definition: ToolDefinition;
  /** As it is configured, for a person. */
  readonly server: string;
  readonly timeoutMs: number;
  /** The most that a call can be renewed to. */
  readonly maxTimeoutMs: number;
  readonly held: () => HeldTool | undefined;
  /** Calls the server; throws Synapse errors. */
  readonly call: (tool: string, input: Readonly<Record<string, unknown>>, call: RemoteCall) => Promise<unknown>;
}

/** Makes a listener of few, bounded words out of one for any. */
function calm(tell: (progress: Progress) => void): (progress: Progress) => void {
  let last = Number.NEGATIVE_INFINITY;
  return ({ message, progress, total }) => {
    const now = performance.now();
    if (now - last < PROGRESS_MS) return;
    last = now;
    tell({
      ...(message === undefined ? {} : { message: displayText(message.slice(0, MAX_MESSAGE)) }),
      ...(Number.isFinite(progress) ? { progress } : {}),
      ...(Number.isFinite(total) ? { total } : {}),
    });
  };
}

/** What a block weighs, roughly. */
function lengthOf(block: unknown): number {
  if (typeof block !== 'object' || block === null) return 0;
  return Object.values(block).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}

/** A tool of an MCP server as one of ours. What it says about its own harmlessness counts for nothing. */
export function mcpTool({ definition, server, timeoutMs, maxTimeoutMs, held, call }: McpToolParts): AnyTool {
  const { name, ownName, title, description, inputSchema } = definition;
  return defineTool({
    name,
    title,
    description,
    effects: 'mcp',
    input: inputShape(inputSchema),
    inputSchema,
    output: MCP_DATA,
    permission: () => [{ action: 'mcp', resource: name }],
    timeoutMs,
    renewableMs: Math.max(timeoutMs, maxTimeoutMs),
    // What the server says, which may be a file.
    verbatim: true,
    keep: 'ends',
    summarize: (_, { content }) =>
      `${name} → ${content.length === 1 ? '1 block' : `${content.length} blocks`}, ${size(content.reduce<number>((sum, block) => sum + lengthOf(block), 0))}`,
    held,
    async execute(input, ctx) {
      const given = await call(ownName, input, { signal: ctx.signal, onProgress: calm((progress) => ctx.progress(progress)) });
      const answer = readAnswer(given, (bytes) => ctx.keep(bytes), ctx.limits.outputBytes);
      if (!answer.isError) return { data: answer.data, content: answer.content.length === 0 ? '' : answer.content };
      using said = ctx.collectOutput();
      for (const block of answer.content) if (block.type === 'text') said.writeText(block.text);
      const { text, truncation } = said.finish('ends');
      throw new SynapseError('tool_failed', `${name} failed: ${text.trim() === '' ? `the MCP server ${server} does not say why.` : text.trim()}`, {
        hint: truncation?.next ?? 'This is what the server says; correct the arguments or try another way.',
      });
    },
  });
}
