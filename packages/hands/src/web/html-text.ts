import { detectEncoding, looksBinary } from '../text/detect-encoding.ts';
import { decode } from '../text/encoding.ts';
import { textDecoder } from '../text/text-decoder.ts';

/** Elements whose content is not text of the page. */
const SKIPPED = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'head', 'title']);
/** Tags that end a line. */
const BREAKS = new Set(
  'address article aside blockquote br dd div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table td th tr ul'.split(
    ' ',
  ),
);
const ENTITIES: ReadonlyMap<string, string> = new Map(Object.entries<string>({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }));

function entity(whole: string, name: string): string {
  if (!name.startsWith('#')) return ENTITIES.get(name.toLowerCase()) ?? whole;
  const point = /^#x/iu.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return point > 0 && point <= 0x10_ffff ? String.fromCodePoint(point).toWellFormed() : whole;
}

/** The name of the tag that begins at an index, in lower case. */
const tagAt = (lower: string, at: number): string | undefined => /^<\/?([a-z][a-z\d]{0,15})/u.exec(lower.slice(at, at + 18))?.[1];

/**
 * Extracts the text of HTML in one pass without building a tree, for pages that are too large or too deep for a tree, and for
 * callers that want no formatting. The time is linear even if tags are not closed.
 */
export function htmlText(html: string): string {
  const lower = html.toLowerCase();
  const parts: string[] = [];
  // Tags without a closing tag in the rest of the page; the search is not repeated.
  const unclosed = new Set<string>();
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf('<', at);
    const end = open === -1 ? html.length : open;
    parts.push(html.slice(at, end));
    if (open === -1) break;
    if (html.startsWith('<!--', open)) {
      const close = html.indexOf('-->', open + 4);
      if (close === -1) break;
      at = close + 3;
      continue;
    }
    const name = tagAt(lower, open);
    if (name === undefined && !/^<[/!?]/u.test(html.slice(open, open + 2))) {
      parts.push('<');
      at = open + 1;
      continue;
    }
    const close = html.indexOf('>', open);
    if (close === -1) break;
    at = close + 1;
    if (name === undefined) continue;
    if (BREAKS.has(name)) parts.push('\n');
    if (SKIPPED.has(name) && html[open + 1] !== '/' && !unclosed.has(name)) {
      const past = lower.indexOf(`</${name}`, at);
      if (past === -1) unclosed.add(name);
      else at = past;
    }
  }
  return tidy(parts.join('').replace(/&(#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});/giu, entity));
}

function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/[ \t\f\v\r]+/gu, ' ').trim());
  return `${lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim()}\n`;
}

/** Number of bytes at the beginning of HTML that may declare its encoding. */
const META_BYTES = 1_024;
const LABEL = /charset\s*=\s*["']?\s*([\w.:-]{1,40})/iu;

function decoder(label: string | undefined): ReturnType<typeof textDecoder> | undefined {
  try {
    return label === undefined ? undefined : textDecoder(label);
  } catch {
    // An unknown encoding, or one that browsers reject: detect it from the bytes instead.
    return undefined;
  }
}

/** Returns the encoding of a byte order mark, which takes precedence over every label. */
function markLabel(body: Buffer): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : undefined;
}

/**
 * Decodes a body by its byte order mark, else by the header, by the label in the page, or by detection.
 * Returns undefined if it is not text.
 */
export async function decodePage(body: Buffer, contentType: string): Promise<string | undefined> {
  const header = LABEL.exec(contentType)?.[1];
  const isWide = /^utf-16/iu.test(header ?? '');
  if (!isWide && looksBinary(body)) return undefined;
  const meta = LABEL.exec(body.toString('latin1', 0, META_BYTES))?.[1];
  // If this label could be read as Latin-1, the page is not UTF-16.
  const own = /^utf-16/iu.test(meta ?? '') ? 'utf-8' : meta;
  const chosen = decoder(markLabel(body)) ?? decoder(header) ?? decoder(own);
  if (chosen !== undefined) return chosen.decode(body).toWellFormed();
  const encoding = await detectEncoding(body);
  return encoding === 'binary' ? undefined : decode(body, encoding);
}
