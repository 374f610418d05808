import { Duplex, pipeline, Readable } from 'node:stream';
import zlib, { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { TextScrubber, type Unseen } from '../../../secrets/scrubber.ts';

/** The lower half of the first byte of a zlib stream (RFC 1950). A raw one has it only where its first block is stored, and padded with ones. */
const ZLIB = 0x08;

/** Undoes `deflate`, which is zlib (RFC 9110), and from some servers raw: programs take both. */
function createDeflateDecoder(): Duplex {
  return Duplex.from(async function* (source: AsyncIterable<Buffer>) {
    const chunks = source[Symbol.asyncIterator]();
    const first = await chunks.next();
    if (first.done === true) return;
    const rest = async function* (): AsyncGenerator<Buffer> {
      yield first.value;
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
    };
    const isZlib = ((first.value[0] ?? 0) & 0x0f) === ZLIB;
    const decoder = isZlib ? createInflate() : createInflateRaw();
    // A failure of one destroys the last, which is what is read.
    pipeline(Readable.from(rest()), decoder, () => {});
    yield* decoder;
  });
}

/** Undoes Zstandard. Node ends with the first frame: what follows would be lost without a word. */
function createZstdDecoder(): Duplex {
  return Duplex.from(async function* (source: AsyncIterable<Buffer>) {
    let given = 0;
    const counted = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of source) {
        given += chunk.length;
        yield chunk;
      }
    };
    const decoder = zlib.createZstdDecompress();
    pipeline(Readable.from(counted()), decoder, () => {});
    yield* decoder;
    if (decoder.bytesWritten < given) throw new Error('Something follows the first frame.');
  });
}

/** The compressions that are undone. An answer in another one is not passed on: a secret in it could not be seen. */
const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createDeflateDecoder,
  br: createBrotliDecompress,
  // Node before 22.15 has none.
  ...('createZstdDecompress' in zlib ? { zstd: createZstdDecoder } : {}),
};
/** Maximum number of compressions in each other. */
const MAX_CODINGS = 3;

/** The decoders of a body, from the outermost; undefined if one is not known. */
export function decodersOf(encoding: string | undefined): Duplex[] | undefined {
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
export function cleanHeaders(headers: Readonly<Record<string, string | string[]>>, what: Unseen): Record<string, string | string[]> {
  const scrubber = new TextScrubber(what);
  const clean: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (scrubber.clean(name) !== name) continue;
    clean[name] = typeof value === 'string' ? scrubber.clean(value) : value.map((one) => scrubber.clean(one));
  }
  return clean;
}

/** Whether an answer has a body. */
export function hasBody(method: string, status: number): boolean {
  return method !== 'HEAD' && status !== 204 && status !== 304;
}
