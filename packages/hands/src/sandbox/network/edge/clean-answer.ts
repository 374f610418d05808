import type { IncomingHttpHeaders } from 'node:http';
import { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { Scrubber, scrubText, type Unseen } from '../../../secrets/scrubber.ts';

/** The compressions that are undone. An answer in another one is not passed on: a secret in it could not be seen. */
const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};
/** Maximum number of compressions in each other. */
const MAX_CODINGS = 3;

/** The decoders of a body, from the outermost; undefined if one is not known. */
export function decodersOf(encoding: string | undefined): Transform[] | undefined {
  const names = (encoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity')
    .toReversed();
  if (names.length > MAX_CODINGS) return undefined;
  const decoders = names.map((name) => (Object.hasOwn(DECODERS, name) ? DECODERS[name]?.() : undefined));
  return decoders.every((decoder) => decoder !== undefined) ? decoders : undefined;
}

/** Takes secrets out of the headers of an answer. A name that is one is left out. */
export function cleanHeaders(headers: IncomingHttpHeaders, what: Unseen): Record<string, string | string[]> {
  const clean: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || scrubText(name, what) !== name) continue;
    clean[name] = typeof value === 'string' ? scrubText(value, what) : value.map((one) => scrubText(one, what));
  }
  return clean;
}

/** Takes secrets out of a body. */
class ScrubStream extends Transform {
  readonly #scrubber: Scrubber;

  constructor(what: Unseen) {
    super();
    this.#scrubber = new Scrubber(what);
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: Error | null, data: Buffer) => void): void {
    done(null, this.#scrubber.push(chunk));
  }

  override _flush(done: (error: Error | null, data: Buffer) => void): void {
    done(null, this.#scrubber.end());
  }
}

/** The streams that a body passes, in order. */
export const cleaning = (decoders: readonly Transform[], what: Unseen): Transform[] => [...decoders, new ScrubStream(what)];

/** Whether an answer has a body. */
export function hasBody(method: string, status: number): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304;
}
