import { toSynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { fingerprint } from '../../approval/fingerprint.ts';
import { isDeceptive } from '../../workspace/byte-name.ts';
import { boundedSchema } from '../../providers/bounded-schema.ts';
import type { JsonSchema } from '../../providers/json-schema.ts';
import { isSchema, visitSchemas } from '../../providers/json-schema.ts';
import { repairSchema } from '../../providers/repair-schema.ts';
import { slimSchema } from '../../providers/slim-schema.ts';
import { foreignText } from '../connection/remote-error.ts';
import { toolName } from './tool-name.ts';

/** Characters of one definition. Past that it would fill a model's context by itself. */
const MAX_DEFINITION = 100_000;
const MAX_DESCRIPTION = 8_000;
const MAX_TITLE = 200;
/** Characters of a tool's own name; the specification has 128. */
const MAX_NAME = 1_000;

const SENT = z.looseObject({
  name: z.string().min(1).max(MAX_NAME),
  title: z.string().optional().catch(undefined),
  description: z.string().optional(),
  inputSchema: z.unknown().optional(),
});

/** A server's tool, made harmless: nothing in it acts on a terminal, hides, or has no end. */
export interface ToolDefinition {
  /** `mcp:<server>:<tool>`. */
  readonly name: string;
  /** As the server knows it. */
  readonly ownName: string;
  readonly title: string;
  readonly description: string;
  /** A JSON Schema of an object that providers take. */
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  /** SHA-256 of what a model would be told, as the server sent it. */
  readonly hash: string;
}

/** A definition, or in words why the tool cannot be offered. */
export type ReadDefinition = { readonly definition: ToolDefinition } | { readonly problem: string };

const noRedaction = (text: string): string => text;
const shownText = (text: string, most: number): string => foreignText(text, noRedaction, most);

/** The schema with its words made harmless; what a value must be exactly stays as it is. */
function withSafeWords(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]): [string, unknown] => {
      if ((keyword === 'description' || keyword === 'title') && typeof value === 'string') return [keyword, shownText(value, MAX_DESCRIPTION)];
      if (Array.isArray(value)) return [keyword, value.map((inner: unknown) => (isSchema(inner) ? withSafeWords(inner) : inner))];
      // Data is no schema, but words in it are only ever shown.
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

/** Without a usable schema a tool takes any fields, and its server says what is wrong with them. */
const ANY_FIELDS = { type: 'object', properties: {}, additionalProperties: true } as const;

/** Reads a tool as a server sent it. Never throws: a tool that cannot be used is told of, and the others are. */
export function readDefinition(server: string, sent: unknown): ReadDefinition {
  const parsed = SENT.safeParse(sent);
  if (!parsed.success) return { problem: 'a tool without a proper name was left out' };
  const { name, title, description = '', inputSchema } = parsed.data;
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
      hash: fingerprint(name, { title, description, inputSchema: bounded }),
    },
  };
}
