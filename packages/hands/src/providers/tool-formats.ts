import { SynapseError } from '@synapse/protocol';
import { nearest } from '../text/nearest.ts';
import { type AiSdkTool, writeAiSdk } from './ai-sdk.ts';
import { type AnthropicTool, writeAnthropic, writeAnthropicNative } from './anthropic.ts';
import { type GeminiTool, writeGemini } from './gemini.ts';
import { type LangChainTool, writeLangChain } from './langchain.ts';
import { type OpenAiAgentsTool, writeOpenAiAgents } from './openai-agents.ts';
import { type OpenAiChatTool, writeOpenAiChat } from './openai-chat.ts';
import { type OpenAiResponsesTool, writeOpenAiResponses, writeOpenAiResponsesNative } from './openai-responses.ts';
import type { HandleOptions, ToolCaller } from './run-tool-calls.ts';
import { toolCatalogue } from './tool-catalogue.ts';
import type { AnthropicNativeTool, OpenAiNativeTool, ToolDescription } from './tool-description.ts';
import { describeLeftOut } from './constraint-words.ts';
import { isSchema, type JsonSchema, list, namedSchemas, requiredNames } from '../tool/json-schema.ts';

/** Keywords that have a fixed position in the text. */
const SHOWN: ReadonlySet<string> = new Set([
  'type',
  'description',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'anyOf',
  'oneOf',
  'enum',
  'const',
]);

function typeOf(schema: unknown): string {
  if (!isSchema(schema)) return 'any';
  if (Array.isArray(schema['enum'])) return schema['enum'].map((value) => JSON.stringify(value)).join(' or ');
  if (schema['const'] !== undefined) return JSON.stringify(schema['const']);
  const alternatives = [...list(schema['anyOf']), ...list(schema['oneOf'])];
  if (alternatives.length > 0) return alternatives.map(typeOf).join(' or ');
  if (schema['type'] === 'array') return `list of ${typeOf(schema['items'])}`;
  return list([schema['type']].flat()).join(' or ') || 'any';
}

function fieldLines(schema: JsonSchema, indent: string): readonly string[] {
  const required = requiredNames(schema);
  return namedSchemas(schema['properties']).flatMap(([name, given]) => {
    const field = isSchema(given) ? given : {};
    const rest = Object.fromEntries(Object.entries(field).filter(([keyword]) => !SHOWN.has(keyword)));
    const told = describeLeftOut(field['description'], rest);
    const inner = isSchema(field['items']) ? field['items'] : field;
    const line = `${indent}- \`${name}\` (${typeOf(field)}${required.includes(name) ? ', required' : ''})${told === undefined ? '' : `: ${told}`}`;
    return [line, ...fieldLines(inner, `${indent}  `)];
  });
}

/** Writes the tools as text for people and models. */
function toolsMarkdown(tools: readonly ToolDescription[]): string {
  const sections = tools.map(({ name, description, inputSchema }) => {
    const fields = fieldLines(inputSchema, '');
    return `## ${name}\n\n${description}\n${fields.length === 0 ? '' : `\n${fields.join('\n')}\n`}`;
  });
  return sections.join('\n');
}

/** The type of each format. */
export interface ToolFormats {
  /** Chat Completions. */
  openai: OpenAiChatTool[];
  /** Chat Completions with structured outputs. A tool whose input they cannot express is sent without. */
  'openai-strict': OpenAiChatTool[];
  /** The Responses API, strict where a tool's input allows it. */
  'openai-responses': OpenAiResponsesTool[];
  /** The same, with built-in types for the tools that have one (`shell`, `local_shell`, `apply_patch`). */
  'openai-responses-native': (OpenAiResponsesTool | OpenAiNativeTool)[];
  anthropic: AnthropicTool[];
  /** The same, with built-in types for the tools that have one (bash, text editor). */
  'anthropic-native': (AnthropicTool | AnthropicNativeTool)[];
  gemini: GeminiTool[];
  /** A tool set that the AI SDK (5, 6 or 7) or Mastra runs. */
  'ai-sdk': Record<string, AiSdkTool>;
  /** Function tools that the OpenAI Agents SDK runs. */
  'openai-agents': OpenAiAgentsTool[];
  /** The arguments of `tool()` from `@langchain/core/tools`; LangChain runs the tools. */
  langchain: LangChainTool[];
  /** The list in MCP's `tools/list`. */
  mcp: readonly ToolDescription[];
  /** Names and descriptions with plain JSON Schemas, under the original names. */
  'json-schema': readonly ToolDescription[];
  /** Text for people, or for a model without tool calls. */
  markdown: string;
}
export type ToolFormat = keyof ToolFormats;

