import { toSynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { fingerprint } from '../../call/copy-input.ts';
import { isDeceptive } from '../../workspace/byte-name.ts';
import { boundedSchema } from '../../providers/bounded-schema.ts';
import type { JsonSchema } from '../../tool/json-schema.ts';
import { isSchema, visitSchemas } from '../../tool/json-schema.ts';
import { repairSchema } from '../../providers/repair-schema.ts';
import { slimSchema } from '../../providers/input-schema.ts';
import { foreignText } from '../connection/remote-error.ts';
import { headerParameters, type HeaderParameter } from './header-parameters.ts';
import { toolName } from '../tool-name.ts';

/** Maximum number of characters of a definition. Larger ones fill the context of a model on their own. */
const MAX_DEFINITION = 100_000;
const MAX_DESCRIPTION = 8_000;
const MAX_TITLE = 200;
/** Maximum number of characters of a tool name; the specification allows 128. */
const MAX_NAME = 1_000;

const SENT = z.looseObject({
  name: z.string().min(1).max(MAX_NAME),
  title: z.string().optional().catch(undefined),
  description: z.string().optional(),
  inputSchema: z.unknown().optional(),
  outputSchema: z.unknown().optional(),
});

/** A sanitized tool of a server: bounded, without control characters or hidden text. */
export interface ToolDefinition {
  /** `mcp:<server>:<tool>`. */
  readonly name: string;
  /** Name on the server. */
  readonly ownName: string;
  readonly title: string;
  readonly description: string;
  /** A JSON Schema of an object that providers accept. */
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  /** Schema of the structured result, as clients check it; undefined if there is no usable one. */
  readonly outputSchema: (JsonSchema & { readonly type: 'object' }) | undefined;
  /** Properties whose values are also sent in headers. */
  readonly headers: readonly HeaderParameter[];
  /** SHA-256 of what a model would be shown, as the server sent it. */
  readonly hash: string;
}

/** A definition, or why the tool cannot be offered. */
export type ReadDefinition = { readonly definition: ToolDefinition } | { readonly problem: string };

const noRedaction = (text: string): string => text;
const shownText = (text: string, most: number): string => foreignText(text, noRedaction, most);

/** Sanitizes the texts of a schema; exact values stay unchanged. */
function withSafeWords(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]): [string, unknown] => {
      if ((keyword === 'description' || keyword === 'title') && typeof value === 'string') return [keyword, shownText(value, MAX_DESCRIPTION)];
      if (Array.isArray(value)) return [keyword, value.map((inner: unknown) => (isSchema(inner) ? withSafeWords(inner) : inner))];
      // This may be data instead of a schema, but its texts are only shown.
      return [keyword, isSchema(value) ? withSafeWords(value) : value];
    }),
  );
}

function deceptiveField(schema: JsonSchema): string | undefined {
  let found: string | undefined;
  visitSchemas(schema, ({ properties }) => {
    if (isSchema(properties)) found ??= Object.keys(properties).find(isDeceptive);
  });
  return found;
}

/** Used without a usable schema: any fields are accepted, and the server reports errors. */
const ANY_FIELDS = { type: 'object', properties: {}, additionalProperties: true } as const;

/** Returns an output schema that is safe to pass on. Without one, results have only text. */
function outputSchemaOf(sent: unknown): ToolDefinition['outputSchema'] {
  if (sent === undefined) return undefined;
  try {
    const bounded = boundedSchema(sent);
    if (bounded['type'] !== 'object' || JSON.stringify(bounded).length > MAX_DEFINITION || deceptiveField(bounded) !== undefined) return undefined;
    return { ...withSafeWords(bounded), type: 'object' };
  } catch {
    // It is infinite, or not a schema.
    return undefined;
  }
}

/**
 * Reads a tool as sent by a server. Never throws: an unusable tool is reported with its problem.
 *
 * @param hasHeaders whether arguments are also sent in headers if the tool asks for it
 */
export function readDefinition(server: string, sent: unknown, hasHeaders = false): ReadDefinition {
  const parsed = SENT.safeParse(sent);
  if (!parsed.success) return { problem: 'a tool without a proper name was left out' };
  const { name, title, description = '', inputSchema } = parsed.data;
  const outputSchema = outputSchemaOf(parsed.data.outputSchema);
  const shown = shownText(name, 80);
  let bounded: JsonSchema;
  try {
    bounded = boundedSchema(inputSchema ?? ANY_FIELDS);
  } catch (error) {
    return { problem: `the tool ${shown} was left out: ${toSynapseError(error).message}` };
  }
  if (description.length + JSON.stringify(bounded).length > MAX_DEFINITION)
    return { problem: `the tool ${shown} was left out: its definition has more than ${MAX_DEFINITION} characters` };
  if (deceptiveField(bounded) !== undefined)
    return { problem: `the tool ${shown} was left out: a field's name holds characters that cannot be seen` };
  const headers = hasHeaders ? headerParameters(bounded) : [];
  if (headers === undefined)
    return { problem: `the tool ${shown} was left out: what it says of headers (x-mcp-header) is not what the protocol has` };
  const repaired = repairSchema(bounded);
  const schema = repaired.ok ? withSafeWords(slimSchema(repaired.schema)) : ANY_FIELDS;
  const note = repaired.ok ? '' : `\n(Its arguments are not described: ${repaired.error.message})`;
  return {
    definition: {
      name: toolName(server, name),
      ownName: name,
      title: shownText(title ?? name, MAX_TITLE).replaceAll('\n', ' '),
      description: `${shownText(description, MAX_DESCRIPTION)}${note}`,
      inputSchema: { ...schema, type: 'object' },
      outputSchema,
      headers,
      hash: fingerprint(name, { title, description, inputSchema: bounded, ...(outputSchema === undefined ? {} : { outputSchema }) }),
    },
  };
}
