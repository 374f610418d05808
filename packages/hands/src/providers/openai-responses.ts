import { answerText, hasImages, visibleBlocks } from './answer-text.ts';
import type { JsonSchema } from './json-schema.ts';
import { fields, id, items, name } from './response-fields.ts';
import { runToolCalls, type HandleOptions, type ResponseCall, type ToolAnswer, type ToolCaller } from './run-tool-calls.ts';
import type { ToolCatalogue } from './tool-catalogue.ts';

/** A tool for the Responses API. */
export interface OpenAiResponsesTool {
  type: 'function';
  name: string;
  description: string;
  /** Without the word `readonly`, since the SDK's own type has none. */
  parameters: { [keyword: string]: unknown };
  strict: boolean;
}

/** A part of a result for the Responses API. */
export type OpenAiOutputPart = { type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' };

/** The result of a call for the Responses API. */
export interface OpenAiFunctionOutput {
  type: 'function_call_output';
  call_id: string;
  output: string | OpenAiOutputPart[];
}

/** Writes tools for the Responses API: strict where a tool's input allows it, as is the API's own default. */
export function writeOpenAiResponses(catalogue: ToolCatalogue): OpenAiResponsesTool[] {
  return catalogue.wireTools('openai-responses').map(({ name, description, inputSchema, strict }) => {
    const parameters: JsonSchema = inputSchema;
    return { type: 'function', name, description, parameters, strict };
  });
}

function callsOf(response: unknown): readonly ResponseCall[] {
  return items(fields(response)['output'])
    .map(fields)
    .filter(({ type }) => type === 'function_call')
    .map((call) => ({ id: id(call['call_id']), name: name(call['name']), input: call['arguments'] }));
}

function output({ content }: ToolAnswer, images: boolean): string | OpenAiOutputPart[] {
  if (!hasImages(content, images)) return answerText(content);
  return visibleBlocks(content, true)
    .filter((block) => block.type === 'image' || block.text !== '')
    .map((block) =>
      block.type === 'image'
        ? { type: 'input_image', image_url: `data:${block.mimeType};base64,${block.data}`, detail: 'auto' }
        : { type: 'input_text', text: block.text },
    );
}

/**
 * Runs the function calls of a response and gives one item for each, for the input of the next request.
 * Never throws: what cannot be run is answered with an error.
 *
 * @param response what `client.responses.create()` gave, or `stream.finalResponse()`
 * @example
 * input.push(...response.output, ...(await handleOpenAiResponses(hands, response)));
 */
export async function handleOpenAiResponses(hands: ToolCaller, response: unknown, options: HandleOptions = {}): Promise<OpenAiFunctionOutput[]> {
  const calls = callsOf(response);
  const answers = await runToolCalls(hands, calls, options, true);
  return answers.map((answer, index) => ({
    type: 'function_call_output',
    call_id: calls[index]?.id ?? '',
    output: output(answer, options.images ?? true),
  }));
}
