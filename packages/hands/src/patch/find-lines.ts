import { SynapseError } from '@synapse/protocol';
import type { Lines } from '../edit/lines.ts';
import { depthOf, indentUnitOf } from '../edit/indent-unit.ts';
import { compareIndents, type Reindent } from '../edit/reindent.ts';
import { indentOf, LINE_KEY, type Tier } from '../edit/tiers.ts';

/** Lines that all hunks for one file may compare: about a second at worst. */
const MAX_COMPARED_LINES = 100_000_000;
/** Comparing the indentation of a line takes about so many times as long as comparing two numbers. */
const INDENT_COST = 40;

/** Finds lines in a row, tier by tier. */
export interface LineFinder {
  /** Where the lines occur at a tier, in order, from a line on. Lines count from 0. */
  find(wanted: readonly string[], tier: Tier, from: number): number[];
  /** Whether the lines are at a place exactly. */
  isAt(wanted: readonly string[], line: number): boolean;
  /** Whether the lines are at a place apart from their indentation. */
  isAlike(wanted: readonly string[], line: number): boolean;
  /** Whether lines are indented by levels as the file is; not where it is in no one way. */
  isIndented(added: readonly string[]): boolean;
  /** What turns the indentation of the wanted lines into that of the file, for a place found at the last tier. */
  reindentAt(wanted: readonly string[], line: number): Reindent | undefined;
}

/** Makes a finder for the lines of a text. Equal lines get equal numbers, so that comparing them is quick. */
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
  const compare = compareIndents(() => indentUnitOf(text));
  const reindentOf = (given: readonly string[], line: number): Reindent | undefined =>
    compare(given, (index) => {
      spend(INDENT_COST);
      return LINE_KEY.trailing_whitespace(lines.text(line + index));
    });
  return {
    reindentAt: (wanted, line) => reindentOf(wanted.map(LINE_KEY.trailing_whitespace), line),
    isAlike: (wanted, line) => wanted.every((text, index) => LINE_KEY.indentation(text) === LINE_KEY.indentation(lines.text(line + index))),
    isIndented(added) {
      const unit = indentUnitOf(text);
      return added.every((one) => {
        const indent = indentOf(one);
        // Blank lines have none, and those of a block comment stand one space further in.
        if (indent.length === one.length || one[indent.length] === '*') return true;
        return unit !== undefined && depthOf(indent, unit)?.rest === 0;
      });
    },
    isAt: (wanted, line) => line >= 0 && line + wanted.length <= lines.count && wanted.every((text, index) => text === lines.text(line + index)),
    find(wanted, tier, from) {
      const { numbers, keys } = indexOf(tier);
      const pattern = wanted.map((line) => numbers.get(LINE_KEY[tier](line)) ?? -1);
      const found: number[] = [];
      // Blank lines alone would be found nearly everywhere once they are taken loosely.
      if (pattern.includes(-1) || (tier !== 'exact' && wanted.every((line) => line.trim() === ''))) return found;
      const given = tier === 'indentation' ? wanted.map(LINE_KEY.trailing_whitespace) : [];
      for (let start = from; start + pattern.length <= keys.length; start += 1) {
        let length = 0;
        while (length < pattern.length && keys[start + length] === pattern[length]) length += 1;
        spend(length + 1);
        if (length === pattern.length && (tier !== 'indentation' || reindentOf(given, start) !== undefined)) found.push(start);
      }
      return found;
    },
  };
}
