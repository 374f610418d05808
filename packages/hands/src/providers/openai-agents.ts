import { answerText, hasImages, visibleBlocks } from './answer-text.ts';
import { namedSchemas, requiredNames } from '../tool/json-schema.ts';
import { runToolCall, type ToolAnswer, type ToolCaller } from './run-tool-calls.ts';
import type { ToolCatalogue } from './tool-catalogue.ts';

/** A result for the OpenAI Agents SDK: a text, or parts if there is an image. */
export type OpenAiAgentsOutput = string | ({ type: 'text'; text: string } | { type: 'image'; image: { data: string; mediaType: string } })[];

interface Parameters<Additional extends boolean> {
  type: 'object';
  properties: Record<string, unknown>;
  required: string[];
  additionalProperties: Additional;
}

/** A function tool that the OpenAI Agents SDK runs. */
export interface OpenAiAgentsTool {
  type: 'function';
  name: string;
  description: string;
  /** False if strict mode cannot express the input. */
  strict: boolean;
  parameters: Parameters<false> | Parameters<true>;
  invoke(context: unknown, input: string, details?: { signal?: AbortSignal | undefined }): Promise<OpenAiAgentsOutput>;
  /** Always false: the policy asks for approval. */
  needsApproval(): Promise<boolean>;
  isEnabled(): Promise<boolean>;
}

function output({ content }: ToolAnswer, images: boolean): OpenAiAgentsOutput {
  if (!hasImages(content, images)) return answerText(content);
  return visibleBlocks(content, true)
    .filter((block) => block.type === 'image' || block.text !== '')
    .map((block) =>
      block.type === 'image' ? { type: 'image', image: { data: block.data, mediaType: block.mimeType } } : { type: 'text', text: block.text },
    );
}

/** Writes tools for an `Agent` of the OpenAI Agents SDK. */
export function writeOpenAiAgents(catalogue: ToolCatalogue, hands: ToolCaller, images: boolean): OpenAiAgentsTool[] {
  return catalogue.wireTools('openai-responses').map(({ name, description, inputSchema, strict }) => {
    const fields = {
      type: 'object' as const,
      properties: Object.fromEntries(namedSchemas(inputSchema['properties'])),
      required: [...requiredNames(inputSchema)],
    };
    return {
      type: 'function',
      name,
      description,
      strict,
      parameters: { ...inputSchema, ...fields, ...(strict ? { additionalProperties: false } : { additionalProperties: true }) },
      invoke: async (_, input, details) => output(await runToolCall(hands, name, input, details?.signal), images),
      needsApproval: async () => false,
      isEnabled: async () => true,
    };
  });
}
