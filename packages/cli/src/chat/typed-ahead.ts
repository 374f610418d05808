import type { TaskContent } from '@synapse/brain';
import { isCommand } from './chat-commands.ts';

/** Lines that wait at most. */
const MAX_WAITING = 100;

/** A line that was typed while the model worked. */
export interface WaitingLine {
  readonly text: string;
  /** What the model gets, undefined if it cannot be sent. Absent for a command. */
  readonly content?: Promise<string | TaskContent | undefined>;
}

interface Waiting extends WaitingLine {
  ready?: string | TaskContent;
}

/** How a message is made ready for the model; undefined if it cannot be sent. The signal is aborted when its line is dropped. */
export type Prepare = (text: string, signal: AbortSignal) => Promise<string | TaskContent | undefined>;

/**
 * Lines that are typed while the model works. Messages reach it after its current step; commands wait for the end of the turn.
 * A message is prepared once: that reads files, and may ask the person.
 */
export class TypedAhead {
  #waiting: Waiting[] = [];
  #dropped = new AbortController();

  get waiting(): readonly string[] {
    return this.#waiting.map(({ text }) => text);
  }

  /** Takes a line. */
  async add(line: string, prepare: Prepare): Promise<void> {
    const text = line.trim();
    if (text === '' || this.#waiting.length >= MAX_WAITING) return;
    if (isCommand(text)) {
      this.#waiting.push({ text });
      return;
    }
    const entry: Waiting = { text, content: prepare(text, this.#dropped.signal) };
    this.#waiting.push(entry);
    const content = await entry.content;
    if (content === undefined) this.#waiting = this.#waiting.filter((one) => one !== entry);
    else entry.ready = content;
  }

  /** The messages that are ready, each once, up to the first command. */
  takeMessages(): { readonly text: string; readonly content: string | TaskContent }[] {
    const taken: { text: string; content: string | TaskContent }[] = [];
    for (let [first] = this.#waiting; first?.ready !== undefined; [first] = this.#waiting) {
      taken.push({ text: first.text, content: first.ready });
      this.#waiting.shift();
    }
    return taken;
  }

  /** The next line, after a turn. */
  next(): WaitingLine | undefined {
    return this.#waiting.shift();
  }

  /** Drops all lines, and stops what prepares them. Returns their texts. */
  clear(): readonly string[] {
    const dropped = this.waiting;
    this.#waiting = [];
    this.#dropped.abort();
    this.#dropped = new AbortController();
    return dropped;
  }
}
