import { SynapseError } from '@synapse/protocol';
import type { Lines } from '../edit/lines.ts';
import { uniformShift, type Shift } from '../edit/shift.ts';
import { LINE_KEY, type Tier } from '../edit/tiers.ts';

/** Lines that all hunks for one file may compare: about a second at worst. */
const MAX_COMPARED_LINES = 100_000_000;
/** Comparing the indentation of a line takes about so many times as long as comparing two numbers. */
const SHIFT_COST = 20;

/** Finds lines in a row, tier by tier. */
export interface LineFinder {
  /** Where the lines occur at a tier, in order, from a line on. Lines count from 0. */
  find(wanted: readonly string[], tier: Tier, from: number): number[];
  /** Whether the lines are at a place exactly. */
  isAt(wanted: readonly string[], line: number): boolean;
  /** What turns the indentation of the wanted lines into that of the file, for a place found at the last tier. */
  shiftAt(wanted: readonly string[], line: number): Shift | undefined;
}

/** Makes a finder for the lines of a file. Equal lines get equal numbers, so that comparing them is quick. */
export function createLineFinder(lines: Lines): LineFinder {
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
  const shiftOf = (given: readonly string[], line: number): Shift | undefined =>
    uniformShift(given, (index) => {
      spend(SHIFT_COST);
      return LINE_KEY.trailing_whitespace(lines.text(line + index));
    });
  return {
    shiftAt: (wanted, line) => shiftOf(wanted.map(LINE_KEY.trailing_whitespace), line),
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
        if (length === pattern.length && (tier !== 'indentation' || shiftOf(given, start) !== undefined)) found.push(start);
      }
      return found;
    },
  };
}
