import { SynapseError } from '@synapse/protocol';
import type { AnyTool } from '../tool.ts';
import { inputSchemaOf } from './input-schema.ts';
import type { JsonSchema } from './json-schema.ts';

/** What a client may assume of a call before it makes one. Hints, by MCP's own words: no security rests on them. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

/** A tool of any origin as a model is told of it, before it is written for a provider. */
export interface ToolDescription {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** A JSON Schema of an object: what may be sent, so a field with a default is optional. */
  readonly inputSchema: JsonSchema;
  readonly annotations?: Partial<ToolAnnotations>;
  /** Where a provider's API knows the tool by its type: what it is sent in place of a schema. */
  readonly native?: NativeTool;
}

/** A tool that Anthropic's API knows by its type. */
export type AnthropicNativeTool = { type: 'bash_20250124'; name: 'bash' } | { type: 'text_editor_20250728'; name: 'str_replace_based_edit_tool' };

/** A tool that OpenAI's Responses API knows by its type; calls of it are items of their own. */
export type OpenAiNativeTool = { type: 'apply_patch' } | { type: 'shell'; environment: { type: 'local' } } | { type: 'local_shell' };

/** A tool that a provider defines itself, and trained its models on. */
export type NativeTool =
  | { readonly provider: 'anthropic'; readonly definition: Readonly<AnthropicNativeTool> }
  | { readonly provider: 'openai'; readonly definition: Readonly<OpenAiNativeTool> };

/** The description of one of our own tools, with everything told. MCP's `tools/list` has it in this form. */
export interface FullToolDescription extends ToolDescription {
  readonly title: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: ToolAnnotations;
}

/** How far a call can reach beyond the workspace: a command can reach anything. */
const OPEN_WORLD: Record<AnyTool['effects'], boolean> = { read: false, write: false, exec: true, net: true, mcp: true };

function annotations({ effects, destructive, idempotent }: AnyTool): ToolAnnotations {
  const openWorldHint = OPEN_WORLD[effects];
  // For a reading tool the other two mean nothing, and each word of the list costs every conversation.
  if (effects === 'read') return { readOnlyHint: true, openWorldHint };
  return {
    readOnlyHint: false,
    // Nobody knows what a command or a stranger's tool destroys, so it is said that it may.
    destructiveHint: destructive ?? (effects === 'exec' || effects === 'mcp'),
    idempotentHint: idempotent ?? false,
    openWorldHint,
  };
}

function inputSchema(tool: AnyTool): FullToolDescription['inputSchema'] {
  if (tool.inputSchema !== undefined) return tool.inputSchema;
  try {
    return inputSchemaOf(tool.input);
  } catch (error) {
    throw new SynapseError('invalid_arguments', `The input of ${tool.name} cannot be written as JSON Schema.`, {
      hint: 'Use types that JSON has: no dates, bigints, maps, sets or custom checks as fields.',
      cause: error,
    });
  }
}

/** A tool is a plain object that nobody changes, and its description costs some 50 µs. */
const known = new WeakMap<AnyTool, FullToolDescription>();

/**
 * Describes a tool for a model.
 *
 * @throws SynapseError `invalid_arguments` for an input that JSON Schema has no words for
 */
export function describeTool(tool: AnyTool): FullToolDescription {
  const before = known.get(tool);
  if (before !== undefined) return before;
  const { name, title, description } = tool;
  const made = {
    name,
    title,
    description,
    inputSchema: inputSchema(tool),
    annotations: annotations(tool),
  };
  known.set(tool, made);
  return made;
}
