import { SynapseError } from '@synapse/protocol';
import { nearest } from '../text/nearest.ts';
import { writeAiSdk, type AiSdkTool } from './ai-sdk.ts';
import { writeAnthropic, writeAnthropicNative, type AnthropicTool } from './anthropic.ts';
import { writeGemini, type GeminiTool } from './gemini.ts';
import { writeOpenAiChat, type OpenAiChatTool } from './openai-chat.ts';
import { writeOpenAiResponses, writeOpenAiResponsesNative, type OpenAiResponsesTool } from './openai-responses.ts';
import type { HandleOptions, ToolCaller } from './run-tool-calls.ts';
import { toolCatalogue } from './tool-catalogue.ts';
import type { AnthropicNativeTool, OpenAiNativeTool, ToolDescription } from './tool-description.ts';
import { toolsMarkdown } from './tools-markdown.ts';

/** What tools look like in each format. */
export interface ToolFormats {
  /** Chat Completions. */
  openai: OpenAiChatTool[];
  /** Chat Completions with structured outputs; a tool whose input they cannot state is sent without. */
  'openai-strict': OpenAiChatTool[];
  /** The Responses API, strict where a tool's input allows it. */
  'openai-responses': OpenAiResponsesTool[];
  /** The same, with the tools that the API knows by a type (`shell`, `local_shell`, `apply_patch`) as those. */
  'openai-responses-native': (OpenAiResponsesTool | OpenAiNativeTool)[];
  anthropic: AnthropicTool[];
  /** The same, with the tools that the API knows by a type (bash, text editor) as those. */
  'anthropic-native': (AnthropicTool | AnthropicNativeTool)[];
  gemini: GeminiTool[];
  /** A tool set that the AI SDK runs by itself. */
  'ai-sdk': Record<string, AiSdkTool>;
  /** The list of MCP's `tools/list`. */
  mcp: readonly ToolDescription[];
  /** Names and descriptions with plain JSON Schemas, under the tools' own names. */
  'json-schema': readonly ToolDescription[];
  /** Text for a person, or for a model that has no tools of its own. */
  markdown: string;
}
export type ToolFormat = keyof ToolFormats;

/** What may be said about how tools are written. */
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
  ...(['ai-sdk', 'mcp', 'json-schema', 'markdown'] as const),
];

/**
 * The format of a name.
 *
 * @throws SynapseError `invalid_arguments` for any other name, with the list
 */
export function toolFormat(name: string): ToolFormat {
  const found = TOOL_FORMATS.find((format) => format === name);
  if (found !== undefined) return found;
  const near = nearest(name, TOOL_FORMATS);
  throw new SynapseError('invalid_arguments', `There is no tool format ${JSON.stringify(name.slice(0, 64))}.`, {
    hint: `${near.length > 0 ? `Did you mean ${near.join(' or ')}? ` : ''}The formats are: ${TOOL_FORMATS.join(', ')}.`,
  });
}

/**
 * Writes tools in a format.
 *
 * @param hands whoever runs the calls: the tools of the AI SDK do it themselves
 * @throws SynapseError `invalid_arguments` for an unknown format, `already_exists` for names that cannot be told apart
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
