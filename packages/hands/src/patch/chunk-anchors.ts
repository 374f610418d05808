import { indentOf, TIERS } from '../edit/tiers.ts';
import type { Search } from './chunk-search.ts';

/** Returns possible lines of the last anchor. For each match of the first anchor, the others are searched after it, in order. */
export function anchorLines({ finder, chunk }: Search, from: number): number[] {
  const [first, ...others] = chunk.anchors;
  if (first === undefined) return [];
  const places = (anchor: string, start: number): number[] => {
    for (const tier of TIERS) {
      const found = finder.find([anchor], tier, start);
      if (found.length > 0) return found;
    }
    return [];
  };
  let lines = places(first, from);
  for (const anchor of others) {
    const all = places(anchor, (lines[0] ?? 0) + 1);
    // Both lists ascend, so one pass finds the first match after each line.
    let index = 0;
    lines = lines.flatMap((line) => {
      while (index < all.length && (all[index] ?? 0) <= line) index += 1;
      const next = all[index];
      return next === undefined ? [] : [next];
    });
    lines = [...new Set(lines)];
  }
  return lines;
}

/** Cost of looking at a line, relative to comparing two numbers. */
const LINE_COST = 40;

/** Returns the line behind the block that a line begins: the next one that is no further in, and does not only close a bracket. */
function endOfBlock({ file: { lines }, finder }: Search, anchor: number): number {
  const indent = indentOf(lines.text(anchor)).length;
  for (let line = anchor + 1; line < lines.count; line += 1) {
    finder.spend(LINE_COST);
    const text = lines.text(line);
    if (text.trim() !== '' && indentOf(text).length <= indent && !/^\s*(?:[)\]]|\{\s*$)/u.test(text)) return line;
  }
  return lines.count;
}

/**
 * Returns the matches that an anchor can mean: those in the block that it begins, if there are any, else those behind it. An
 * anchor that occurs several times means all of them.
 */
export function behindAnchors(search: Search, found: readonly number[], isBlankOnly: boolean): number[] {
  for (const from of [search.cursor, 0]) {
    const places: number[] = [];
    let behind = 0;
    // The first match that is no place yet. Anchors and matches ascend, so each match is taken once.
    let next = 0;
    for (const anchor of anchorLines(search, from)) {
      while ((found[behind] ?? anchor) < anchor) behind += 1;
      // Blank lines are everywhere: that one of them is in the block does not tell it from those behind.
      const end = found.length - behind > 1 && !isBlankOnly ? endOfBlock(search, anchor) : 0;
      next = Math.max(next, behind);
      const limit = (found[behind] ?? end) < end ? end : Infinity;
      while ((found[next] ?? limit) < limit) {
        places.push(found[next] ?? 0);
        next += 1;
      }
      if (next === found.length) break;
    }
    if (places.length > 0) return places;
  }
  return [];
}
