import type { TaskContent } from '@synapse/brain';
import { isCommand } from './chat-commands.ts';

/** Lines that wait at most. */
const MAX_WAITING = 100;

interface Waiting {
  readonly text: string;
  /** What the model gets; undefined until its files are read, and for a command. */
  content?: string | TaskContent;
}

/** How a message is made ready for the model; undefined if it cannot be sent. */
export type Prepare = (text: string) => Promise<string | TaskContent | undefined>;

/** Lines that are typed while the model works. Messages reach it after its current step; commands wait for the end of the turn. */
export class TypedAhead {
  #waiting: Waiting[] = [];

  get waiting(): readonly string[] {
    return this.#waiting.map(({ text }) => text);
  }

  /** Takes a line. */
  async add(line: string, prepare: Prepare): Promise<void> {
    const entry: Waiting = { text: line.trim() };
    if (entry.text === '' || this.#waiting.length >= MAX_WAITING) return;
    this.#waiting.push(entry);
    if (isCommand(entry.text)) return;
    const content = await prepare(entry.text);
    if (content === undefined) this.#waiting = this.#waiting.filter((one) => one !== entry);
    else entry.content = content;
  }

  /** The messages that are ready, each once, up to the first command. */
  takeMessages(): { readonly text: string; readonly content: string | TaskContent }[] {
    const taken: { text: string; content: string | TaskContent }[] = [];
    for (let [first] = this.#waiting; first?.content !== undefined; [first] = this.#waiting) {
      taken.push({ text: first.text, content: first.content });
      this.#waiting.shift();
    }
    return taken;
  }

  /** The next line, after a turn. */
  next(): string | undefined {
    return this.#waiting.shift()?.text;
  }

  clear(): void {
    this.#waiting = [];
  }
}
