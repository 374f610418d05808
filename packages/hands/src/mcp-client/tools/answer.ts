import { isDeepStrictEqual } from 'node:util';
import { type ContentBlock, SynapseError } from '@synapse/protocol';
import * as z from 'zod';
import { size } from '../../text/amounts.ts';

/** Whether a JSON value is nested deeper than a number of levels. Not recursive: an untrusted value may have any depth. */
function isDeeper(value: unknown, levels: number): boolean {
  let level: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth === levels) return true;
    const next: object[] = [];
    for (const one of level) for (const inner of Object.values(one)) if (typeof inner === 'object' && inner !== null) next.push(inner);
    level = next;
  }
  return false;
}

/** Providers refuse images over 5 MB of base64, and types other than these. */
const MAX_IMAGE_CHARACTERS = 5_000_000;
const SHOWN_IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);
/** Maximum number of blocks per result, and of images among them; more is a mistake or an attack. */
const MAX_BLOCKS = 1_000;
const MAX_IMAGES = 20;
/** Maximum depth of a result. Serializing and comparing are recursive, and overflow the stack at some thousands. */
const MAX_LEVELS = 200;

/** The result of `tools/call`, checked as loosely as possible. */
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
/** Types of content blocks. */
export const BLOCKS = z.discriminatedUnion('type', [
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

/** The full result of a call, for programs, as the server sent it. */
export const MCP_DATA = z.strictObject({
  /** Of any form: these are the fields of most blocks. */
  content: z.array(z.unknown().meta({ type: 'object', properties: { type: { type: 'string' }, text: { type: 'string' } }, required: ['type'] })),
  /** The structured value, if the server sent one. */
  structured: z.unknown().optional(),
});
type McpData = z.output<typeof MCP_DATA>;

/** A result in the form for models. */
interface McpAnswer {
  readonly isError: boolean;
  readonly content: ContentBlock[];
  readonly data: McpData;
}

/** Stores binary data and returns its handle. */
type Keep = (bytes: Uint8Array) => string;

/** Describes data that a model cannot be shown; the data is stored. */
function kept(what: string, base64: string, keep: Keep): string {
  const bytes = Buffer.from(base64, 'base64');
  return `[${what}, ${size(bytes.length)}: stored as ${keep(bytes)}]`;
}

const line = (text: string): string => text.slice(0, 500).replaceAll(/\s+/gu, ' ');

/** Builds the result: consecutive texts are merged, so that one limit applies to all. */
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
  // A type of a later protocol, or an invalid block: shown as JSON.
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

/** Whether the structured value is already shown as text, which the protocol asks servers to send with it. */
function isTold(structured: unknown, content: readonly ContentBlock[]): boolean {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const values: unknown[] = typeof structured === 'object' && structured !== null ? Object.values(structured) : [];
  // Some servers send the text as the only field.
  if (values.length === 1 && typeof values[0] === 'string' && texts.includes(values[0])) return true;
  return texts.some((text) => isDeepStrictEqual(parsedJson(text), structured));
}

/** Returns the non-standard fields of a result without standard ones; servers of early drafts sent such results. */
function otherFields({ content, structuredContent, isError: _isError, _meta, ...rest }: z.output<typeof ANSWER>): object | undefined {
  if (Array.isArray(content) || structuredContent !== undefined) return undefined;
  const fields = content === undefined ? rest : { content, ...rest };
  return Object.keys(fields).length === 0 ? undefined : fields;
}

/** Merges texts between images that together exceed the limit, as each would be allowed the full limit. Images follow. */
function withinOneLimit(content: ContentBlock[], limitBytes: number): ContentBlock[] {
  const texts = content.filter((block) => block.type === 'text');
  if (texts.length < 2 || texts.reduce((sum, { text }) => sum + text.length, 0) <= limitBytes) return content;
  return [{ type: 'text', text: texts.map(({ text }) => text).join('\n') }, ...content.filter((block) => block.type !== 'text')];
}

/**
 * Reads a result of any form. Everything a model can be shown is shown, in order; the rest is named and stored.
 *
 * @param limitBytes maximum number of bytes of text shown per result
 * @throws SynapseError `tool_failed` if it is nested too deeply
 */
export function readAnswer(given: unknown, keep: Keep, limitBytes: number): McpAnswer {
  if (isDeeper(given, MAX_LEVELS)) {
    throw new SynapseError('tool_failed', `The MCP server answered with a value that is nested more than ${MAX_LEVELS} levels deep.`, {
      hint: 'The call may have had its effect all the same. Ask for less at once, or continue without it.',
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
