import type { Line } from '../output/styled-line.ts';
import type { TextView } from './text-view.ts';
import { wrapCode } from './wrap-spans.ts';

/** Characters of an unfinished line that are shown. */
const MAX_LIVE = 6_000;

/** Shows a text as it is, for terminals without colors: without colors, only its marks show what is a heading. */
export class PlainStream implements TextView {
  readonly #width: number;
  #line = '';

  /** @param width in cells */
  constructor(width: number) {
    this.#width = width;
  }

  push(text: string): Line[] {
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop() ?? '';
    return lines.flatMap((line) => this.#wrapped(line));
  }

  live(): Line[] {
    return this.#line === '' ? [] : this.#wrapped(this.#line.slice(-MAX_LIVE));
  }

  end(): Line[] {
    const rest = this.#line;
    this.#line = '';
    return rest === '' ? [] : this.#wrapped(rest);
  }

  #wrapped(line: string): Line[] {
    return wrapCode({ text: line.replace(/\r$/u, '') }, this.#width);
  }
}
