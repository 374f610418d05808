import { answerText } from './answer-text.ts';
import type { JsonSchema } from '../tool/json-schema.ts';
import { fields, id, items, name } from './response-fields.ts';
import { runToolCalls, type HandleOptions, type ResponseCall, type ToolRunner } from './run-tool-calls.ts';
import type { ToolCatalogue, WireTool } from './tool-catalogue.ts';

/** A tool for Chat Completions. */
export interface OpenAiChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: JsonSchema; strict: boolean };
}

/** The result of a call for Chat Completions, which accepts text only. */
export interface OpenAiToolMessage {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

/** Writes tools for Chat Completions. */
export function writeOpenAiChat(catalogue: ToolCatalogue, provider: 'openai' | 'openai-strict'): OpenAiChatTool[] {
  return catalogue.wireTools(provider).map(({ name, description, inputSchema, strict }: WireTool) => ({
    type: 'function',
    function: { name, description, parameters: inputSchema, strict },
  }));
}

function callsOf(completion: unknown): readonly ResponseCall[] {
  const { message, finish_reason: reason } = fields(items(fields(completion)['choices'])[0]);
  const calls = items(fields(message)['tool_calls']);
  return calls.map((call, index) => {
    const asked = fields(fields(call)['function']);
    const cutOff = (reason === 'length' || reason === 'content_filter') && index === calls.length - 1;
    return { id: id(fields(call)['id']), name: name(asked['name']), input: asked['arguments'], cutOff };
  });
}

/**
 * Runs the tool calls of a chat completion. Returns one message for each call, to be appended after the
 * assistant's message. Never throws: a call that cannot run gets an error as its answer.
 *
 * @param completion the result of `client.chat.completions.create()` or `stream.finalChatCompletion()`
 * @example
 * messages.push(completion.choices[0].message, ...(await handleOpenAiChat(hands, completion)));
 */
export async function handleOpenAiChat(hands: ToolRunner, completion: unknown, options: HandleOptions = {}): Promise<OpenAiToolMessage[]> {
  const calls = callsOf(completion);
  const answers = await runToolCalls(hands, calls, options, true);
  return answers.map(({ content }, index) => ({ role: 'tool', tool_call_id: calls[index]?.id ?? '', content: answerText(content) }));
}
