import type { PlaceSide } from './branch-conflict.ts';
import { hunksOf, touch, type LineHunk } from './merge-lines.ts';

/** Lines around a place that all versions have. */
const CONTEXT = 3;

/** What three versions have in one place, with the lines around it. */
export interface ConflictPlace {
  /** Whether both sides changed it, in different ways. */
  readonly both: boolean;
  readonly before: readonly string[];
  readonly base: PlacedLines;
  readonly branch: PlacedLines;
  readonly workspace: PlacedLines;
  readonly after: readonly string[];
}

interface PlacedLines {
  /** The number of the first of them in its version, from 1. */
  readonly line: number;
  readonly lines: readonly string[];
}

/** Lines of the base, from `start` to before `end`, with what each side made of them. */
interface Group {
  readonly start: number;
  readonly end: number;
  readonly sides: readonly [branch: readonly LineHunk[], workspace: readonly LineHunk[]];
}

function groupsOf(sides: readonly (readonly LineHunk[])[]): Group[] {
  const all = sides.flatMap((hunks, side) => hunks.map((hunk) => ({ hunk, side }))).toSorted((one, other) => one.hunk.start - other.hunk.start);
  const groups: { start: number; end: number; sides: [LineHunk[], LineHunk[]] }[] = [];
  for (const { hunk, side } of all) {
    const last = groups.at(-1);
    const own = side === 0 ? 0 : 1;
    if (last !== undefined && touch({ ...last, lines: [] }, hunk)) {
      last.end = Math.max(last.end, hunk.end);
      last.sides[own].push(hunk);
    } else groups.push({ start: hunk.start, end: hunk.end, sides: own === 0 ? [[hunk], []] : [[], [hunk]] });
  }
  return groups;
}

/** What a side has in a group. */
function linesIn(base: readonly string[], { start, end }: Group, hunks: readonly LineHunk[]): string[] {
  const lines: string[] = [];
  let position = start;
  for (const hunk of hunks) {
    lines.push(...base.slice(position, hunk.start), ...hunk.lines);
    position = hunk.end;
  }
  return [...lines, ...base.slice(position, end)];
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((line, at) => line === other[at]);

/** The places in which one of two sides differs from a base; undefined if they differ too much to be compared. */
export function conflictPlaces(base: string[], branch: string[], workspace: string[]): ConflictPlace[] | undefined {
  const [mine, others] = [hunksOf(base, branch), hunksOf(base, workspace)];
  if (mine === undefined || others === undefined) return undefined;
  const groups = groupsOf([mine, others]);
  const shift = [0, 0];
  return groups.map((group, at) => {
    const { start, end, sides } = group;
    const [own, other] = sides.map((hunks) => linesIn(base, group, hunks));
    const [branchLines = [], workspaceLines = []] = [own, other];
    const [first = 0, second = 0] = shift;
    shift[0] = first + branchLines.length - (end - start);
    shift[1] = second + workspaceLines.length - (end - start);
    return {
      both: sides.every((hunks) => hunks.length > 0) && !isSame(branchLines, workspaceLines),
      before: base.slice(Math.max(groups[at - 1]?.end ?? 0, start - CONTEXT), start),
      base: { line: start + 1, lines: base.slice(start, end) },
      branch: { line: start + first + 1, lines: branchLines },
      workspace: { line: start + second + 1, lines: workspaceLines },
      after: base.slice(end, Math.min(groups[at + 1]?.start ?? base.length, end + CONTEXT)),
    };
  });
}

/** A line that is alone, whatever is before it. */
const alone = (lines: readonly string[]): string[] => lines.map((line) => (line.endsWith('\n') ? line : `${line}\n`));

/** The base with what one side changed, and other lines where both did. */
function joinPlaces(base: readonly string[], places: readonly ConflictPlace[], linesOfBoth: (place: ConflictPlace) => readonly string[]): string {
  const lines: string[] = [];
  let position = 0;
  for (const place of places) {
    const { both, base: old, branch, workspace } = place;
    lines.push(...base.slice(position, old.line - 1));
    position = old.line - 1 + old.lines.length;
    lines.push(...(both ? linesOfBoth(place) : isSame(branch.lines, old.lines) ? workspace.lines : branch.lines));
  }
  return [...lines, ...base.slice(position)].join('');
}

/** The base with what one side changed, and marks with all three versions where both did, as git writes them. */
export function markConflicts(base: readonly string[], places: readonly ConflictPlace[]): string {
  return joinPlaces(base, places, ({ base: old, branch, workspace }) => [
    '<<<<<<< workspace\n',
    ...alone(workspace.lines),
    '||||||| base\n',
    ...alone(old.lines),
    '=======\n',
    ...alone(branch.lines),
    '>>>>>>> branch\n',
  ]);
}

/** The base with what each side changed alone, and a side of each place that both changed, in order. */
export function mergePlaces(base: readonly string[], places: readonly ConflictPlace[], sides: readonly PlaceSide[]): string {
  const rest = sides.values();
  return joinPlaces(base, places, ({ branch, workspace }) => {
    const side = rest.next().value ?? 'both';
    return side === 'both' ? [...alone(workspace.lines), ...branch.lines] : { branch, workspace }[side].lines;
  });
}
