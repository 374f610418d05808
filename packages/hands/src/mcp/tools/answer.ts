import { isDeepStrictEqual } from 'node:util';
import { SynapseError, type ContentBlock } from '@synapse/protocol';
import * as z from 'zod';
import { size } from '../../text/amounts.ts';
import { isDeeper } from './value-depth.ts';

/** Providers refuse images whose base64 is over 5 MB, and other types than these. */
const MAX_IMAGE_CHARACTERS = 5_000_000;
const SHOWN_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Blocks of one answer, and pictures among them; more is a mistake or an attack. */
const MAX_BLOCKS = 1_000;
const MAX_IMAGES = 20;
/** Levels of an answer. What writes and compares values calls itself for each; at some thousands the stack is used up. */
const MAX_LEVELS = 200;

/** What `tools/call` answers, as loosely as it can be read. */
const ANSWER = z
  .looseObject({
    content: z.unknown().optional(),
    structuredContent: z.unknown().optional(),
    isError: z.boolean().optional().catch(undefined),
  })
  .catch({});

const BASE64 = z.base64();
const RESOURCE = z.looseObject({
  uri: z.string().catch(''),
  mimeType: z.string().optional().catch(undefined),
  text: z.string().optional(),
  blob: z.string().optional(),
});
const BLOCKS = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image'), data: BASE64, mimeType: z.string() }),
  z.looseObject({ type: z.literal('audio'), data: BASE64, mimeType: z.string() }),
  z.looseObject({ type: z.literal('resource'), resource: RESOURCE }),
  z.looseObject({
    type: z.literal('resource_link'),
    uri: z.string(),
    name: z.string().optional(),
    description: z.string().optional(),
    mimeType: z.string().optional(),
  }),
]);

/** What came of a call, for programs: all of it, as the server sent it. */
export const MCP_DATA = z.strictObject({
  content: z.array(z.unknown()),
  /** The server's typed value, where it gave one. */
  structured: z.unknown().optional(),
});
export type McpData = z.output<typeof MCP_DATA>;

/** An answer as a model reads it. */
export interface McpAnswer {
  readonly isError: boolean;
  readonly content: ContentBlock[];
  readonly data: McpData;
}

/** Keeps bytes that are no text, and gives the handle under which they can be found. */
export type Keep = (bytes: Uint8Array) => string;

/** Bytes that a model cannot be shown, in words; they are stored, and none is lost. */
function kept(what: string, base64: string, keep: Keep): string {
  const bytes = Buffer.from(base64, 'base64');
  return `[${what}, ${size(bytes.length)}: stored as ${keep(bytes)}]`;
}

const line = (text: string): string => text.slice(0, 500).replaceAll(/\s+/gu, ' ');

/** The answer while it is written: texts in a row become one, so that one limit holds for them all. */
class Writing {
  readonly content: ContentBlock[] = [];
  readonly #keep: Keep;
  #images = 0;

  constructor(keep: Keep) {
    this.#keep = keep;
  }

  text(text: string): void {
    const last = this.content.at(-1);
    if (last?.type !== 'text') this.content.push({ type: 'text', text });
    else this.content.splice(-1, 1, { type: 'text', text: `${last.text}${last.text === '' || last.text.endsWith('\n') ? '' : '\n'}${text}` });
  }

  image(data: string, mimeType: string): void {
    this.#images += 1;
    const shown = SHOWN_IMAGES.has(mimeType) && data.length <= MAX_IMAGE_CHARACTERS && this.#images <= MAX_IMAGES;
    if (shown) this.content.push({ type: 'image', data, mimeType });
    else this.stored(`an image, ${line(mimeType)}`, data);
  }

