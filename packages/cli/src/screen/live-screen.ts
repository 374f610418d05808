import { MarkdownStream } from '../markdown/markdown-stream.ts';
import { PlainStream } from '../markdown/plain-stream.ts';
import type { TextView } from '../markdown/text-view.ts';
import type { Output } from '../output/output.ts';
import { paintLine, plainLine, type Line } from '../output/styled-line.ts';
import { textWidth } from '../output/text-width.ts';
import { clipLine } from './clip-line.ts';
import { LiveArea } from './live-area.ts';
import { spinner } from './spinner.ts';

/** Milliseconds between two pictures of the spinner. */
const TICK_MS = 100;
/** Milliseconds between two pictures of a text that arrives: a model sends words faster than a person reads. */
const TEXT_MS = 50;
/** Rows of the screen that unfinished text leaves free. */
const OTHER_ROWS = 8;

/** What a person types while the model works. */
export interface TypedLine {
  readonly text: string;
  /** Characters before the cursor. */
  readonly cursor: number;
  /** Lines that wait for the model. */
  readonly waiting: readonly string[];
}

/** The terminal of a live screen. */
export interface LiveTerminal {
  readonly write: (text: string) => void;
  readonly size: () => { readonly columns: number; readonly rows: number };
  readonly color: boolean;
  /** Undefined if nothing can be typed. */
  readonly typed?: () => TypedLine;
  /** Called when the area appears, which shows what is typed, and when it goes. */
  readonly onLive?: (isLive: boolean, repaint: () => void) => void;
}

/** A terminal on which a model works: lines that stay, and below them unfinished text, what runs, and what is typed. */
export class LiveScreen {
  readonly #terminal: LiveTerminal;
  readonly #area: LiveArea;
  readonly #out: Output;
  #view: TextView | undefined;
  #status = '';
  #since = 0;
  #facts = '';
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;
  #painted = 0;
  #openLine = false;

  constructor(terminal: LiveTerminal, out: Output) {
    this.#terminal = terminal;
    this.#out = out;
    this.#area = new LiveArea(terminal.write);
  }

  get width(): number {
    return this.#terminal.size().columns - 1;
  }

  /** Returns an output for others that write to the terminal: the area makes way for them. */
  output(under: Output): Output {
    return {
      isTerminal: under.isTerminal,
      get columns() {
        return under.columns;
      },
      write: (text, style, address) => {
        this.#area.clear();
        under.write(text, style, address);
        if (text !== '') this.#openLine = !text.endsWith('\n');
        this.#paint();
      },
      show: (line) => {
        if (this.#timer === undefined) under.show(line);
      },
    };
  }

  /** Shows the area until {@link stop}. */
  start(status: string): void {
    // A question before it was answered with Enter, which ended its line.
    this.#openLine = false;
    this.#timer ??= setInterval(() => this.#paint(), TICK_MS).unref();
    this.#tellLive(true);
    this.tell(status);
  }

  /** Ends the text, and hides the area. */
  stop(): void {
    this.endText();
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#area.clear();
    this.#status = '';
    this.#since = 0;
    this.#facts = '';
    this.#tellLive(false);
  }

  /** Hides the area while a question is asked. */
  async paused<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    this.#pauses += 1;
    this.#area.clear();
    if (this.#pauses === 1 && this.#timer !== undefined) this.#tellLive(false);
    try {
      return await ask();
    } finally {
      this.#pauses -= 1;
      // The answer ended its line; a question that was withdrawn ends its own.
      if (this.#pauses === 0) this.#openLine = false;
      if (this.#pauses === 0 && this.#timer !== undefined) this.#tellLive(true);
      this.#paint();
    }
  }

  /** Says what runs now. The time counts from here. */
  tell(status: string): void {
    if (status === this.#status && this.#since > 0) return;
    this.#status = status;
    this.#since = performance.now();
    this.#paint();
  }

  /** Facts beside what runs, such as the tokens so far. */
  tellFacts(facts: string): void {
    this.#facts = facts;
  }

  /** Shows text of the model as it arrives. */
  say(text: string): void {
    this.#view ??= this.#terminal.color ? new MarkdownStream(this.width) : new PlainStream(this.width);
    const lines = this.#view.push(text);
    if (lines.length > 0) this.#last(lines);
    else if (performance.now() - this.#painted >= TEXT_MS) this.#paint();
  }

  endText(): void {
    const lines = this.#view?.end() ?? [];
    this.#view = undefined;
    if (lines.length > 0) this.#last(lines);
  }

  /** Prints lines that stay. They come after the text so far. */
  print(lines: readonly Line[]): void {
    this.endText();
    this.#last(lines);
  }

  /** Prints lines before text that is not finished. */
  printAbove(lines: readonly Line[]): void {
    this.#last(lines);
  }

  #tellLive(isLive: boolean): void {
    this.#terminal.onLive?.(isLive, () => this.#paint());
  }

  #painter(line: Line): string {
    return this.#terminal.color ? paintLine(line) : plainLine(line);
  }

  #last(lines: readonly Line[]): void {
    if (this.#openLine) this.#out.write('\n');
    this.#openLine = false;
    const painted = lines.map((line) => this.#painter(line));
    if (this.#timer === undefined || this.#pauses > 0) this.#terminal.write(painted.map((line) => `${line}\n`).join(''));
    else this.#paint(painted);
  }

  #paint(lasting: readonly string[] = []): void {
    if (this.#timer === undefined || this.#pauses > 0 || this.#openLine) return;
    this.#painted = performance.now();
    const { rows } = this.#terminal.size();
    const text = this.#view?.live().slice(-Math.max(1, rows - OTHER_ROWS)) ?? [];
    const status = spinner({ status: this.#status, facts: this.#facts, ms: this.#painted - this.#since }, this.width);
    const typed = this.#terminal.typed?.();
    const waiting = (typed?.waiting ?? []).map((line): Line => [{ text: `  next: ${line}`, styles: ['dim'] }]);
    const input: Line[] = typed === undefined ? [] : [[{ text: `> ${this.#shownInput(typed)}` }]];
    const lines = [...text, status, ...waiting.slice(-3), ...input].map((line) => this.#painter(clipLine(line, this.width)));
    const before = typed === undefined ? undefined : `> ${this.#shownInput({ ...typed, text: typed.text.slice(0, typed.cursor) })}`;
    this.#area.paint(lasting, lines, before === undefined ? undefined : Math.min(textWidth(before), this.width));
  }

  /** The end of a long input: there it grows. */
  #shownInput({ text }: Pick<TypedLine, 'text'>): string {
    const room = this.width - 4;
    return textWidth(text) <= room ? text : `…${text.slice(-Math.floor(room / 2))}`;
  }
}
