import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { cells } from '../output/columns.ts';
import type { Output, Style } from '../output/output.ts';

/** A piece of text in one style. */
interface Piece {
  readonly text: string;
  readonly style?: Style | undefined;
  /** A file of the project, perhaps with a line. */
  readonly place?: string | undefined;
}

/** The maximum line width: longer lines are hard to read. */
const WIDEST = 100;
const CODE = /(`+)( ?)(.+?)\2\1(?!`)/gu;
/** The source reference at the end of a statement. */
const EVIDENCE = / \((`[^()]*`|`+ .* `+)\)$/u;
const PLACE = /^(?:[\w.@-]+\/)*[\w.@-]+\.[\w.-]+(?::\d+)?$/u;

const width = (text: string): number => Array.from(text).reduce((sum, character) => sum + cells(character), 0);

function pieces(text: string, style: Style | undefined, code: Style | undefined): Piece[] {
  const found: Piece[] = [];
  let end = 0;
  for (const match of text.matchAll(CODE)) {
    if (match.index > end) found.push({ text: text.slice(end, match.index), style });
    const inner = match[3] ?? '';
    found.push({ text: inner, style: code, place: PLACE.test(inner) ? inner : undefined });
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ text: text.slice(end), style });
  return found;
}

/** A word with the space after it. A word such as `code`, has several styles but is not split. */
function words(all: readonly Piece[]): Piece[][] {
  const found: Piece[][] = [];
  for (const piece of all.flatMap((each) => each.text.split(/(?<=\s)(?=\S)/u).map((text) => ({ ...each, text })))) {
    const last = found.at(-1);
    if (last === undefined || /\s$/u.test(last.at(-1)?.text ?? '')) found.push([piece]);
    else last.push(piece);
  }
  return found;
}

/** Renders Markdown on a terminal: bold headings, indented lists, colored code, linked files. */
export class ReportScreen {
  readonly #out: Output;
  readonly #folder: string;

  /** @param folder the base of the paths in the report */
  constructor(out: Output, folder: string) {
    this.#out = out;
    this.#folder = folder;
  }

  show(markdown: string): void {
    for (const line of markdown.trim().split('\n')) this.#line(line);
  }

  #line(line: string): void {
    const heading = /^#{1,6}\s+(.*)$/u.exec(line)?.[1];
    if (heading !== undefined) {
      this.#out.write(`${heading}\n`, 'bold');
      return;
    }
    const mark = /^(\s*(?:[-*]|\d+\.)\s+)(.*)$/u.exec(line);
    const [, lead = '', text = line] = mark ?? [];
    const evidence = mark === null ? null : EVIDENCE.exec(text);
    const said = evidence === null ? text : text.slice(0, evidence.index);
    const rest = evidence === null ? [] : [{ text: '  ', style: undefined }, ...pieces(evidence[1] ?? '', 'dim', 'dim')];
    this.#paragraph(lead.replace(/^(\s*)[-*]/u, '$1•'), [...pieces(said, undefined, 'cyan'), ...rest]);
  }

  #paragraph(lead: string, all: readonly Piece[]): void {
    const room = Math.min(this.#out.columns, WIDEST) - 1;
    const indent = Array.from(lead).length;
    this.#out.write(lead);
    let at = indent;
    for (const word of words(all)) {
      const text = word.map((piece) => piece.text).join('');
      const fits = at + width(text.trimEnd()) <= room;
      if (!fits && at > indent) {
        this.#out.write(`\n${' '.repeat(indent)}`);
        at = indent;
      }
      if (!fits && text.trim() === '') continue;
      for (const piece of word) this.#piece(piece);
      at += width(text);
    }
    this.#out.write('\n');
  }

  #piece({ text, style, place }: Piece): void {
    const path = place?.replace(/:\d+$/u, '');
    // A URL cannot contain control characters: they are percent-encoded.
    this.#out.write(text, style, path === undefined ? undefined : pathToFileURL(join(this.#folder, path)).href);
  }
}
