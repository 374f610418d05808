import type { Progress } from '@synapse/protocol';
import type { OutputStream } from './processes.ts';

/** Milliseconds between updates. Ten per second are more than a person can read, and few enough for any transport. */
const INTERVAL_MS = 100;
/** Maximum UTF-16 units of output per update; the last ones are kept. */
const MAX_LENGTH = 8_192;

/** Sends output to watchers in few pieces of limited size, regardless of its rate. */
export class ProgressFeed implements Disposable {
  readonly #tell: (progress: Progress) => void;
  readonly #tellAll: ((text: string) => void) | undefined;
  #pending = '';
  #streams = new Set<OutputStream>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param tell takes what watchers see
   * @param tellAll takes all of the output, as it comes
   */
  constructor(tell: (progress: Progress) => void, tellAll?: (text: string) => void) {
    this.#tell = tell;
    this.#tellAll = tellAll;
  }

  add(stream: OutputStream, text: string): void {
    if (text === '') return;
    this.#tellAll?.(text);
    this.#pending += text;
    this.#streams.add(stream);
    if (this.#pending.length > 2 * MAX_LENGTH) this.#shorten();
    // The first update is sent at once, later ones at intervals.
    if (this.#timer === undefined) this.#flush();
  }

  /** Sends the remaining output and stops. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pending !== '') this.#send();
  }

  readonly #flush = (): void => {
    this.#timer = undefined;
    if (this.#pending === '') return;
    this.#send();
    this.#timer = setTimeout(this.#flush, INTERVAL_MS);
  };

  #send(): void {
    if (this.#pending.length > MAX_LENGTH) this.#shorten();
    const [stream] = this.#streams;
    const progress: Progress = { output: this.#pending, ...(this.#streams.size === 1 && stream !== undefined ? { stream } : {}) };
    this.#pending = '';
    this.#streams.clear();
    try {
      this.#tell(progress);
    } catch {
      // An error in a timer would end the process. A failing watcher must not affect the command.
    }
  }

  #shorten(): void {
    this.#pending = `…${this.#pending.slice(-MAX_LENGTH).toWellFormed()}`;
  }
}

/** Phrases of prompts for a secret, a choice, or any answer. */
const QUESTION =
  /(?:pass(?:word|phrase|code)|\bpin\b|user ?name|login|\[[yY](?:es)?\/[nN]o?\]|\([yY](?:es)?\/[nN]o?(?:\/[^)]*)?\)|press (?:any key|enter|return)|continue|proceed|overwrite)[^\n]{0,40}$/iu;
/** The prompts of shells, debuggers and programs that ask with a question mark. */
const PROMPT_END = /(?:[?>$#%»❯]|:(?:[ \t]*\([^()]*\))?|\)\?)[ \t]*$/u;
/** Maximum length of a prompt in characters. A longer line is data. */
const MAX_PROMPT = 300;

/** Whether output ends with an unterminated line that looks like a prompt. */
export function endsWithPrompt(output: string): boolean {
  const line = output.slice(output.lastIndexOf('\n') + 1);
  if (line.trim() === '' || line.length > MAX_PROMPT) return false;
  return QUESTION.test(line) || PROMPT_END.test(line);
}
