import type { ChangedEntry } from '../danger/changed-view.ts';
import type { EntryType } from '../danger/tree-view.ts';
import { bytePath } from '../workspace/byte-path.ts';
import { judgeEntries, judgeMoved, withView, type ChangeJudgement } from '../workspace/judge-changes.ts';
import { loadPath, type Image, type Step } from './step.ts';

const TYPES: Readonly<Record<Image['type'], EntryType>> = { file: 'file', folder: 'folder', link: 'link', other: 'other' };

/** What stood there once is not read again: a file that would be orders to another program counts as unreadable. */
const entryOf = (image: Image | null): ChangedEntry | null => (image === null ? null : { type: TYPES[image.type] });

/** Judges steps one after the other, each on the tree that those before it make. */
export function judgeSteps(judgement: ChangeJudgement, steps: readonly Step[]): void {
  withView(judgement, (view) => {
    let tree = view;
    let entries = new Map<string, ChangedEntry | null>();
    const judgeSets = (): void => {
      if (entries.size > 0) tree = judgeEntries(tree, entries, judgement);
      entries = new Map();
    };
    for (const step of steps) {
      if (step.kind === 'set') entries.set(bytePath(loadPath(step.path)), entryOf(step.after));
      else {
        judgeSets();
        tree = judgeMoved(tree, bytePath(loadPath(step.from)), bytePath(loadPath(step.to)), judgement);
      }
    }
    judgeSets();
  });
}
