import { createInterface, type AsyncCompleter, type Interface } from 'node:readline';
import { TypedLines } from '../approval/line-reader.ts';
import type { LiveInput } from '../agent/open-screen.ts';
import { MutedOutput } from './muted-output.ts';
import type { TypedAhead } from './typed-ahead.ts';

const PROMPT = '> ';

/** What a person types in a chat: with a line editor at a terminal, as plain lines from a pipe. */
export class ChatInput implements Disposable {
  readonly lines: TypedLines;
  /** For the screen, which shows what is typed while the model works. */
  readonly live: LiveInput;
  readonly #readline: Interface;
  readonly #output: MutedOutput | undefined;
  readonly #stdin: NodeJS.ReadStream;
  /** What was typed and not sent when the editor was hidden or shown. */
  #typed = '';
  #repaint: (() => void) | undefined;

  constructor(stdin: NodeJS.ReadStream, ahead: TypedAhead, complete: AsyncCompleter, onInterrupt: () => void) {
    this.#stdin = stdin;
    this.#output = stdin.isTTY ? new MutedOutput(process.stderr) : undefined;
    const output = this.#output === undefined ? {} : { output: this.#output, completer: complete };
    this.#readline = createInterface({ input: stdin, ...output, terminal: stdin.isTTY, prompt: PROMPT });
    this.lines = new TypedLines(this.#readline);
    this.#readline.on('SIGINT', onInterrupt);
    if (stdin.isTTY) stdin.on('keypress', this.#onKey);
    const typed = () => ({ text: this.#readline.line, cursor: this.#readline.cursor, waiting: ahead.waiting });
    this.live = stdin.isTTY ? { typed, onLive: (isLive, repaint) => this.#change(isLive ? repaint : undefined) } : {};
  }

  /** The next line; undefined at the end. */
  async next(signal: AbortSignal): Promise<string | undefined> {
    // Input that is not a terminal may end during a turn.
    this.prompt();
    return await this.lines.next(signal);
  }

  /** Shows the prompt, and what was typed so far. */
  prompt(): void {
    if (!this.#stdin.isTTY || this.lines.closed) return;
    this.#readline.prompt();
    this.#restore();
  }

  /** Empties the line that is being edited. */
  discard(): void {
    this.#readline.write(null, { ctrl: true, name: 'e' });
    this.#readline.write(null, { ctrl: true, name: 'u' });
  }

  [Symbol.dispose](): void {
    this.#stdin.off('keypress', this.#onKey);
    this.#readline.close();
    this.#output?.destroy();
  }

  readonly #onKey = (): void => this.#repaint?.();

  /** Passes what is typed to the screen, or back to the editor: the beginning of a message must not become part of an answer. */
  #change(repaint: (() => void) | undefined): void {
    if (this.lines.closed || this.#output === undefined) return;
    this.#repaint = repaint;
    if (repaint === undefined) {
      this.#typed = this.#readline.line;
      this.discard();
      this.#output.isMuted = false;
    } else {
      this.#output.isMuted = true;
      this.#restore();
    }
  }

  #restore(): void {
    const typed = this.#typed;
    this.#typed = '';
    if (typed !== '') this.#readline.write(typed);
  }
}
