import { answerText, hasImages, visibleBlocks } from './answer-text.ts';
import type { JsonSchema } from '../tool/json-schema.ts';
import { nativeCall, type OpenAiNativeOutput } from './openai-native.ts';
import { fields, id, items, name } from './response-fields.ts';
import { runToolCalls, type HandleOptions, type ResponseCall, type ToolAnswer, type ToolRunner } from './run-tool-calls.ts';
import type { ToolCatalogue } from './tool-catalogue.ts';
import type { OpenAiNativeTool } from './tool-description.ts';

/** A tool for the Responses API. */
export interface OpenAiResponsesTool {
  type: 'function';
  name: string;
  description: string;
  /** Not `readonly`, to match the SDK's type. */
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

/** Writes tools for the Responses API. They are strict if the tool's input allows it, as in the API's default. */
export function writeOpenAiResponses(catalogue: ToolCatalogue): OpenAiResponsesTool[] {
  return catalogue.wireTools('openai-responses').map(({ name, description, inputSchema, strict }) => {
    const parameters: JsonSchema = inputSchema;
    return { type: 'function', name, description, parameters, strict };
  });
}

/** Writes tools for the Responses API, using the API's built-in type for each tool that has one. */
export function writeOpenAiResponsesNative(catalogue: ToolCatalogue): (OpenAiResponsesTool | OpenAiNativeTool)[] {
  const plain = writeOpenAiResponses(catalogue);
  return catalogue.wireTools('openai-responses').flatMap(({ native }, index) => {
    const written = native?.provider === 'openai' ? { ...native.definition } : plain[index];
    return written === undefined ? [] : [written];
  });
}

/** A call of a response and the function that writes its output. */
interface ItemCall {
  readonly call: ResponseCall;
  readonly write: (answer: ToolAnswer, images: boolean) => OpenAiFunctionOutput | OpenAiNativeOutput;
}

function callsOf(response: unknown): readonly ItemCall[] {
  return items(fields(response)['output'])
    .map(fields)
    .flatMap((item): ItemCall[] => {
      if (item['type'] !== 'function_call') {
        const native = nativeCall(item);
        return native === undefined ? [] : [native];
      }
      const callId = id(item['call_id']);
      return [
        {
          call: { id: callId, name: name(item['name']), input: item['arguments'], cutOff: item['status'] === 'incomplete' },
          write: (answer, images) => ({ type: 'function_call_output', call_id: callId ?? '', output: output(answer, images) }),
        },
      ];
    });
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
 * Runs the calls of a response: function calls and call items with special types. Returns one item for each,
 * for the input of the next request. Never throws: a call that cannot run gets an error as its answer.
 *
 * @param response the result of `client.responses.create()` or `stream.finalResponse()`
 * @example
 * // The SDK's input and output types differ in fields that the API accepts back unchanged.
 * input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]), ...(await handleOpenAiResponses(hands, response)));
 */
export async function handleOpenAiResponses(
  hands: ToolRunner,
  response: unknown,
  options: HandleOptions = {},
): Promise<(OpenAiFunctionOutput | OpenAiNativeOutput)[]> {
  const calls = callsOf(response);
  const asked = calls.map(({ call }) => call);
  const answers = await runToolCalls(hands, asked, options, true);
  return answers.flatMap((answer, index) => calls[index]?.write(answer, options.images ?? true) ?? []);
}