/** Options for writing tools. */
export type WriteOptions = Pick<HandleOptions, 'images'>;

type Write<Format extends ToolFormat> = (tools: readonly ToolDescription[], hands: ToolCaller, options: WriteOptions) => ToolFormats[Format];

const WRITERS: { readonly [Format in ToolFormat]: Write<Format> } = {
  openai: (tools) => writeOpenAiChat(toolCatalogue(tools), 'openai'),
  'openai-strict': (tools) => writeOpenAiChat(toolCatalogue(tools), 'openai-strict'),
  'openai-responses': (tools) => writeOpenAiResponses(toolCatalogue(tools)),
  'openai-responses-native': (tools) => writeOpenAiResponsesNative(toolCatalogue(tools)),
  anthropic: (tools) => writeAnthropic(toolCatalogue(tools)),
  'anthropic-native': (tools) => writeAnthropicNative(toolCatalogue(tools)),
  gemini: (tools) => writeGemini(toolCatalogue(tools)),
  'ai-sdk': (tools, hands, options) => writeAiSdk(toolCatalogue(tools), hands, options.images ?? true),
  'openai-agents': (tools, hands, options) => writeOpenAiAgents(toolCatalogue(tools), hands, options.images ?? true),
  // Chat Completions, LangChain's default API for OpenAI, does not support images in results.
  langchain: (tools, hands, options) => writeLangChain(toolCatalogue(tools), hands, options.images ?? false),
  mcp: (tools) =>
    tools.map((tool) => {
      const { native: _, ...rest } = tool;
      return { ...rest, name: toolCatalogue(tools).names.toWire(tool.name) };
    }),
  'json-schema': (tools) => tools,
  markdown: toolsMarkdown,
};

/** The formats that tools can be written in. */
export const TOOL_FORMATS: readonly ToolFormat[] = [
  ...(['openai', 'openai-strict', 'openai-responses', 'openai-responses-native'] as const),
  ...(['anthropic', 'anthropic-native', 'gemini'] as const),
  ...(['ai-sdk', 'openai-agents', 'langchain', 'mcp', 'json-schema', 'markdown'] as const),
];

/**
 * Returns the format with a name.
 *
 * @throws SynapseError `invalid_arguments` for an unknown name, with the list of formats
 */
export function toolFormat(name: string): ToolFormat {
  const found = TOOL_FORMATS.find((format) => format === name);
  if (found !== undefined) return found;
  // Programs without types may pass anything.
  const given: unknown = name;
  const near = typeof given === 'string' ? nearest(given, TOOL_FORMATS) : [];
  const shown = typeof given === 'string' ? JSON.stringify(given.slice(0, 64)) : typeof given;
  throw new SynapseError('invalid_arguments', `Unknown tool format: ${shown}`, {
    hint: `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}The formats are: ${TOOL_FORMATS.join(', ')}.`,
  });
}

/**
 * Writes tools in a format.
 *
 * @param hands runs the calls for frameworks that run tools, such as the AI SDK
 * @throws SynapseError `invalid_arguments` for an unknown format, `already_exists` for names that become the same on the wire
 */
export function writeTools<Format extends ToolFormat>(
  tools: readonly ToolDescription[],
  hands: ToolCaller,
  format: Format,
  options: WriteOptions = {},
): ToolFormats[Format] {
  const write: Write<Format> = WRITERS[toolFormat(format) as Format];
  return write(tools, hands, options);
}
