import { isGitData } from '../danger/git-data.ts';
import { count } from '../text/amounts.ts';
import type { EffectChange, ShownEffect } from './show-effect.ts';

/** Notes of ordinary files and folders. Any other note says something that a reader should see. */
const USUAL_NOTE = /^(?:a folder|binary\b[^;]*)$/u;

/** Whether a change is one of git's data, which its commits, branches and tags describe better. */
const isData = ({ path, from, note = '' }: EffectChange): boolean =>
  from === undefined && isGitData(path.toLowerCase()) && !/\.git\/modules\//u.test(path) && (note === '' || USUAL_NOTE.test(note));

/** An effect for readers: the changes that they should see, and what happened to repositories, one line each. */
export interface ReadableEffect {
  readonly changes: readonly EffectChange[];
  readonly repositories: readonly string[];
}

/** Replaces git's data by what happened to commits, branches and tags, if that is known. */
export function withoutGitData({ changes, repositories }: Pick<ShownEffect, 'changes' | 'repositories'>): ReadableEffect {
  if (repositories === undefined) return { changes, repositories: [] };
  const data = changes.filter(isData);
  const files = data.filter(({ note }) => note !== 'a folder').length;
  const rest = files === 0 ? [] : [`git: ${count(files, 'file')} of its own data`];
  return { changes: changes.filter((change) => !data.includes(change)), repositories: [...repositories, ...rest] };
}
