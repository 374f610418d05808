import type { IncomingHttpHeaders } from 'node:http';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { TextScrubber, type Unseen } from '../../../secrets/scrubber.ts';

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
  const scrubber = new TextScrubber(what);
  const clean: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined || scrubber.clean(name) !== name) continue;
    clean[name] = typeof value === 'string' ? scrubber.clean(value) : value.map((one) => scrubber.clean(one));
  }
  return clean;
}

/** Whether an answer has a body. */
export function hasBody(method: string, status: number): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304;
}
