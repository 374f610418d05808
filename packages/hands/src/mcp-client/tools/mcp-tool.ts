import { SynapseError } from '@synapse/protocol';
import type { RemoteCall } from '../connection/connection.ts';
import { asData, dataMarks } from '../../output/data-mark.ts';
import { size } from '../../text/amounts.ts';
import { type AnyTool, defineTool, type HeldTool } from '../../tool/tool.ts';
import { MCP_DATA, readAnswer } from './answer.ts';
import { calm } from './calm-progress.ts';
import type { ToolDefinition } from './definition.ts';
import { parameterHeaders } from './header-parameters.ts';
import { personOf } from './person-of.ts';
import * as z from 'zod';
import { isSchema, type JsonSchema, requiredNames } from '../../tool/json-schema.ts';

/** Maximum number of choices listed in an error. */
const MAX_CHOICES = 50;

/** Checks per JSON Schema type. */
const TYPES: Readonly<Record<string, () => z.ZodType>> = {
  string: () => z.string(),
  number: () => z.number(),
  integer: () => z.int(),
  boolean: () => z.boolean(),
  array: () => z.array(z.unknown()),
  object: () => z.record(z.string(), z.unknown()),
};

function field(schema: unknown): z.ZodType {
  if (!isSchema(schema)) return z.unknown();
  const { type, enum: choices } = schema;
  if (Array.isArray(choices) && choices.length > 0 && choices.length <= MAX_CHOICES && choices.every((choice) => typeof choice === 'string')) {
    return z.enum(choices as [string, ...string[]]);
  }
  const make = typeof type === 'string' && Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  return make?.() ?? z.unknown();
}

/**
 * Checks what models get wrong, by an untrusted schema: missing and unknown fields, and wrong types.
 * The server checks the rest; patterns are never run here, since one could take forever.
 */
function inputShape(schema: JsonSchema): z.ZodObject {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  const required = new Set(requiredNames(schema));
  const shape = Object.fromEntries(
    Object.entries(properties).map(([name, inner]) => {
      const checked = field(inner);
      return [name, required.has(name) ? checked : checked.optional()];
    }),
  );
  return schema['additionalProperties'] === false ? z.strictObject(shape) : z.looseObject(shape);
}

/** What a tool of a server is made from. */
interface McpToolParts {
  readonly definition: ToolDefinition;
  /** Configured name, for users. */
  readonly server: string;
  readonly timeoutMs: number;
  /** Maximum milliseconds that progress can extend a call to. */
  readonly maxTimeoutMs: number;
  readonly held: () => HeldTool | undefined;
  /** Calls the server; throws Synapse errors. */
  readonly call: (tool: string, input: Readonly<Record<string, unknown>>, call: RemoteCall) => Promise<unknown>;
}

/** Returns the approximate size of a block in characters. */
function lengthOf(block: unknown): number {
  if (typeof block !== 'object' || block === null) return 0;
  return Object.values(block).reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 0), 0);
}

/** Wraps a tool of an MCP server. Its annotations about harmlessness are ignored. */
export function mcpTool({ definition, server, timeoutMs, maxTimeoutMs, held, call }: McpToolParts): AnyTool {
  const { name, ownName, title, description, inputSchema, outputSchema, headers } = definition;
  return defineTool({
    name,
    title,
    description,
    effects: 'mcp',
    input: inputShape(inputSchema),
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
    output: MCP_DATA,
    permission: () => [{ action: 'mcp', resource: name }],
    timeoutMs,
    renewableMs: Math.max(timeoutMs, maxTimeoutMs),
    // The server's output, which may be a file.
    verbatim: true,
    keep: 'ends',
    summarize: (_, { content }) =>
      `${name} → ${content.length === 1 ? '1 block' : `${content.length} blocks`}, ${size(content.reduce<number>((sum, block) => sum + lengthOf(block), 0))}`,
    held,
    async execute(input, ctx) {
      const person = personOf(ctx, { server, tool: name });
      const given = await call(ownName, input, {
        signal: ctx.signal,
        ...(headers.length === 0 ? {} : { headers: parameterHeaders(headers, input) }),
        onProgress: calm((progress) => ctx.progress(progress)),
        fill: person.fill,
      });
      const answer = readAnswer(given, (bytes) => ctx.keep(bytes), ctx.limits.outputBytes);
      if (!answer.isError)
        return { data: answer.data, content: answer.content.length === 0 ? '' : asData(answer.content, `MCP server ${server}`), ...person.note() };
      using said = ctx.collectOutput();
      for (const block of answer.content) if (block.type === 'text') said.writeText(block.text);
      const { text, truncation } = said.finish('ends');
      const { begin, end } = dataMarks(`MCP server ${server}`);
      const why = text.trim() === '' ? `the MCP server ${server} does not say why.` : `${begin} ${text.trim()} ${end()}`;
      throw new SynapseError('tool_failed', `${name} failed: ${why}`, {
        hint: truncation?.next ?? 'This is what the server says; correct the arguments or try another way.',
      });
    },
  });
}
