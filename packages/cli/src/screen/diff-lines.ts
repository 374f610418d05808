import { count } from '@synapse/hands/internal';
import type { Line } from '../output/styled-line.ts';
import { diffStyle } from '../markdown/code-lines.ts';
import { withoutTabs } from '../markdown/wrap-spans.ts';
import { clipLine } from './clip-line.ts';

/** A change of a file, as hands report it. */
export interface ShownDiff {
  readonly kind: 'created' | 'changed' | 'deleted' | 'moved';
  readonly path: string;
  readonly from?: string;
  /** A unified diff. */
  readonly diff?: string;
  readonly note?: string;
}

/** Lines of a call's diffs that are shown: more pushes what the model says out of sight. */
const MAX_LINES = 40;
/** Files of a call that are named. */
export const MAX_FILES = 12;

const VERBS: Record<ShownDiff['kind'], string> = { created: 'Created', changed: 'Changed', deleted: 'Deleted', moved: 'Moved' };

/** The lines from the first hunk on: the heading names the file already. */
function hunks(diff: string): string[] {
  const lines = diff.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const first = lines.findIndex((line) => line.startsWith('@@'));
  return first === -1 ? lines : lines.slice(first);
}

/** Shows what a call changed: for each file a heading and its diff, up to a number of lines for all of them. */
export function diffLines(changes: readonly ShownDiff[], width: number, most = MAX_LINES): Line[] {
  let room = most;
  let hidden = 0;
  const shown = changes.slice(0, MAX_FILES).flatMap(({ kind, path, from, diff, note }): Line[] => {
    const name = from === undefined ? path : `${from} → ${path}`;
    const all = diff === undefined ? [] : hunks(diff);
    const lines = all.slice(0, Math.max(0, room));
    room -= lines.length;
    hidden += all.length - lines.length;
    return [
      clipLine(
        [
          { text: `  ${VERBS[kind]} ${name}`, styles: ['bold'] },
          { text: note === undefined ? '' : ` (${note})`, styles: ['dim'] },
        ],
        width,
      ),
      ...lines.map((line) => clipLine([{ text: '  ' }, { text: withoutTabs(line), styles: diffStyle(line) }], width)),
    ];
  });
  const files = changes.length - MAX_FILES;
  const more = [...(hidden > 0 ? [count(hidden, 'more line')] : []), ...(files > 0 ? [count(files, 'more file')] : [])];
  return more.length === 0 ? shown : [...shown, [{ text: `  … ${more.join(', ')}`, styles: ['dim'] }]];
}
