import { IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline, type Duplex, type Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { Masking, type Unseen } from '../../../secrets/scrubber.ts';

/** Bytes that are searched and written at once. Servers send TLS records of 16 KB, and each write costs as much as its encryption. */
const BATCH = 128 * 1024;
/** Milliseconds without anything to send after which the beginning of a secret is taken for the end of a message. */
const QUIET_MS = 100;
/** Buffers that are kept for later answers: fresh memory costs more than the copy into it. */
const MAX_KEPT = 16;

const kept: Buffer[] = [];

/** The memory of a chunk that has it for itself. */
const wholeMemory = ({ buffer, byteLength }: Buffer): ArrayBuffer | undefined =>
  buffer instanceof ArrayBuffer && byteLength === buffer.byteLength ? buffer : undefined;

/** Sends a body in batches, without secrets. */
class Batches {
  readonly #target: ServerResponse;
  readonly #masking: Masking | undefined;
  readonly #onFull: () => void;
  #batch = kept.pop() ?? Buffer.allocUnsafeSlow(BATCH);
  #used = 0;
  /** How many of the used bytes were searched, and held back. */
  #held = 0;
  #planned: NodeJS.Immediate | undefined;
  #quiet: NodeJS.Timeout | undefined;
  /** Memory of chunks that were copied. Without a release, each 30 MB of a body would cost a full collection. */
  #copied: ArrayBuffer[] = [];
  /** Memory of what the socket gave in this turn. */
  #read: ArrayBuffer[] = [];
  /** Whether Node's parser copies the parts of a body out of that; undefined before the first part. */
  #isParsedCopy: boolean | undefined;

  /** @param onFull called when the other side does not read as fast */
  constructor(target: ServerResponse, what: Unseen | undefined, onFull: () => void) {
    this.#target = target;
    this.#masking = what === undefined ? undefined : new Masking(what);
    this.#onFull = onFull;
    // A program that waits for the head gets it, also if the body comes later.
    this.#planned = setImmediate(() => {
      this.#planned = undefined;
      if (this.#used > 0) this.#send();
      else if (!target.destroyed) target.flushHeaders();
    });
  }

  add(chunk: Buffer): void {
    for (let at = 0; at < chunk.length && !this.#target.destroyed;) {
      const copied = chunk.copy(this.#batch, this.#used, at);
      at += copied;
      this.#used += copied;
      if (this.#used === this.#batch.length) this.#send();
    }
    const memory = wholeMemory(chunk);
    this.#isParsedCopy ??= memory !== undefined && !this.#read.includes(memory);
    if (memory !== undefined) this.#copied.push(memory);
    // What arrives in the same turn goes together; nothing waits for more.
    this.#planned ??= setImmediate(() => {
      this.#planned = undefined;
      this.#send();
      for (const copied of this.#copied.splice(0)) copied.transfer(0);
      for (const read of this.#read.splice(0)) if (this.#isParsedCopy === true) read.transfer(0);
    });
  }

  /** Takes note of what the socket gave, which is read in this turn. */
  readFrom(chunk: Buffer): void {
    const memory = wholeMemory(chunk);
    if (memory !== undefined) this.#read.push(memory);
  }

  end(): void {
    clearImmediate(this.#planned);
    clearTimeout(this.#quiet);
    this.#send();
    // What was held back: the beginning of a secret that did not come.
    this.#masking?.end(this.#batch.subarray(0, this.#used));
    this.#target.end(this.#batch.subarray(0, this.#used));
  }

  #send(): void {
    const batch = this.#batch;
    const used = batch.subarray(0, this.#used);
    const clean = this.#masking?.mask(used, this.#held) ?? used.length;
    this.#held = used.length - clean;
    if (this.#target.destroyed) return;
    // Where much is held, there must be room for more.
    if (clean > 0 || this.#held === batch.length) {
      this.#batch = this.#held > BATCH / 2 ? Buffer.allocUnsafeSlow(this.#held + BATCH) : (kept.pop() ?? Buffer.allocUnsafeSlow(BATCH));
      this.#used = used.copy(this.#batch, 0, clean);
    }
    if (this.#held > 0) this.#planShow();
    if (clean === 0) return;
    // After a failure, the system may still read the memory.
    const isTaken = this.#target.write(used.subarray(0, clean), (error) => {
      if ((error ?? undefined) === undefined && kept.length < MAX_KEPT && batch.length === BATCH) kept.push(batch);
    });
    if (!isTaken) this.#onFull();
  }

  /** A program may wait for the rest of a message, such as an event of a server. */
  #planShow(): void {
    if (this.#quiet !== undefined) {
      this.#quiet.refresh();
      return;
    }
    this.#quiet = setTimeout(() => {
      const held = this.#batch.subarray(0, this.#held);
      if (this.#target.destroyed || this.#held === 0 || this.#used > this.#held || this.#masking?.mayShow(held) !== true) return;
      // A copy: the next bytes come into this memory.
      this.#target.write(Buffer.from(held));
      this.#used = this.#held = 0;
    }, QUIET_MS).unref();
  }
}

const isWhole = (answer: Readable): boolean => answer.errored === null && !(answer instanceof IncomingMessage && !answer.complete);

/** Why a body is not whole, in words for a person. */
const brokenBecause = (answer: Readable): string =>
  isWhole(answer) ? 'the answer is damaged: it could not be uncompressed' : 'the server broke off its answer';

/**
 * Sends the body of an answer to the command, through streams that decode it, without secrets. A failure breaks the connection off.
 *
 * @returns why the body is not whole. Not if the command did not want all of it
 */
export async function sendBody(
  [answer, ...decoders]: readonly [Readable, ...Duplex[]],
  response: ServerResponse,
  what?: Unseen,
): Promise<string | undefined> {
  const source = decoders.at(-1) ?? answer;
  // A failure of one destroys the last, which is what is read.
  let isEmpty = decoders.length > 0;
  if (isEmpty) pipeline([answer, ...decoders], () => {});
  answer.once('data', () => (isEmpty = false));
  const batches = new Batches(response, what, () => source.pause());
  response.on('drain', () => source.resume());
  response.once('close', () => answer.destroy());
  source.on('data', (chunk: Buffer) => batches.add(chunk));
  // What is decoded is not copied in the turn in which it arrives.
  const socket = answer instanceof IncomingMessage && decoders.length === 0 ? answer.socket : undefined;
  const onRead = (chunk: Buffer): void => batches.readFrom(chunk);
  // Before the parser reads it.
  socket?.prependListener('data', onRead);
  try {
    // The connection is free for another request then.
    await finished(source, { writable: false }).finally(() => socket?.off('data', onRead));
  } catch {
    // No body at all, which no compression makes: some servers say so of each answer.
    const isNothing = isEmpty && isWhole(answer) && !response.destroyed;
    const broken = response.destroyed ? undefined : brokenBecause(answer);
    if (!isNothing) {
      response.destroy();
      return broken;
    }
  }
  batches.end();
  // The command may close its connection first: then it has what it wanted.
  await finished(response).catch(() => response.destroy());
  return undefined;
}
