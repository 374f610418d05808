/** Which of two places is meant where a view left something out between them. */
export type Side = 'before' | 'after';

/** A piece of a text that reads otherwise in a view. */
export interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * A text as it looks after some normalisation, with the way back to the places it was made from. What
 * is found in a view can so be changed in the source, and nothing else.
 */
export interface View {
  readonly text: string;
  /** The place in the source; undefined within a piece that has no inner places. */
  toSource(position: number, side: Side): number | undefined;
  /** The place in the view; of a changed piece its beginning (`before`) or end (`after`). */
  fromSource(position: number, side: Side): number;
}

/** The text as it is. */
export function identityView(text: string): View {
  return { text, toSource: (position) => position, fromSource: (position) => position };
}

/** Index of the last of the ascending numbers that is at most `limit`; -1 where none is. */
function lastAtMost(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Ends of pieces, by number: where the source and the view go apart. */
interface Pieces {
  readonly sourceStart: number[];
  readonly sourceEnd: number[];
  readonly viewStart: number[];
  readonly viewEnd: number[];
}

function toSource(pieces: Pieces, position: number, side: Side): number | undefined {
  if (side === 'after') {
    const index = lastAtMost(pieces.viewStart, position);
    const end = pieces.viewEnd[index] ?? 0;
    if (index === -1 || position >= end) return (pieces.sourceEnd[index] ?? 0) + position - end;
    return position === pieces.viewStart[index] ? pieces.sourceStart[index] : undefined;
  }
  const index = lastAtMost(pieces.viewEnd, position - 1) + 1;
  const start = pieces.viewStart[index];
  if (start === undefined) return (pieces.sourceEnd[index - 1] ?? 0) + position - (pieces.viewEnd[index - 1] ?? 0);
  if (position <= start) return (pieces.sourceStart[index] ?? 0) + position - start;
  return position === pieces.viewEnd[index] ? pieces.sourceEnd[index] : undefined;
}

function fromSource(pieces: Pieces, position: number, side: Side): number {
  const index = lastAtMost(pieces.sourceStart, side === 'before' ? position : position - 1);
  const end = pieces.sourceEnd[index] ?? 0;
  if (index === -1 || position >= end) return (pieces.viewEnd[index] ?? 0) + position - end;
  return (side === 'before' ? pieces.viewStart[index] : pieces.viewEnd[index]) ?? position;
}

/** A view of a view. Gives back the view itself where nothing changes. */
export function rewrite(base: View, changes: Iterable<Change>): View {
  const pieces: Pieces = { sourceStart: [], sourceEnd: [], viewStart: [], viewEnd: [] };
  const texts: string[] = [];
  let done = 0;
  let length = 0;
  for (const { start, end, text } of changes) {
    texts.push(base.text.slice(done, start), text);
    length += start - done;
    // A replacement of the same length moves nothing.
    if (text.length !== end - start) {
      pieces.sourceStart.push(start);
      pieces.sourceEnd.push(end);
      pieces.viewStart.push(length);
      pieces.viewEnd.push(length + text.length);
    }
    length += text.length;
    done = end;
  }
  if (texts.length === 0) return base;
  texts.push(base.text.slice(done));
  return {
    text: texts.join(''),
    toSource(position, side) {
      const inner = toSource(pieces, position, side);
      return inner === undefined ? undefined : base.toSource(inner, side);
    },
    fromSource: (position, side) => fromSource(pieces, base.fromSource(position, side), side),
  };
}
