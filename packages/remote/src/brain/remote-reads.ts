import { SynapseError } from '@synapse/protocol';
import type { DataFrames } from '@synapse/protocol/remote';

/** Number of chunks to request at once. */
const READ_AHEAD = 16;
/** Maximum UTF-16 units of a text: twice what machines keep. A hostile one could send without end. */
const MAX_LENGTH = 134_217_728;
/** Requests without an answer after which a machine that is online is given up: two minutes. */
const MAX_UNANSWERED = 24;

const OWN_CALLS = 'A device reads only the output of its own calls. The machine forgets calls after a week.';

type Frame = DataFrames['read'];

/** What reads need from their connection. */
export interface ReadConnection {
  /** Id of this brain. */
  readonly brain: string;
  readonly say: (frame: Frame) => void;
  readonly isOnline: () => boolean;
  /** Whether this brain waits for the result of a call. The machine may not have it yet. */
  readonly isOpen: (call: string) => boolean;
  /** Milliseconds after which an unanswered request is repeated. */
  readonly repeatMs: number;
}

/** Options of a read. */
export interface ReadOptions {
  /** The offset to read from, in bytes. Default: 0. */
  readonly from?: number | undefined;
  /** The workspace that is read about. */
  readonly workspace?: string | undefined;
  /** Called when a part of the answer arrives. */
  readonly onHeard?: (() => void) | undefined;
  /** Gives it up. */
  readonly signal?: AbortSignal | undefined;
}

/** One who waits for a text. */
interface Reader {
  readonly onHeard: (() => void) | undefined;
  readonly resolve: (text: string) => void;
  readonly reject: (reason: unknown) => void;
}

interface Read {
  readonly of: Frame['of'];
  readonly name: string;
  readonly workspace: string | undefined;
  readonly readers: Set<Reader>;
  readonly ask: () => void;
  readonly take: (chunk: DataFrames['chunk']) => void;
  readonly fail: (error: SynapseError) => void;
  /** Asks no more. */
  readonly end: () => void;
}

/** Texts that are read from the machine by offset. */
export class RemoteReads {
  readonly #connection: ReadConnection;
  readonly #reads = new Map<string, Read>();

  constructor(connection: ReadConnection) {
    this.#connection = connection;
  }

  /** Reads a text from an offset. Concurrent reads of the same text share one request, because answers do not identify their request. */
  async read(of: Frame['of'], name: string, { from = 0, workspace, onHeard, signal }: ReadOptions = {}): Promise<string> {
    signal?.throwIfAborted();
    if (!Number.isSafeInteger(from) || from < 0)
      throw new SynapseError('invalid_arguments', `Not an offset: ${from}`, { hint: 'It is a number of bytes, from 0.' });
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const key = JSON.stringify([of, name, from, workspace]);
    const read = this.#reads.get(key) ?? this.#begin(key, { of, name, workspace }, from);
    const reader: Reader = { onHeard, resolve, reject };
    read.readers.add(reader);
    const giveUp = (): void => {
      read.readers.delete(reader);
      // Requests are repeated without end, also to a machine that went away.
      if (read.readers.size === 0) read.end();
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  #begin(key: string, what: Pick<Read, 'of' | 'name' | 'workspace'>, from: number): Read {
    const { of, name, workspace } = what;
    const where = workspace === undefined ? {} : { workspace };
    const { brain, say, isOnline, isOpen, repeatMs } = this.#connection;
    const readers = new Set<Reader>();
    let text = '';
    let offset = from;
    let expected = READ_AHEAD;
    let unanswered = 0;
    const ask = (): void => say({ type: 'read', brain, of, name, from: offset, chunks: READ_AHEAD, ...where });
    // Repeated until it is answered, because reads are not stored anywhere.
    const again = setInterval(() => {
      unanswered = isOnline() ? unanswered + 1 : 0;
      if (unanswered > MAX_UNANSWERED)
        fail(new SynapseError('unavailable', 'The machine does not answer.', { hint: 'Update Synapse there, and try again.' }));
      else ask();
    }, repeatMs);
    const end = (): void => {
      clearInterval(again);
      this.#reads.delete(key);
    };
    const fail = (error: SynapseError): void => {
      end();
      for (const { reject } of readers) reject(error);
    };
    const take = (chunk: DataFrames['chunk']): void => {
      if (chunk.from !== offset) return;
      if (chunk.refused === true) {
        unanswered = 0;
        if (!isOpen(name)) fail(new SynapseError('not_found', `No call of this device has the id ${name}.`, { hint: OWN_CALLS }));
        return;
      }
      // A hostile machine could send such parts without end. None counts as an answer, and the request is repeated.
      if (chunk.next < chunk.total && (chunk.next <= offset || chunk.data === '')) return;
      unanswered = 0;
      for (const { onHeard } of readers) onHeard?.();
      text += chunk.data;
      if (text.length > MAX_LENGTH) return fail(new SynapseError('unavailable', 'The machine sends more than it may keep.'));
      offset = chunk.next;
      expected -= 1;
      if (offset >= chunk.total) {
        end();
        for (const { resolve } of readers) resolve(text);
        return;
      }
      if (expected > 0) return;
      expected = READ_AHEAD;
      ask();
    };
    const read: Read = { ...what, readers, ask, take, fail, end };
    this.#reads.set(key, read);
    if (isOnline()) ask();
    return read;
  }

  take(chunk: DataFrames['chunk']): void {
    for (const { of, name, workspace, take } of this.#reads.values())
      if (of === chunk.of && name === chunk.name && workspace === chunk.workspace) take(chunk);
  }

  /** Repeats all requests, because the machine is online again. */
  askAgain(): void {
    for (const { ask } of this.#reads.values()) ask();
  }

  fail(error: SynapseError): void {
    for (const { fail } of this.#reads.values()) fail(error);
  }
}
