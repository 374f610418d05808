import { count } from '../text/amounts.ts';
import { shownName } from './quoted.ts';

/** One change, as far as a sentence needs it. */
export interface PlainChange {
  readonly kind: 'created' | 'changed' | 'deleted' | 'moved';
  readonly path: string;
  /** Number of files: more than one for a folder. */
  readonly files: number;
  /** A complete unified diff; undefined if there is none, or not all of it. */
  readonly diff?: string | undefined;
}

/** Maximum number of files that a sentence names. */
const MAX_NAMED = 3;
export const VERBS = { created: 'creates', changed: 'changes', moved: 'moves', deleted: 'deletes' } as const;
/** Number of changed files from which on a sentence says whether only their layout differs. */
const MANY = 3;

/** The lines that a diff adds and removes. */
function changedLines(diff: string): { readonly added: string[]; readonly removed: string[] } {
  const lines = diff.split('\n');
  // The two lines with the names of the files come first.
  const hunks = lines.slice(lines.findIndex((line) => line.startsWith('@@')));
  return {
    added: hunks.filter((line) => line.startsWith('+')).map((line) => line.slice(1)),
    removed: hunks.filter((line) => line.startsWith('-')).map((line) => line.slice(1)),
  };
}

/** Formatters also set these; an indentation that means something is white space too, so the sentence says no more than this. */
const LAYOUT = /[\s;,"'`]/gu;

function isLayout(diff: string): boolean {
  const { added, removed } = changedLines(diff);
  return added.join('').replace(LAYOUT, '') === removed.join('').replace(LAYOUT, '');
}

/** The deepest folder that contains all paths; empty for the workspace. */
function commonFolder(paths: readonly string[]): string {
  const [first = [], ...rest] = paths.map((path) => path.split('/').slice(0, -1));
  let depth = first.length;
  for (const names of rest) {
    let same = 0;
    while (same < depth && names[same] === first[same]) same += 1;
    depth = same;
  }
  return first.slice(0, depth).join('/');
}

/** `, +120 −90`; nothing if not all lines are known. */
function amounts(changes: readonly PlainChange[]): string {
  const diffs = changes.flatMap(({ diff }) => diff ?? []);
  if (diffs.length < changes.length) return '';
  let [added, removed] = [0, 0];
  for (const diff of diffs) {
    const lines = changedLines(diff);
    added += lines.added.length;
    removed += lines.removed.length;
  }
  return `, +${added.toLocaleString('en')} −${removed.toLocaleString('en')}`;
}

function ofKind(kind: PlainChange['kind'], changes: readonly PlainChange[]): string[] {
  if (changes.length === 0) return [];
  const files = changes.reduce((all, change) => all + change.files, 0);
  const paths = changes.map(({ path }) => path);
  if (paths.length <= MAX_NAMED && files <= MAX_NAMED)
    return [`${VERBS[kind]} ${paths.map(shownName).join(', ')}${kind === 'changed' ? amounts(changes) : ''}`];
  const folder = commonFolder(paths);
  const under = folder === '' ? '' : ` under ${shownName(folder)}`;
  if (kind !== 'changed') return [`${VERBS[kind]} ${count(files, 'file')}${under}`];
  const diffs = changes.flatMap(({ diff }) => diff ?? []);
  const isFormat = changes.length >= MANY && diffs.length === changes.length && diffs.every(isLayout);
  const said = isFormat ? `reformats ${count(files, 'file')}` : `changes ${count(files, 'file')}`;
  return [`${said}${under}${amounts(changes)}${isFormat ? ' (only white space, quotes and separators differ)' : ''}`];
}

/** Returns what changes of files mean, one sentence for each kind, deletions first. */
export function changeSentences(changes: readonly PlainChange[]): string[] {
  return (['deleted', 'changed', 'moved', 'created'] as const).flatMap((kind) =>
    ofKind(
      kind,
      changes.filter((change) => change.kind === kind),
    ),
  );
}
