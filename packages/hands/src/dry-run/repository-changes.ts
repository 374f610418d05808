import { isGitData } from '../danger/git-data.ts';
import { foldedLine } from '../meaning/install-sentences.ts';
import { count } from '../text/amounts.ts';
import type { EffectChange, ShownEffect } from './show-effect.ts';

/** Notes of ordinary files and folders. Any other note says something that a reader should see. */
const USUAL_NOTE = /^(?:a folder|binary\b[^;]*|[\d.]+[kMGT]?B, not kept(?: → [\d.]+[kMGT]?B, not kept)?)$/u;

/** Whether the note of a change says nothing that a reader should see. */
export const isUsualNote = (note: string): boolean => note === '' || USUAL_NOTE.test(note);

/** Whether a path is one of git's data, which commits, branches and tags describe better. */
export function isRepositoryData(path: string): boolean {
  const folded = path.toLowerCase();
  return isGitData(folded) && !folded.includes('.git/modules/');
}

const isData = ({ path, from, note = '' }: EffectChange): boolean => from === undefined && isRepositoryData(path) && isUsualNote(note);

/** An effect for readers: the changes that they should see, and what happened to repositories, one line each. */
export interface ReadableEffect<Change> {
  readonly changes: readonly Change[];
  /** What happened to repositories, then the folders whose content is only counted, one line each. */
  readonly repositories: readonly string[];
}

/** Replaces git's data by what happened to commits, branches and tags, if that is known. */
export function withoutGitData<Change extends EffectChange>({
  changes,
  repositories,
  folded = [],
}: Pick<ShownEffect, 'repositories' | 'folded'> & { readonly changes: readonly Change[] }): ReadableEffect<Change> {
  const counted = folded.map(foldedLine);
  if (repositories === undefined) return { changes, repositories: counted };
  const { data = [], shown = [] } = Object.groupBy(changes, (change) => (isData(change) ? 'data' : 'shown'));
  const files = data.filter(({ note }) => note !== 'a folder').length;
  const rest = files === 0 ? [] : [`git: ${count(files, 'file')} of its own data`];
  return { changes: shown, repositories: [...repositories, ...rest, ...counted] };
}