  stored(what: string, base64: string): void {
    this.text(kept(what, base64, this.#keep));
  }
}

function writeResource({ uri, mimeType, text, blob }: z.output<typeof RESOURCE>, writing: Writing): void {
  const label = `resource ${line(uri)}${mimeType === undefined ? '' : `, ${line(mimeType)}`}`;
  if (text !== undefined) writing.text(`[${label}]\n${text}`);
  else if (blob === undefined) writing.text(`[${label}: empty]`);
  else if (mimeType !== undefined && SHOWN_IMAGES.has(mimeType) && BASE64.safeParse(blob).success) {
    writing.text(`[${label}]`);
    writing.image(blob, mimeType);
  } else writing.stored(label, blob);
}

function writeBlock(given: unknown, writing: Writing): void {
  const parsed = BLOCKS.safeParse(given);
  // A kind of a later protocol, or none: its text is all that there is.
  if (!parsed.success) return writing.text(JSON.stringify(given) ?? '');
  const block = parsed.data;
  switch (block.type) {
    case 'text':
      return writing.text(block.text);
    case 'image':
      return writing.image(block.data, block.mimeType);
    case 'audio':
      return writing.stored(`audio, ${line(block.mimeType)}`, block.data);
    case 'resource':
      return writeResource(block.resource, writing);
    case 'resource_link':
    default: {
      const about = [block.name, block.mimeType, block.description].filter((word) => word !== undefined).map(line);
      return writing.text(`[resource link ${line(block.uri)}${about.length === 0 ? '' : `: ${about.join(', ')}`}]`);
    }
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a model has read the structured value already, as the text that the protocol asks servers to send with it. */
function isTold(structured: unknown, content: readonly ContentBlock[]): boolean {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const values: unknown[] = typeof structured === 'object' && structured !== null ? Object.values(structured) : [];
  // Some servers send the text itself as the only field.
  if (values.length === 1 && typeof values[0] === 'string' && texts.includes(values[0])) return true;
  return texts.some((text) => isDeepStrictEqual(parsedJson(text), structured));
}

/** What an answer says in fields of its own, in place of those that the protocol has; servers of its first drafts did. */
function otherFields({ content, structuredContent, isError: _isError, _meta, ...rest }: z.output<typeof ANSWER>): object | undefined {
  if (Array.isArray(content) || structuredContent !== undefined) return undefined;
  const fields = content === undefined ? rest : { content, ...rest };
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Several runs of text between pictures would each be let through up to the limit: over it they are one run, the pictures behind it. */
function withinOneLimit(content: ContentBlock[], limitBytes: number): ContentBlock[] {
  const texts = content.filter((block) => block.type === 'text');
  if (texts.length < 2 || texts.reduce((sum, { text }) => sum + text.length, 0) <= limitBytes) return content;
  return [{ type: 'text', text: texts.map(({ text }) => text).join('\n') }, ...content.filter((block) => block.type !== 'text')];
}

/**
 * Reads an answer of any form. All that a model can be shown is shown, in order; the rest is named and stored.
 *
 * @param limitBytes of text that one answer may show
 * @throws SynapseError `tool_failed` for one that is nested too deeply
 */
export function readAnswer(given: unknown, keep: Keep, limitBytes: number): McpAnswer {
  if (isDeeper(given, MAX_LEVELS)) {
    throw new SynapseError('tool_failed', `The MCP server answered with a value that is nested more than ${MAX_LEVELS} levels deep.`, {
      hint: 'The call may have had its effect all the same. Ask for less at once, or go on without it.',
    });
  }
  const answer = ANSWER.parse(given);
  const { content: blocks, structuredContent = otherFields(answer), isError = false } = answer;
  const sent: unknown[] = Array.isArray(blocks) ? blocks : [];
  const writing = new Writing(keep);
  for (const block of sent.slice(0, MAX_BLOCKS)) writeBlock(block, writing);
  if (sent.length > MAX_BLOCKS) writing.text(`[${sent.length - MAX_BLOCKS} more blocks are left out.]`);
  if (structuredContent !== undefined && !isTold(structuredContent, writing.content)) writing.text(JSON.stringify(structuredContent));
  const content = withinOneLimit(writing.content, limitBytes);
  return {
    isError,
    content,
    data: { content: sent, ...(structuredContent === undefined ? {} : { structured: structuredContent }) },
  };
}
