interface Constants {
  /** Of the rounds: the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
  readonly rounds: Int32Array;
  /** The fractional parts of the square roots of the first 8 primes (FIPS 180-4, 5.3.3). */
  readonly start: Uint32Array;
}

let constants: Constants | undefined;

/** Computed where they are used: as part of the import, it would cost every process 5 MB for a compiled loop. */
const constantsNow = (): Constants => (constants ??= { rounds: Int32Array.from(roots(64, 1 / 3)), start: roots(8, 1 / 2) });

function roots(count: number, power: number): Uint32Array {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1) {
    let prime = true;
    for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) if (candidate % divisor === 0) prime = false;
    if (prime) found.push(candidate);
  }
  return Uint32Array.from(found, (prime) => (prime ** power % 1) * 2 ** 32);
}

const rotate = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** The message schedule of a block (FIPS 180-4, 6.2.2, step 1). */
function schedule(view: DataView, at: number, w: Int32Array): void {
  for (let t = 0; t < 16; t += 1) w[t] = view.getInt32(at + t * 4);
  for (let t = 16; t < 64; t += 1) {
    const early = w[t - 15] ?? 0;
    const late = w[t - 2] ?? 0;
    const s0 = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const s1 = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    w[t] = (w[t - 16] ?? 0) + s0 + (w[t - 7] ?? 0) + s1;
  }
}

/** Processes one block of 64 bytes (FIPS 180-4, 6.2.2). Words are signed, so that they stay small integers in the engine. */
function compress(state: Int32Array, view: DataView, at: number, w: Int32Array, rounds: Int32Array): void {
  schedule(view, at, w);
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let t = 0; t < 64; t += 1) {
    const choose = (e & f) ^ (~e & g);
    const t1 = (h + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + choose + (rounds[t] ?? 0) + (w[t] ?? 0)) | 0;
    const t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = (d + t1) | 0;
    d = c;
    c = b;
    b = a;
    a = (t1 + t2) | 0;
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = (state[index] ?? 0) + word;
}

/** Synchronous SHA-256 for the core, because WebCrypto is asynchronous. It protects no secret, so its timing does not matter. */
export function plainSha256(text: string): string {
  const bytes = new TextEncoder().encode(text);
  const padded = new Uint8Array((((bytes.length + 8) >>> 6) + 1) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const { rounds, start } = constantsNow();
  const state = Int32Array.from(start);
  const w = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) compress(state, view, at, w, rounds);
  return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

/** Node's implementation, 30 times as fast; undefined in browsers. */
const native = (globalThis as Partial<typeof globalThis>).process?.getBuiltinModule?.('node:crypto')?.hash;

/** Returns the SHA-256 of a text in UTF-8, in hexadecimal. */
export const sha256: (text: string) => string = native === undefined ? plainSha256 : (text) => native('sha256', text);
