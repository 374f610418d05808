import { count } from '../text/amounts.ts';
import type { Replacement } from './changed-part.ts';
import { aroundColumn, type Lines } from './lines.ts';
import { spliceText } from './text-file.ts';

const CONTEXT_LINES = 3;
/** Maximum number of lines. A diff confirms a change and does not repeat it. */
const MAX_DIFF_LINES = 80;

/** Whole lines of the old text and their replacement. Lines keep their line ends. */
interface Block {
  /** First line, from 0. */
  start: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

function splitLines(text: string): string[] {
  const lines = text.split(/(?<=\n)/u);
  return lines.length === 1 && lines[0] === '' ? [] : lines;
}

/** Removes equal lines at both ends. */
function trimmed(start: number, before: readonly string[], after: readonly string[]): Block {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head += 1;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1;
  return { start: start + head, removed: before.slice(head, before.length - tail), added: after.slice(head, after.length - tail) };
}

function* blocks(text: string, lines: Lines, replacements: readonly Replacement[]): Generator<Block> {
  let index = 0;
  while (index < replacements.length) {
    const first = lines.at(replacements[index]?.start ?? 0);
    const group: Replacement[] = [];
    let last = first;
    for (let next = replacements[index]; next !== undefined && (group.length === 0 || lines.at(next.start) <= last); next = replacements[index]) {
      group.push(next);
      last = Math.max(last, lines.at(next.end));
      index += 1;
    }
    const [from, to] = [lines.start(first), lines.start(last + 1)];
    const moved = group.map(({ start, end, text }) => ({ start: start - from, end: end - from, text }));
    const window = text.slice(from, to);
    const block = trimmed(first, splitLines(window), splitLines(spliceText(window, moved)));
    if (block.removed.length + block.added.length > 0) yield block;
  }
}

function shown(mark: string, line: string): string[] {
  const content = line.replace(/\r?\n$/u, '');
  const text = `${mark}${aroundColumn(content, 0)}`;
  return line.endsWith('\n') ? [text] : [text, '\\ No newline at end of file'];
}

/**
 * Formats the hunks of a unified diff from the replacements, without comparing the whole
 * texts. Cuts a long diff and states how many lines were left out.
 */
export function unifiedDiff(text: string, lines: Lines, replacements: readonly Replacement[]): string {
  const line = (number: number): string => text.slice(lines.start(number), lines.start(number + 1));
  const context = (from: number, to: number): string[] =>
    Array.from({ length: Math.max(0, to - from) }, (_, index) => shown(' ', line(from + index))).flat();
  const output: string[] = [];
  let hunk: Block[] = [];
  let shift = 0;
  let rest = 0;
  const flush = (): void => {
    const [first, last] = [hunk[0], hunk.at(-1)];
    if (first === undefined || last === undefined) return;
    const start = Math.max(0, first.start - CONTEXT_LINES);
    const end = Math.min(lines.count, last.start + last.removed.length + CONTEXT_LINES);
    const growth = hunk.reduce((sum, block) => sum + block.added.length - block.removed.length, 0);
    const body: string[] = [];
    let position = start;
    for (const { start: at, removed, added } of hunk) {
      body.push(...context(position, at), ...removed.flatMap((one) => shown('-', one)), ...added.flatMap((one) => shown('+', one)));
      position = at + removed.length;
    }
    body.push(...context(position, end));
    const range = (from: number, length: number): string => `${length === 0 ? from : from + 1},${length}`;
    output.push(`@@ -${range(start, end - start)} +${range(start + shift, end - start + growth)} @@`, ...body);
    shift += growth;
    hunk = [];
  };
  for (const block of blocks(text, lines, replacements)) {
    if (output.length + hunk.length > MAX_DIFF_LINES) {
      rest += block.removed.length + block.added.length;
      continue;
    }
    const previous = hunk.at(-1);
    if (previous !== undefined && block.start > previous.start + previous.removed.length + 2 * CONTEXT_LINES) flush();
    hunk.push(block);
  }
  flush();
  const cut = output.slice(0, MAX_DIFF_LINES);
  rest += output.length - cut.length;
  return `${cut.join('\n')}${rest > 0 ? `\n… ${count(rest, 'more line')} of the diff` : ''}`;
}

/**
 * The lines that an edit of several places brought, each with its number: they show a place that was not meant, in less than a diff.
 * Undefined if lines were only deleted somewhere, which a diff shows.
 */
export function newLines(text: string, lines: Lines, replacements: readonly Replacement[]): string | undefined {
  const output: string[] = [];
  let [shift, rest] = [0, 0];
  for (const { start, removed, added } of blocks(text, lines, replacements)) {
    if (added.length === 0) return undefined;
    for (const [index, line] of added.entries()) {
      if (output.length >= MAX_DIFF_LINES) rest += 1;
      else output.push(...shown(`${start + shift + index + 1}: `, line).slice(0, 1));
    }
    shift += added.length - removed.length;
  }
  return `${output.join('\n')}${rest > 0 ? `\n… ${count(rest, 'more changed line')}` : ''}`;
}

/** Maximum number of places to name. */
const MAX_PLACES = 8;

/** The lines that a change brought, as they are numbered now: `lines 3-5 and 9 changed, 2 lines after 12 deleted`. */
export function changedLines(text: string, lines: Lines, replacements: readonly Replacement[]): string {
  const changed: string[] = [];
  const deleted: string[] = [];
  let [shift, more] = [0, 0];
  for (const { start, removed, added } of blocks(text, lines, replacements)) {
    const first = start + shift + 1;
    const last = first + added.length - 1;
    shift += added.length - removed.length;
    if (changed.length + deleted.length >= MAX_PLACES) more += 1;
    else if (added.length === 0) deleted.push(`${count(removed.length, 'line')} after ${first - 1} deleted`);
    else changed.push(first === last ? String(first) : `${first}-${last}`);
  }
  const isOne = changed.length === 1 && !changed[0]?.includes('-');
  return [
    ...(changed.length === 0 ? [] : [`${isOne ? 'line' : 'lines'} ${changed.join(', ')} changed`]),
    ...deleted,
    ...(more === 0 ? [] : [count(more, 'more place')]),
  ].join(', ');
}
