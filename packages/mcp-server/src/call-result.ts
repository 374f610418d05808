import { errorText, type CallResult, type ContentBlock } from '@synapse/protocol';

/** A block of an answer as MCP writes it. */
export type McpContentBlock = { type: 'text'; text: string } | { type: 'image'; data: string; mimeType: string };

/** The answer to `tools/call`. Never `structuredContent`: clients differ in which half they show, and both cost twice. */
export interface McpCallResult {
  content: McpContentBlock[];
  isError?: true;
  _meta?: Record<string, unknown>;
}

/** Keys that programs may read; a model sees the content only. */
export const META_CODE = 'synapse/code';
const META_COMPLETION = 'synapse/completion';

function contentBlock(block: ContentBlock): McpContentBlock {
  return block.type === 'note' ? { type: 'text', text: block.text } : block;
}

/** Writes the result of a call for MCP. Texts are passed on as they are, not copied. */
export function callResult(result: CallResult): McpCallResult {
  if (!result.ok) return { content: [{ type: 'text', text: errorText(result.error) }], isError: true, _meta: { [META_CODE]: result.error.code } };
  // Providers refuse an empty text block, and it says no more than none.
  const content = result.content.filter((block) => block.type === 'image' || block.text !== '').map(contentBlock);
  const { completion } = result.meta;
  return completion === 'ok' ? { content } : { content, _meta: { [META_COMPLETION]: completion } };
}
