import { foldedLine } from '../meaning/install-sentences.ts';
import { count } from '../text/amounts.ts';
import { withoutGitData } from './repository-changes.ts';
import { changeLine, effectNotes, type EffectChange, type ShownEffect } from './show-effect.ts';

/** Maximum number of changes in a line. */
const MAX_LISTED = 20;
/** Maximum number of changes of one kind in one folder that are named one by one. */
const MAX_OF_FOLDER = 4;
/** Maximum number of new commits of one reference that are named. */
const MAX_COMMITS = 3;

/** An effect in one line. */
export interface EffectLine {
  readonly text: string;
  /** Number of changes: of files, and of branches and tags in place of the files in which git has them. */
  readonly changed: number;
}

/** A part of the line, and how many changes it is about. */
interface Part {
  readonly text: string;
  readonly count: number;
}

/** Lists changes. Many of one kind in one folder are one part, so that the line has room for each folder. */
function listed(changes: readonly EffectChange[]): Part[] {
  const groups = Map.groupBy(changes, ({ kind, path, from, note }, index) =>
    from === undefined && note === undefined ? `${kind} ${path.slice(0, path.lastIndexOf('/') + 1)}` : index,
  );
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined || group.length <= MAX_OF_FOLDER) return group.map((change) => ({ text: changeLine(change), count: 1 }));
    const folder = first.path.slice(0, first.path.lastIndexOf('/') + 1);
    const path = `${count(group.length, 'entry', 'entries')} of ${folder === '' ? './' : folder}`;
    return [{ text: changeLine({ kind: first.kind, path }), count: group.length }];
  });
}

const COMMIT = /^ {2}[\da-f]{7} /u;

/** Lines about references, each with the commits that are indented below it. */
function movesIn(lines: readonly string[]): string[] {
  const moves: Array<{ readonly line: string; readonly commits: string[]; hasMore: boolean }> = [];
  for (const line of lines) {
    const last = moves.at(-1);
    if (last === undefined || !line.startsWith(' ')) moves.push({ line, commits: [], hasMore: false });
    else if (COMMIT.test(line)) last.commits.push(line.trim());
    else last.hasMore = true;
  }
  return moves.map(({ line, commits, hasMore }) => {
    if (commits.length === 0) return line;
    const named = `${commits.slice(0, MAX_COMMITS).join(', ')}${hasMore || commits.length > MAX_COMMITS ? ', …' : ''}`;
    return `${line}, ${hasMore ? 'more than ' : ''}${count(commits.length, 'commit')}: ${named}`;
  });
}

/** Describes an effect in one line. */
export function effectLine(effect: ShownEffect): EffectLine {
  const { changes, repositories: data } = withoutGitData({ changes: effect.changes, repositories: [] });
  const moves = movesIn(effect.repositories ?? []);
  // The files in which git has them say nothing more.
  const git = moves.length > 0 ? moves : data;
  const parts: Part[] = [
    ...listed(changes),
    ...git.map((text) => ({ text, count: 1 })),
    ...(effect.folded ?? []).map((folder) => ({ text: foldedLine(folder), count: folder.files })),
  ];
  const amount = (some: readonly Part[]): number => some.reduce((sum, part) => sum + part.count, effect.more);
  const notes = effectNotes({ ...effect, more: amount(parts.slice(MAX_LISTED)) });
  return { text: [...parts.slice(0, MAX_LISTED).map(({ text }) => text), ...notes].join(', '), changed: amount(parts) };
}
