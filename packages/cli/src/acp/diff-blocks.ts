import type { Diff, ToolCallLocation } from '@agentclientprotocol/sdk';
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

/** The changes of a call for an editor. */
export interface ChangeBlocks {
  readonly diffs: readonly Diff[];
  readonly locations: ToolCallLocation[];
  /** What no diff shows, one line each. */
  readonly notes: readonly string[];
}

interface Hunk {
  readonly oldText: string;
  readonly newText: string;
  /** The first changed line of the new text, from 1. */
  readonly line: number;
}

const HEADER = /^@@ -\d+(?:,\d+)? \+(?<start>\d+)(?:,\d+)? @@/u;
const NO_LINE_END = '\\';

/** The hunks of a unified diff, each as the text before and after. */
function hunksOf(diff: string): Hunk[] {
  const hunks: { before: string[]; after: string[]; start: number; first: number | undefined; oldEnds: boolean; newEnds: boolean }[] = [];
  let last = '';
  // The last element is the empty text after the last line end.
  for (const line of diff.split('\n').slice(0, diff.endsWith('\n') ? -1 : undefined)) {
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

/**
 * The changes of a call as old and new texts, one block for each changed part of a file.
 *
 * @param root the folder that the paths are relative to: editors expect absolute ones
 */
export function changeBlocks(changes: readonly FileChange[], root: string): ChangeBlocks {
  const diffs: Diff[] = [];
  const locations: ToolCallLocation[] = [];
  const notes: string[] = [];
  let room = MAX_DIFFS;
  for (const { kind, path, from, diff, note } of changes) {
    const whole = resolve(root, path);
    const hunks = diff === undefined || diff.length > room || diffs.length >= MAX_BLOCKS ? [] : hunksOf(diff);
    room -= hunks.length === 0 ? 0 : (diff?.length ?? 0);
    for (const { oldText, newText } of hunks) diffs.push({ path: whole, oldText: kind === 'created' ? null : oldText, newText });
    if (kind !== 'deleted') locations.push({ path: whole, ...(hunks[0] === undefined ? {} : { line: hunks[0].line }) });
    if (hunks.length === 0 || from !== undefined || note !== undefined)
      notes.push(`${VERBS[kind]} ${from === undefined ? '' : `${from} → `}${path}${note === undefined ? '' : ` (${note})`}`);
  }
  return { diffs: diffs.slice(0, MAX_BLOCKS), locations: locations.slice(0, MAX_BLOCKS), notes };
}
