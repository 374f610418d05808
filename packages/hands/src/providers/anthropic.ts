import { answerText, hasImages, visibleBlocks } from './answer-text.ts';
import type { JsonSchema } from '../tool/json-schema.ts';
import { fields, id, items, name } from './response-fields.ts';
import { runToolCalls, type HandleOptions, type ResponseCall, type ToolAnswer, type ToolRunner } from './run-tool-calls.ts';
import type { ToolCatalogue } from './tool-catalogue.ts';
import type { AnthropicNativeTool } from './tool-description.ts';

/** A tool for the Messages API. */
export interface AnthropicTool {
  name: string;
  description: string;
  input_schema: JsonSchema & { type: 'object' };
}

type ImageType = 'image/png' | 'image/jpeg' | 'image/webp';

/** A part of a result for the Messages API. */
export type AnthropicResultPart = { type: 'text'; text: string } | { type: 'image'; source: { type: 'base64'; media_type: ImageType; data: string } };

/** The result of a call for the Messages API. */
export interface AnthropicToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: string | AnthropicResultPart[];
  is_error?: true;
}

/** The message with the results of the calls in a response. */
export interface AnthropicResultMessage {
  role: 'user';
  content: AnthropicToolResult[];
}

/** Writes tools for the Messages API, using the API's built-in type for each tool that has one. */
export function writeAnthropicNative(catalogue: ToolCatalogue): (AnthropicTool | AnthropicNativeTool)[] {
  const plain = writeAnthropic(catalogue);
  return catalogue.wireTools('anthropic').flatMap(({ native }, index) => {
    const written = native?.provider === 'anthropic' ? { ...native.definition } : plain[index];
    return written === undefined ? [] : [written];
  });
}

/** Writes tools for the Messages API. */
export function writeAnthropic(catalogue: ToolCatalogue): AnthropicTool[] {
  return catalogue.wireTools('anthropic').map(({ name, description, inputSchema }) => ({
    name,
    description,
    input_schema: { ...inputSchema, type: 'object' },
  }));
}

/** Stop reasons with which a message may end before its last block is complete. */
const CUT_OFF: ReadonlySet<unknown> = new Set(['max_tokens', 'model_context_window_exceeded', 'refusal']);

function callsOf(message: unknown): readonly ResponseCall[] {
  const { content, stop_reason: reason } = fields(message);
  const blocks = items(content).map(fields);
  const last = CUT_OFF.has(reason) ? blocks.at(-1) : undefined;
  return blocks
    .filter(({ type }) => type === 'tool_use')
    .map((call) => ({ id: id(call['id']), name: name(call['name']), input: call['input'], cutOff: call === last }));
}

function resultContent({ content }: ToolAnswer, images: boolean): string | AnthropicResultPart[] {
  if (!hasImages(content, images)) return answerText(content);
  // The API rejects an empty text block.
  return visibleBlocks(content, true)
    .filter((block) => block.type === 'image' || block.text !== '')
    .map((block) =>
      block.type === 'image'
        ? { type: 'image', source: { type: 'base64', media_type: block.mimeType as ImageType, data: block.data } }
        : { type: 'text', text: block.text },
    );
}

/**
 * Runs the tool uses of a message. Returns a list with the one message that answers all of them; the list
 * is empty if there were no tool uses. Never throws: a call that cannot run gets an error as its answer.
 *
 * @param message the result of `client.messages.create()` or `stream.finalMessage()`
 * @example
 * messages.push({ role: 'assistant', content: message.content }, ...(await handleAnthropic(hands, message)));
 */
export async function handleAnthropic(hands: ToolRunner, message: unknown, options: HandleOptions = {}): Promise<AnthropicResultMessage[]> {
  const calls = callsOf(message);
  const answers = await runToolCalls(hands, calls, options, true);
  if (answers.length === 0) return [];
  const content = answers.map((answer, index): AnthropicToolResult => ({
    type: 'tool_result',
    tool_use_id: calls[index]?.id ?? '',
    content: resultContent(answer, options.images ?? true),
    ...(answer.isError ? { is_error: true } : {}),
  }));
  return [{ role: 'user', content }];
}
