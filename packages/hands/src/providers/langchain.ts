import { answerText, hasImages, visibleBlocks } from './answer-text.ts';
import { runToolCall, type ToolAnswer, type ToolCaller } from './run-tool-calls.ts';
import type { ToolCatalogue } from './tool-catalogue.ts';

/** A result for LangChain: a text, or parts if there is an image. */
export type LangChainOutput = string | ({ type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } })[];

/** The arguments of `tool()` from `@langchain/core/tools`: `execute` is the first, the whole object the second. */
export interface LangChainTool {
  name: string;
  description: string;
  schema: { [keyword: string]: unknown; type: 'object' };
  execute: (input: unknown, config?: { signal?: AbortSignal | undefined }) => Promise<LangChainOutput>;
}

function output({ content }: ToolAnswer, images: boolean): LangChainOutput {
  if (!hasImages(content, images)) return answerText(content);
  return visibleBlocks(content, true)
    .filter((block) => block.type === 'image' || block.text !== '')
    .map((block) =>
      block.type === 'image'
        ? { type: 'image_url', image_url: { url: `data:${block.mimeType};base64,${block.data}` } }
        : { type: 'text', text: block.text },
    );
}

/**
 * Writes tools for LangChain, each for its `tool()`. A failed call returns its error as text: an exception may end the agent.
 *
 * @param images whether the model accepts images in results; the provider determines how LangChain converts them
 */
export function writeLangChain(catalogue: ToolCatalogue, hands: ToolCaller, images: boolean): LangChainTool[] {
  // LangChain passes the schema to any provider unchanged. Gemini's rules are the narrowest, so all other providers accept the same schema.
  return catalogue.wireTools('gemini').map(({ name, description, inputSchema }) => ({
    name,
    description,
    schema: { ...inputSchema, type: 'object' },
    execute: async (input, config) => output(await runToolCall(hands, name, input, config?.signal), images),
  }));
}
