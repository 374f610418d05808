import { MCP_DATA } from '@synapse/hands/internal';
import type { DialectOutput } from '@synapse/hands/providers';
import { errorText, type CallResult, type CallSuccess, type ContentBlock } from '@synapse/protocol';
import * as z from 'zod';
import { upstreamBlock, type McpContentBlock } from './content-block.ts';

/**
 * The result of `tools/call`. Our tools never set `structuredContent`: clients differ in which half they show, and
 * sending both costs twice the tokens.
 */
export interface McpCallResult {
  content: McpContentBlock[];
  /** The structured result of an upstream tool. Required if its output schema is listed. */
  structuredContent?: Record<string, unknown>;
  isError?: true;
  _meta?: Record<string, unknown>;
}

/** Keys for programs; a model sees only the content. */
const META_CODE = 'synapse/code';
const META_COMPLETION = 'synapse/completion';

/**
 * Merges consecutive text blocks: a client short of space drops whole items, and the status of the call
 * must not be one of them.
 */
export function mergedBlocks(blocks: readonly ContentBlock[]): McpContentBlock[] {
  const merged: McpContentBlock[] = [];
  for (const block of blocks) {
    const last = merged.at(-1);
    if (block.type === 'image') merged.push(block);
    // Providers refuse empty text blocks, and they carry no information.
    else if (block.text === '') continue;
    else if (last?.type !== 'text') merged.push({ type: 'text', text: block.text });
    else merged.splice(-1, 1, { type: 'text', text: `${last.text}${last.text.endsWith('\n') ? '' : '\n'}${block.text}` });
  }
  return merged;
}

const FIELDS = z.record(z.string(), z.unknown());

/**
 * Returns the result of an upstream server unchanged, with our notes. If it was truncated or has a block that cannot be passed on,
 * it has the text for models instead, and still the structured value.
 */
function upstreamAnswer(result: CallSuccess, server: string): McpCallResult | undefined {
  const parsed = MCP_DATA.safeParse(result.data);
  if (!parsed.success) return undefined;
  const structured = FIELDS.safeParse(parsed.data.structured);
  const typed = structured.success ? { structuredContent: structured.data } : {};
  const shown = new Set(result.content.flatMap((block) => (block.type === 'image' ? [block.data] : [])));
  const blocks = parsed.data.content.map((block) => upstreamBlock(block, server, (data) => shown.has(data)));
  const whole = blocks.filter((block) => block !== undefined);
  const isText = whole.some(({ type }) => type === 'text' || type === 'resource');
  if (result.meta.truncation !== undefined || whole.length < blocks.length || (structured.success && !isText)) {
    return { content: mergedBlocks(result.content), ...typed };
  }
  const notes = mergedBlocks(result.content.filter(({ type }) => type === 'note'));
  return { content: [...notes, ...whole], ...typed };
}

/**
 * Converts the result of a call to MCP.
 *
 * @param upstream the upstream MCP server of the tool, whose result is passed on in its original form
 */
export function callResult(result: CallResult, upstream?: string): McpCallResult {
  if (!result.ok) return { content: [{ type: 'text', text: errorText(result.error) }], isError: true, _meta: { [META_CODE]: result.error.code } };
  const passedOn = upstream === undefined ? undefined : upstreamAnswer(result, upstream);
  if (passedOn !== undefined) return passedOn;
  const content = mergedBlocks(result.content);
  const { completion } = result.meta;
  return completion === 'ok' ? { content } : { content, _meta: { [META_COMPLETION]: completion } };
}

/** Converts the result of a dialect to MCP: its text, and any images. */
export function dialectResult({ output, isError, result }: DialectOutput): McpCallResult {
  const images = result?.ok === true ? result.content.filter((block) => block.type === 'image') : [];
  const content: McpCallResult['content'] = [...(output === '' ? [] : [{ type: 'text' as const, text: output }]), ...images];
  if (!isError) return { content };
  return { content, isError: true, ...(result?.ok === false ? { _meta: { [META_CODE]: result.error.code } } : {}) };
}
