import type { ToolCallLocation } from '@agentclientprotocol/sdk';
import { resolve } from 'node:path';

/** Maximum number of characters of the diffs of a call. Editors keep all updates of a session. */
const MAX_DIFFS = 100_000;
/** Maximum number of blocks of a call. */
const MAX_BLOCKS = 100;

/** The change of a file, as hands report it. */
export interface FileChange {
  readonly kind: 'created' | 'changed' | 'deleted' | 'moved';
  readonly path: string;
  readonly from?: string;
  /** A unified diff. */
  readonly diff?: string;
  readonly note?: string;
}

/** The change of a file for an editor. */
export interface ShownChange extends FileChange {
  /** Absolute paths. */
  readonly whole: string;
  readonly wholeFrom?: string;
  /** The changed parts; empty if the diff is too long. */
  readonly hunks: readonly Hunk[];
}

/** The changes of a call for an editor. */
export interface ShownChanges {
  readonly files: readonly ShownChange[];
  readonly locations: ToolCallLocation[];
  /** What no diff shows, one line each. */
  readonly notes: readonly string[];
}

/** A changed part of a file: the text before and after. */
export interface Hunk {
  readonly oldText: string;
  readonly newText: string;
  /** The first changed line of the new text, from 1. */
  readonly line: number;
}

const HEADER = /^@@ -\d+(?:,\d+)? \+(?<start>\d+)(?:,\d+)? @@/u;
const NO_LINE_END = '\\';

/** The hunks of a unified diff, as text. Its first two lines name the files: such a name may look like the start of a hunk. */
export function hunkLines(diff: string): string {
  const lines = diff.slice(diff.indexOf('\n', diff.indexOf('\n') + 1) + 1);
  return lines.startsWith('@@ ') ? lines : '';
}

/** The hunks of a unified diff. */
function hunksOf(diff: string): Hunk[] {
  const hunks: { before: string[]; after: string[]; start: number; first: number | undefined; oldEnds: boolean; newEnds: boolean }[] = [];
  let last = '';
  // The last element is the empty text after the last line end.
  for (const line of hunkLines(diff)
    .split('\n')
    .slice(0, diff.endsWith('\n') ? -1 : undefined)) {
    const start = HEADER.exec(line)?.groups?.['start'];
    if (start !== undefined) {
      hunks.push({ before: [], after: [], start: Math.max(1, Number(start)), first: undefined, oldEnds: true, newEnds: true });
      continue;
    }
    const hunk = hunks.at(-1);
    if (hunk === undefined) continue;
    const sign = line.charAt(0);
    if (sign === NO_LINE_END) {
      if (last !== '+') hunk.oldEnds = false;
      if (last !== '-') hunk.newEnds = false;
      continue;
    }
    if (sign === '+' || sign === '-') hunk.first ??= hunk.after.length;
    if (sign !== '+') hunk.before.push(line.slice(1));
    if (sign !== '-') hunk.after.push(line.slice(1));
    last = sign;
  }
  const joined = (lines: readonly string[], ends: boolean): string => lines.join('\n') + (ends && lines.length > 0 ? '\n' : '');
  return hunks.map(({ before, after, start, first = 0, oldEnds, newEnds }) => ({
    oldText: joined(before, oldEnds),
    newText: joined(after, newEnds),
    line: start + first,
  }));
}

const VERBS: Record<FileChange['kind'], string> = { created: 'Created', changed: 'Changed', deleted: 'Deleted', moved: 'Moved' };

const noteText = ({ kind, path, from, note }: FileChange): string =>
  `${VERBS[kind]} ${from === undefined ? '' : `${from} → `}${path}${note === undefined ? '' : ` (${note})`}`;

/**
 * The changes of a call, bounded.
 *
 * @param root the folder that the paths are relative to: editors expect absolute ones
 */
export function shownChanges(changes: readonly FileChange[], root: string): ShownChanges {
  const files: ShownChange[] = [];
  const locations: ToolCallLocation[] = [];
  const notes: string[] = [];
  let room = MAX_DIFFS;
  let parts = 0;
  for (const change of changes) {
    const { kind, path, from, diff, note } = change;
    const whole = resolve(root, path);
    const all = diff === undefined || diff.length > room || parts >= MAX_BLOCKS ? [] : hunksOf(diff);
    room -= all.length === 0 ? 0 : (diff?.length ?? 0);
    const hunks = all.slice(0, MAX_BLOCKS - parts);
    parts += hunks.length;
    if (files.length < MAX_BLOCKS) files.push({ ...change, whole, hunks, ...(from === undefined ? {} : { wholeFrom: resolve(root, from) }) });
    if (kind !== 'deleted') locations.push({ path: whole, ...(hunks[0] === undefined ? {} : { line: hunks[0].line }) });
    if (hunks.length === 0 || from !== undefined || note !== undefined) notes.push(noteText(change));
  }
  return { files, locations: locations.slice(0, MAX_BLOCKS), notes };
}
