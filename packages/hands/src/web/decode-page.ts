import { detectEncoding, looksBinary } from '../text/detect-encoding.ts';
import { decode } from '../text/encoding.ts';

/** So far HTML looks for its own encoding. */
const META_BYTES = 1_024;
const LABEL = /charset\s*=\s*["']?\s*([\w.:-]{1,40})/iu;

function decoder(label: string | undefined): InstanceType<typeof TextDecoder> | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label);
  } catch {
    // An encoding that does not exist, or that browsers refuse: the bytes tell better.
    return undefined;
  }
}

/** What the bytes begin with, by which a byte order mark outweighs every label. */
function markLabel(body: Buffer): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8';
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le';
  return body[0] === 0xfe && body[1] === 0xff ? 'utf-16be' : undefined;
}

/**
 * The text of a body: by its byte order mark, the header, what the page says of itself, and else by a guess.
 * Undefined where it is no text.
 */
export async function decodePage(body: Buffer, contentType: string): Promise<string | undefined> {
  const header = LABEL.exec(contentType)?.[1];
  const isWide = /^utf-16/iu.test(header ?? '');
  if (!isWide && looksBinary(body)) return undefined;
  const meta = LABEL.exec(body.toString('latin1', 0, META_BYTES))?.[1];
  // A page that could be read to find that label is none in UTF-16.
  const own = /^utf-16/iu.test(meta ?? '') ? 'utf-8' : meta;
  const chosen = decoder(markLabel(body)) ?? decoder(header) ?? decoder(own);
  if (chosen !== undefined) return chosen.decode(body).toWellFormed();
  const encoding = await detectEncoding(body);
  return encoding === 'binary' ? undefined : decode(body, encoding);
}
