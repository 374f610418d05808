import { answerText, hasImages, visibleBlocks } from './answer-text.ts';
import type { JsonSchema } from './json-schema.ts';
import { fields, id, items, name } from './response-fields.ts';
import { runToolCalls, type HandleOptions, type ResponseCall, type ToolAnswer, type ToolCaller } from './run-tool-calls.ts';
import type { ToolCatalogue } from './tool-catalogue.ts';

/** A Standard Schema that leaves judging to the pipeline, whose words a model can act on. */
export interface AiSdkInputSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'synapse';
    validate(value: unknown): { readonly value: unknown };
    readonly jsonSchema: { input(): Record<string, unknown>; output(): Record<string, unknown> };
  };
}

type FilePart = { type: 'file'; mediaType: string; data: { type: 'data'; data: string } };

/** The result of a call as the AI SDK hands it to a model. */
export type AiSdkOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | { type: 'content'; value: ({ type: 'text'; text: string } | FilePart)[] };

/** A tool for the AI SDK, which runs it itself. */
export interface AiSdkTool {
  title?: string;
  description: string;
  inputSchema: AiSdkInputSchema;
  execute(input: unknown, options?: { abortSignal?: AbortSignal | undefined }): Promise<ToolAnswer>;
  toModelOutput(options: { output: ToolAnswer }): AiSdkOutput;
}

/** The message that carries the results of a step's calls. */
export interface AiSdkToolMessage {
  role: 'tool';
  content: { type: 'tool-result'; toolCallId: string; toolName: string; output: AiSdkOutput }[];
}

function standardSchema(schema: JsonSchema): AiSdkInputSchema {
  // A copy each time: the SDK writes into what it is given.
  const copy = (): Record<string, unknown> => structuredClone(schema);
  return { '~standard': { version: 1, vendor: 'synapse', validate: (value) => ({ value }), jsonSchema: { input: copy, output: copy } } };
}

function modelOutput({ content, isError }: ToolAnswer, images: boolean): AiSdkOutput {
  if (isError || !hasImages(content, images)) return { type: isError ? 'error-text' : 'text', value: answerText(content) };
  const shown = visibleBlocks(content, true);
  const files = shown.flatMap((block): FilePart[] =>
    block.type === 'image' ? [{ type: 'file', mediaType: block.mimeType, data: { type: 'data', data: block.data } }] : [],
  );
  // Exactly one text: for older Gemini models the SDK makes a result of its own of each, and the API wants one per call.
  const text = answerText(shown.filter(({ type }) => type !== 'image')) || 'An image.';
  return { type: 'content', value: [{ type: 'text', text }, ...files] };
}

/**
 * Writes tools for `generateText` and `streamText`, which call `execute` themselves.
 *
 * @param images false for a provider that takes none in results: some put them into the text, as base64
 */
export function writeAiSdk(catalogue: ToolCatalogue, hands: ToolCaller, images: boolean): Record<string, AiSdkTool> {
  // The SDK hands the schema on to any provider as it is; Gemini's rules are the narrowest, and all others take what keeps to them.
  const tools = catalogue.wireTools('gemini').map(({ name, description, inputSchema }): [string, AiSdkTool] => {
    const title = catalogue.get(catalogue.names.fromWire(name))?.title;
    const tool: AiSdkTool = {
      ...(title === undefined ? {} : { title }),
      description,
      inputSchema: standardSchema(inputSchema),
      execute: async (input, options) => {
        const signal = options?.abortSignal;
        const [answer] = await runToolCalls(hands, [{ id: undefined, name, input }], signal === undefined ? {} : { signal }, false);
        return answer ?? { content: [], isError: true };
      },
      toModelOutput: ({ output }) => modelOutput(output, images),
    };
    return [name, tool];
  });
  return Object.fromEntries(tools);
}

function callsOf(step: unknown): readonly ResponseCall[] {
  return (
    items(fields(step)['toolCalls'])
      .map(fields)
      // The SDK has answered those itself that it could not read, and the provider those that it ran.
      .filter((call) => call['providerExecuted'] !== true && !(call['invalid'] === true && call['dynamic'] === true))
      .map((call) => ({ id: id(call['toolCallId']), name: name(call['toolName']), input: call['input'] }))
  );
}

/**
 * Runs the tool calls of a step whose tools had no `execute`, and gives the one message that answers
 * them all, in a list that is empty where there was none. With the tools of `hands.tools('ai-sdk')` the
 * SDK does this itself. Never throws: what cannot be run is answered with an error.
 *
 * @param step what `generateText()` gave
 * @example
 * messages.push(...result.response.messages, ...(await handleAiSdk(hands, result)));
 */
export async function handleAiSdk(hands: ToolCaller, step: unknown, options: HandleOptions = {}): Promise<AiSdkToolMessage[]> {
  const calls = callsOf(step);
  const answers = await runToolCalls(hands, calls, options, true);
  if (answers.length === 0) return [];
  const content = answers.map((answer, index) => ({
    type: 'tool-result' as const,
    toolCallId: calls[index]?.id ?? '',
    toolName: calls[index]?.name ?? '',
    output: modelOutput(answer, options.images ?? true),
  }));
  return [{ role: 'tool', content }];
}
