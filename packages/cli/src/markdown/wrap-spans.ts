import { visibleSpan, type Line, type Span } from '../output/styled-line.ts';
import { textWidth, visibleCharacters } from '../output/text-width.ts';

/** A part of a line that is never broken. */
interface Atom {
  readonly span: Span;
  readonly width: number;
  readonly isSpace: boolean;
  /** Whether a line may end before it. */
  readonly breaks: boolean;
}

/** Characters that stand at the end of a word or sentence, so that no line begins with one. */
const CLOSING = /^[\p{Pe}\p{Pf}\p{Po}ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u;
const OPENING = /[\p{Ps}\p{Pi}]$/u;

/** Splits text without spaces where a line may end: between wide characters, as in Chinese and Japanese. */
function* pieces(text: string): Generator<{ text: string; breaks: boolean }> {
  let word = '';
  let breaks = false;
  let before = '';
  let isBeforeWide = false;
  for (const character of visibleCharacters(text)) {
    const isWide = textWidth(character) > 1;
    if (before !== '' && (isWide || isBeforeWide) && !CLOSING.test(character) && !OPENING.test(before)) {
      yield { text: word, breaks };
      word = '';
      breaks = true;
    }
    word += character;
    before = character;
    isBeforeWide = isWide;
  }
  yield { text: word, breaks };
}

function atomsOf(spans: Line): Atom[] {
  const atoms: Atom[] = [];
  for (const given of spans) {
    const span = visibleSpan(given);
    for (const run of span.text.match(/\s+|\S+/gu) ?? []) {
      const isSpace = /^\s/u.test(run);
      if (isSpace) atoms.push({ span: { ...span, text: ' ' }, width: 1, isSpace, breaks: true });
      else {
        const isPlain = /^[ -~]*$/u.test(run);
        const parts = isPlain ? [{ text: run, breaks: false }] : pieces(run);
        for (const { text, breaks } of parts) atoms.push({ span: { ...span, text }, width: textWidth(text), isSpace: false, breaks });
      }
    }
  }
  return atoms;
}

/** Splits an atom that is wider than a line. */
function* chopped({ span, width, ...rest }: Atom, room: number): Generator<Atom> {
  if (width <= room) {
    yield { span, width, ...rest };
    return;
  }
  let text = '';
  let taken = 0;
  for (const character of visibleCharacters(span.text)) {
    const cells = textWidth(character);
    if (taken + cells > room && text !== '') {
      yield { span: { ...span, text }, width: taken, isSpace: false, breaks: true };
      text = '';
      taken = 0;
    }
    text += character;
    taken += cells;
  }
  yield { span: { ...span, text }, width: taken, isSpace: false, breaks: true };
}

/** Atoms that stay together, with the space before them. */
function* words(atoms: readonly Atom[]): Generator<readonly Atom[]> {
  let word: Atom[] = [];
  for (const atom of atoms) {
    if (word.length > 0 && (atom.isSpace !== word[0]?.isSpace || atom.breaks)) {
      yield word;
      word = [];
    }
    word.push(atom);
  }
  if (word.length > 0) yield word;
}

const widthOf = (atoms: readonly Atom[]): number => atoms.reduce((sum, { width }) => sum + width, 0);

function joined(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const span of spans) {
    const last = all.at(-1);
    if (last !== undefined && last.styles === span.styles && last.address === span.address)
      all[all.length - 1] = { ...last, text: last.text + span.text };
    else all.push(span);
  }
  return all;
}

/** Breaks spans into lines of a width. Spaces at the ends of lines are left out. */
export function wrapSpans(spans: Line, width: number): Line[] {
  const room = Math.max(2, width);
  const lines: Line[] = [];
  let line: Atom[] = [];
  let used = 0;
  const end = (): void => {
    while (line.at(-1)?.isSpace === true) line.pop();
    lines.push(joined(line.map(({ span }) => span)));
    line = [];
    used = 0;
  };
  for (const word of words(atomsOf(spans))) {
    const isSpace = word[0]?.isSpace === true;
    const wide = widthOf(word);
    if (isSpace && line.length === 0) continue;
    if (used + wide > room && line.length > 0 && !isSpace) end();
    for (const atom of wide > room ? word.flatMap((one) => [...chopped(one, room)]) : word) {
      if (used + atom.width > room && line.length > 0) {
        end();
        if (atom.isSpace) break;
      }
      line.push(atom);
      used += atom.width;
    }
  }
  if (line.length > 0 || lines.length === 0) end();
  return lines;
}

/** The spaces up to the next tab stop are counted from the beginning of the line. */
const TAB = 4;

/** Text with spaces for tabs. */
export function withoutTabs(text: string): string {
  let line = '';
  for (const part of text.split(/(\t)/u)) line += part === '\t' ? ' '.repeat(TAB - (textWidth(line) % TAB)) : part;
  return line;
}

/** Breaks a line of code, whose spaces count. */
export function wrapCode({ text, styles }: Span, width: number): Line[] {
  const span = visibleSpan({ text: withoutTabs(text), styles });
  const atom = { span, width: textWidth(span.text), isSpace: false, breaks: false };
  return Array.from(chopped(atom, Math.max(2, width)), (part) => [part.span]);
}
