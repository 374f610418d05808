import type { ContentBlock } from '@synapse/protocol';
import * as z from 'zod';
import { answerText, hasImages, visibleBlocks } from './answer-text.ts';
import type { JsonSchema } from '../tool/json-schema.ts';
import { fields, id, items, name } from './response-fields.ts';
import {
  runToolCall,
  runToolCalls,
  type HandleOptions,
  type ResponseCall,
  type ToolAnswer,
  type ToolCaller,
  type ToolRunner,
} from './run-tool-calls.ts';
import type { ToolCatalogue } from './tool-catalogue.ts';

/** The symbol with which the AI SDK marks its schemas. Version 5 accepts only marked schemas and zod's. */
const SDK_SCHEMA: unique symbol = Symbol.for('vercel.ai.schema');

/** A schema that every version of the AI SDK and Mastra accepts. It accepts any value: the pipeline validates, with errors a model can act on. */
export type AiSdkInputSchema = z.ZodUnknown & {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'synapse';
    validate(value: unknown): { readonly value: unknown };
    readonly jsonSchema: { input(): Record<string, unknown>; output(): Record<string, unknown> };
  };
};

type FilePart = { type: 'file'; mediaType: string; data: { type: 'data'; data: string } };
/** An image in the format of version 6 (`image-data`) or version 5 (`media`). */
type OlderPart = { type: 'image-data' | 'media'; mediaType: string; data: string };

interface Output<Part> {
  type: 'content';
  value: ({ type: 'text'; text: string } | Part)[];
}

/** The result of a call in the format that the AI SDK passes to a model. */
export type AiSdkOutput = { type: 'text'; value: string } | { type: 'error-text'; value: string } | Output<FilePart>;

/** The same as `AiSdkOutput`, with images in the format of versions before 7. */
export type OlderAiSdkOutput = Exclude<AiSdkOutput, { type: 'content' }> | Output<OlderPart>;

/** A tool that the AI SDK runs. */
export interface AiSdkTool {
  title?: string;
  description: string;
  inputSchema: AiSdkInputSchema;
  execute(input: unknown, options?: { abortSignal?: AbortSignal | undefined }): Promise<ToolAnswer>;
  /** Returns the result in the format of the SDK version that calls it. Version 5 and Mastra pass the answer directly. */
  // oxlint-disable-next-line no-unnecessary-type-parameters -- each SDK version has a different type, unknown here
  toModelOutput<Form = AiSdkOutput>(given: ToolAnswer | { output: ToolAnswer }): Form;
}

/** The message with the results of the calls in a step. */
export interface AiSdkToolMessage {
  role: 'tool';
  content: { type: 'tool-result'; toolCallId: string; toolName: string; output: AiSdkOutput }[];
}

function inputSchemaFor(schema: JsonSchema): AiSdkInputSchema {
  // A copy each time, because the SDK modifies the schema.
  const copy = (): Record<string, unknown> => structuredClone(schema);
  const standard: AiSdkInputSchema['~standard'] = {
    version: 1,
    vendor: 'synapse',
    validate: (value) => ({ value }),
    jsonSchema: { input: copy, output: copy },
  };
  return Object.defineProperties(z.unknown(), {
    [SDK_SCHEMA]: { value: true },
    jsonSchema: { get: copy },
    validate: { value: (value: unknown) => ({ success: true, value }) },
    '~standard': { value: standard },
  }) as AiSdkInputSchema;
}

type Image = Extract<ContentBlock, { type: 'image' }>;
const filePart = ({ mimeType, data }: Image): FilePart => ({ type: 'file', mediaType: mimeType, data: { type: 'data', data } });
const olderPart =
  (type: OlderPart['type']) =>
  ({ mimeType, data }: Image): OlderPart => ({ type, mediaType: mimeType, data });

function modelOutput<Part>(
  { content, isError }: ToolAnswer,
  images: boolean,
  part: (image: Image) => Part,
): Exclude<AiSdkOutput, Output<FilePart>> | Output<Part> {
  if (isError || !hasImages(content, images)) return { type: isError ? 'error-text' : 'text', value: answerText(content) };
  const shown = visibleBlocks(content, true);
  const files = shown.flatMap((block) => (block.type === 'image' ? [part(block)] : []));
  // Exactly one text: for older Gemini models the SDK turns each text into a separate result, but the API requires one result per call.
  const text = answerText(shown.filter(({ type }) => type !== 'image')) || 'An image.';
  return { type: 'content', value: [{ type: 'text', text }, ...files] };
}

/**
 * Writes tools for `generateText` and `streamText`, which call `execute`.
 *
 * @param images false for a provider that accepts no images in results; some providers insert them into the text as base64
 */
export function writeAiSdk(catalogue: ToolCatalogue, hands: ToolCaller, images: boolean): Record<string, AiSdkTool> {
  // Versions 6 and 7 use different image formats. The options of a call show the version; before the first call, version 7 is assumed.
  let isOlder = false;
  const written = (given: ToolAnswer | { output: ToolAnswer }): AiSdkOutput | OlderAiSdkOutput => {
    if (!('output' in given)) return modelOutput(given, images, olderPart('media'));
    return isOlder ? modelOutput(given.output, images, olderPart('image-data')) : modelOutput(given.output, images, filePart);
  };
  // The SDK passes the schema to any provider unchanged. Gemini's rules are the narrowest, so all other providers accept the same schema.
  const tools = catalogue.wireTools('gemini').map(({ name, description, inputSchema }): [string, AiSdkTool] => {
    const title = catalogue.get(catalogue.names.fromWire(name))?.title;
    const tool: AiSdkTool = {
      ...(title === undefined ? {} : { title }),
      description,
      inputSchema: inputSchemaFor(inputSchema),
      execute: (input, options) => {
        isOlder = options !== undefined && 'experimental_context' in options;
        return runToolCall(hands, name, input, options?.abortSignal);
      },
      toModelOutput: written as AiSdkTool['toModelOutput'],
    };
    return [name, tool];
  });
  return Object.fromEntries(tools);
}

function callsOf(step: unknown): readonly ResponseCall[] {
  return (
    items(fields(step)['toolCalls'])
      .map(fields)
      // Skip calls that have an answer: the SDK answers calls that it cannot parse, and the provider answers calls that it ran.
      .filter((call) => call['providerExecuted'] !== true && !(call['invalid'] === true && call['dynamic'] === true))
      .map((call) => ({ id: id(call['toolCallId']), name: name(call['toolName']), input: call['input'] }))
  );
}

/**
 * Runs the tool calls of a step whose tools had no `execute`. Returns a list with the one message that
 * answers all calls; the list is empty if there were no calls. Not needed with the tools of
 * `hands.tools('ai-sdk')`, which the SDK runs. Never throws: a call that cannot run gets an error as its answer.
 *
 * @param step the result of `generateText()`
 * @example
 * messages.push(...result.response.messages, ...(await handleAiSdk(hands, result)));
 */
export async function handleAiSdk(hands: ToolRunner, step: unknown, options: HandleOptions = {}): Promise<AiSdkToolMessage[]> {
  const calls = callsOf(step);
  const answers = await runToolCalls(hands, calls, options, true);
  if (answers.length === 0) return [];
  const content = answers.map((answer, index) => ({
    type: 'tool-result' as const,
    toolCallId: calls[index]?.id ?? '',
    toolName: calls[index]?.name ?? '',
    output: modelOutput(answer, options.images ?? true, filePart),
  }));
  return [{ role: 'tool', content }];
}
