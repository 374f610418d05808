/** Control sequences of ECMA-48 and xterm. Terminals that do not know synchronized output ignore it. */
const SYNC_BEGIN = '\u001b[?2026h';
const SYNC_END = '\u001b[?2026l';
/** Without automatic wrapping, a line takes one row even if its width was measured wrongly. */
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';
const ERASE_BELOW = '\u001b[J';
const ERASE_LINE = '\u001b[2K';

const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : '');
const right = (cells: number): string => (cells > 0 ? `\u001b[${cells}C` : '');

/** The last rows of a terminal, which are painted again and again, below lines that stay. Each change is one write. */
export class LiveArea {
  readonly #write: (text: string) => void;
  #painted: readonly string[] = [];

  /** @param write to the terminal */
  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  get isEmpty(): boolean {
    return this.#painted.length === 0;
  }

  /**
   * Adds lines that stay, and paints the area below them.
   *
   * @param lasting painted lines
   * @param lines painted lines, each at most as wide as the terminal
   * @param cursor cells before the cursor in the last line
   */
  paint(lasting: readonly string[], lines: readonly string[], cursor?: number): void {
    const changed = lines.flatMap((line, row) => (line === this.#painted[row] ? [] : [row]));
    const atCursor = cursor === undefined ? '' : `\r${right(cursor)}`;
    if (lasting.length === 0 && lines.length === this.#painted.length) {
      if (lines.length === 0) return;
      const rows = changed.map((row) => {
        const above = lines.length - 1 - row;
        return `${up(above)}\r${ERASE_LINE}${lines[row]}${above > 0 ? `\u001b[${above}B` : ''}`;
      });
      this.#write(`${SYNC_BEGIN}${NO_WRAP}${rows.join('')}${WRAP}${atCursor}${SYNC_END}`);
    } else {
      const stays = lasting.map((line) => `${line}\n`).join('');
      this.#write(`${SYNC_BEGIN}${this.#top()}${ERASE_BELOW}${stays}${NO_WRAP}${lines.join('\n')}${WRAP}${atCursor}${SYNC_END}`);
    }
    this.#painted = [...lines];
  }

  /** Erases the area. The cursor stands where it began. */
  clear(): void {
    if (this.isEmpty) return;
    this.#write(`${this.#top()}${ERASE_BELOW}`);
    this.#painted = [];
  }

  #top(): string {
    return this.isEmpty ? '' : `${up(this.#painted.length - 1)}\r`;
  }
}
