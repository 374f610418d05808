import { SynapseError } from '@synapse/protocol';
import type { AnyTool } from '../tool/tool.ts';
import { inputSchemaOf } from './input-schema.ts';
import type { JsonSchema } from '../tool/json-schema.ts';

/** What a client may assume about a call before making it. MCP defines these as hints: no security depends on them. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint: boolean;
}

/** The description of any tool, before it is converted to a provider's format. */
export interface ToolDescription {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** A JSON Schema of type object. It describes what may be sent, so a field with a default is optional. */
  readonly inputSchema: JsonSchema;
  /** The schema of the structured value in the answers; sent to MCP clients if a server's tool has one. */
  readonly outputSchema?: JsonSchema & { readonly type: 'object' };
  readonly annotations?: Partial<ToolAnnotations>;
  /** The provider's built-in tool definition, sent in place of a schema. */
  readonly native?: NativeTool;
}

/** A tool that Anthropic's API defines by type. */
export type AnthropicNativeTool = { type: 'bash_20250124'; name: 'bash' } | { type: 'text_editor_20250728'; name: 'str_replace_based_edit_tool' };

/** A tool that OpenAI's Responses API defines by type. Its calls have special item types. */
export type OpenAiNativeTool = { type: 'apply_patch' } | { type: 'shell'; environment: { type: 'local' } } | { type: 'local_shell' };

/** A tool that a provider defines and trains its models on. */
export type NativeTool =
  | { readonly provider: 'anthropic'; readonly definition: Readonly<AnthropicNativeTool> }
  | { readonly provider: 'openai'; readonly definition: Readonly<OpenAiNativeTool> };

/** The full description of a built-in tool, in the form of MCP's `tools/list`. */
export interface FullToolDescription extends ToolDescription {
  readonly title: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: ToolAnnotations;
}

/** Whether a call can reach beyond the workspace; a command can reach anything. */
const OPEN_WORLD: Record<AnyTool['effects'], boolean> = { read: false, write: false, exec: true, net: true, mcp: true };

function annotations({ effects, destructive, idempotent }: AnyTool): ToolAnnotations {
  const openWorldHint = OPEN_WORLD[effects];
  // The other two hints mean nothing for a read-only tool, and each word of the list costs tokens in every conversation.
  if (effects === 'read') return { readOnlyHint: true, openWorldHint };
  return {
    readOnlyHint: false,
    // A tool not known to be harmless counts as destructive: a client may not ask for approval if a call claims to be harmless.
    destructiveHint: destructive ?? true,
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

/** Cached: a tool is immutable, and describing it takes about 50 µs. */
const known = new WeakMap<AnyTool, FullToolDescription>();

/**
 * Describes a tool for a model.
 *
 * @throws SynapseError `invalid_arguments` if JSON Schema cannot express the input
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
    ...(tool.outputSchema === undefined ? {} : { outputSchema: tool.outputSchema }),
    annotations: annotations(tool),
  };
  known.set(tool, made);
  return made;
}
