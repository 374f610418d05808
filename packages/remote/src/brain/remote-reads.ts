import { SynapseError } from '@synapse/protocol';
import type { DataFrames } from '@synapse/protocol/remote';

/** Number of chunks to request at once. */
const READ_AHEAD = 16;
/** Maximum UTF-16 units of a text: twice what machines keep. A hostile one could send without end. */
const MAX_LENGTH = 134_217_728;

type Frame = DataFrames['read'];

/** What reads need from their connection. */
export interface ReadConnection {
  /** Id of this brain. */
  readonly brain: string;
  readonly say: (frame: Frame) => void;
  readonly isOnline: () => boolean;
  /** Milliseconds after which an unanswered request is repeated. */
  readonly repeatMs: number;
}

interface Read {
  readonly of: Frame['of'];
  readonly name: string;
  readonly text: Promise<string>;
  /** Called when a part of it arrives. */
  readonly listeners: Array<() => void>;
  readonly ask: () => void;
  readonly take: (chunk: DataFrames['chunk']) => void;
  readonly fail: (error: SynapseError) => void;
}

/** Texts that are read from the machine by offset. */
export class RemoteReads {
  readonly #connection: ReadConnection;
  readonly #reads = new Map<string, Read>();

  constructor(connection: ReadConnection) {
    this.#connection = connection;
  }

  /** Reads a text from an offset. Concurrent reads of the same text share one request, because answers do not identify their request. */
  read(of: Frame['of'], name: string, from = 0, onHeard?: () => void): Promise<string> {
    const key = JSON.stringify([of, name, from]);
    const known = this.#reads.get(key);
    if (known !== undefined) {
      if (onHeard !== undefined) known.listeners.push(onHeard);
      return known.text;
    }
    const listeners = onHeard === undefined ? [] : [onHeard];
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const { brain, say, isOnline, repeatMs } = this.#connection;
    let text = '';
    let offset = from;
    let expected = READ_AHEAD;
    const ask = (): void => say({ type: 'read', brain, of, name, from: offset, chunks: READ_AHEAD });
    const take = (chunk: DataFrames['chunk']): void => {
      if (chunk.from !== offset) return;
      for (const listener of listeners) listener();
      text += chunk.data;
      if (text.length > MAX_LENGTH) return reject(new SynapseError('unavailable', 'The machine sends more than it may keep.'));
      offset = chunk.next;
      expected -= 1;
      if (offset >= chunk.total) return resolve(text);
      if (expected > 0) return;
      expected = READ_AHEAD;
      ask();
    };
    // Repeated until it is answered, because reads are not stored anywhere.
    const again = setInterval(ask, repeatMs);
    const read = promise.finally(() => {
      clearInterval(again);
      this.#reads.delete(key);
    });
    this.#reads.set(key, { of, name, text: read, listeners, ask, take, fail: reject });
    if (isOnline()) ask();
    return read;
  }

  take(chunk: DataFrames['chunk']): void {
    for (const { of, name, take } of this.#reads.values()) if (of === chunk.of && name === chunk.name) take(chunk);
  }

  /** Repeats all requests, because the machine is online again. */
  askAgain(): void {
    for (const { ask } of this.#reads.values()) ask();
  }

  fail(error: SynapseError): void {
    for (const { fail } of this.#reads.values()) fail(error);
  }
}
