import { SynapseError } from '@synapse/protocol';
import type { Lines } from '../edit/lines.ts';
import { fileStyle } from '../edit/file-style.ts';
import { depthOf } from '../edit/indent-unit.ts';
import { compareIndents, type Reindent } from '../edit/reindent.ts';
import { indentOf, LINE_KEY, type Tier } from '../edit/tiers.ts';

/** Maximum number of lines that all hunks for one file may compare: about a second at worst. */
const MAX_COMPARED_LINES = 100_000_000;
/** Cost of comparing the indentation of a line, relative to comparing two numbers. */
const INDENT_COST = 40;

/** Finds consecutive lines, tier by tier. */
export interface LineFinder {
  /** Finds the matches at a tier, in order, from a line on. Lines count from 0. */
  find(wanted: readonly string[], tier: Tier, from: number): number[];
  /** Finds the matches if indentation is ignored, whether or not the file's can be told from that of the lines. */
  findAlike(wanted: readonly string[]): number[];
  /** Counts work towards what all hunks for one file may take. Throws `too_large` when it is used up. */
  spend(amount: number): void;
  /** Whether the lines match exactly at a position. */
  isAt(wanted: readonly string[], line: number): boolean;
  /** Whether the lines match at a position if indentation is ignored. */
  isAlike(wanted: readonly string[], line: number): boolean;
  /** Whether the lines are indented in the file's unit. False if the file has no consistent unit. */
  isIndented(added: readonly string[]): boolean;
  /** Returns the change from the indentation of the wanted lines to that of the file, for a match at the last tier. */
  reindentAt(wanted: readonly string[], line: number): Reindent | undefined;
}

/** Creates a finder for the lines of a text. Equal lines get equal numbers, which makes comparisons fast. */
export function createLineFinder(text: string, lines: Lines): LineFinder {
  const indexes = new Map<Tier, { numbers: Map<string, number>; keys: Int32Array }>();
  let compared = 0;
  const indexOf = (tier: Tier): { numbers: Map<string, number>; keys: Int32Array } => {
    const known = indexes.get(tier);
    if (known !== undefined) return known;
    const numbers = new Map<string, number>();
    const keys = Int32Array.from({ length: lines.count }, (_, line) => {
      const key = LINE_KEY[tier](lines.text(line));
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    });
    const index = { numbers, keys };
    indexes.set(tier, index);
    return index;
  };
  const spend = (amount: number): void => {
    compared += amount;
    if (compared <= MAX_COMPARED_LINES) return;
    throw new SynapseError('too_large', 'The patch repeats itself too often to find its places; nothing was changed.', {
      hint: 'Send fewer hunks in one call, or replace the file with write_file.',
    });
  };
  const style = fileStyle(text);
  const compare = compareIndents(style);
  const reindentOf = (given: readonly string[], line: number): Reindent | undefined =>
    compare(given, (index) => {
      spend(INDENT_COST);
      return LINE_KEY.trailing_whitespace(lines.text(line + index));
    });
  const search = (wanted: readonly string[], tier: Tier, from: number, accept: (start: number) => boolean): number[] => {
    const { numbers, keys } = indexOf(tier);
    const pattern = wanted.map((line) => numbers.get(LINE_KEY[tier](line)) ?? -1);
    const found: number[] = [];
    // Blank lines alone would match nearly everywhere in the looser tiers.
    if (pattern.includes(-1) || (tier !== 'exact' && wanted.every((line) => line.trim() === ''))) return found;
    for (let start = from; start + pattern.length <= keys.length; start += 1) {
      let length = 0;
      while (length < pattern.length && keys[start + length] === pattern[length]) length += 1;
      spend(length + 1);
      if (length === pattern.length && accept(start)) found.push(start);
    }
    return found;
  };
  return {
    spend,
    reindentAt: (wanted, line) => reindentOf(wanted.map(LINE_KEY.trailing_whitespace), line),
    isAlike: (wanted, line) => wanted.every((text, index) => LINE_KEY.indentation(text) === LINE_KEY.indentation(lines.text(line + index))),
    isIndented(added) {
      const unit = style.unit();
      return added.every((one) => {
        const indent = indentOf(one);
        // Blank lines have no indentation, and lines of a block comment have one extra space: that of others of the file.
        if (indent.length === one.length) return true;
        if (one[indent.length] === '*') return style.hasIndentOf(one);
        return unit !== undefined && depthOf(indent, unit)?.rest === 0;
      });
    },
    isAt: (wanted, line) => line >= 0 && line + wanted.length <= lines.count && wanted.every((text, index) => text === lines.text(line + index)),
    find(wanted, tier, from) {
      const given = tier === 'indentation' ? wanted.map(LINE_KEY.trailing_whitespace) : [];
      return search(wanted, tier, from, (start) => tier !== 'indentation' || reindentOf(given, start) !== undefined);
    },
    findAlike: (wanted) => search(wanted, 'indentation', 0, () => true),
  };
}
