import { lstatSync } from 'node:fs';
import { assertChangeable, type FileChange } from './change.ts';
import type { PinnedDirectory } from '../confinement.ts';
import { namesIn } from '../list-entries.ts';
import { assertMovable } from './move-entry.ts';
import type { Target } from '../target.ts';
import { displayPath } from '../byte-name.ts';
import type { Capture } from './capture.ts';
import { inodeOf, storePath, type Step } from './step.ts';

/** Mode bits that a change keeps; set-id bits are dropped. */
const KEPT_MODE = 0o777;

/** Returns the steps for the missing parent folders of a target. */
function missingFolders({ ancestor, missing }: Target): Step[] {
  return missing.map((_, index) => ({
    kind: 'set',
    path: storePath([...ancestor.location, ...missing.slice(0, index + 1)]),
    before: null,
    after: { type: 'folder', mode: null },
  }));
}

/** Plans writing and deleting files. */
export function planChanges(changes: readonly FileChange[], capture: Capture): Step[] {
  const folders = new Map<string, Step>();
  const files: Step[] = [];
  for (const change of changes) {
    const { target } = change;
    const { stat, name, ancestor } = target;
    assertChangeable(change);
    const before = stat === undefined ? null : capture.image(ancestor, name, stat);
    if (change.kind === 'delete') {
      files.push({ kind: 'set', path: storePath(target.location), before, after: null });
      continue;
    }
    for (const folder of missingFolders(target)) folders.set(JSON.stringify(folder), folder);
    const mode = change.mode ?? (stat === undefined ? null : Number(stat.mode));
    const after = capture.future(change.bytes, mode === null ? null : mode & KEPT_MODE);
    files.push({ kind: 'set', path: storePath(target.location), before, after });
  }
  return [...folders.values(), ...files];
}

/** Plans creating a folder. */
export function planFolder(target: Target): Step[] {
  return missingFolders({ ...target, missing: [...target.missing, target.name] });
}

/** Plans deleting one file or link. */
export function planDeletion(target: Target, capture: Capture): Step[] {
  return [{ kind: 'set', path: storePath(target.location), before: capture.image(target.ancestor, target.name, target.stat), after: null }];
}

/** Plans deleting a folder, its contents first. */
export function planTreeDeletion(target: Target, directory: PinnedDirectory, recursive: boolean, capture: Capture, signal: AbortSignal): Step[] {
  const steps: Step[] = [];
  let entries = 0;
  const walk = (folder: PinnedDirectory): void => {
    for (const name of namesIn(folder)) {
      signal.throwIfAborted();
      entries += 1;
      if (entries > capture.maxSteps) continue;
      const isFolder = lstatSync(folder.at(name), { throwIfNoEntry: false })?.isDirectory() === true;
      if (isFolder) {
        using child = folder.child(name);
        walk(child);
      }
      steps.push({ kind: 'set', path: storePath([...folder.location, name]), before: capture.image(folder, name), after: null });
    }
  };
  if (recursive) walk(directory);
  if (entries > capture.maxSteps) {
    capture.tooLarge.push({ path: displayPath(target.location), bytes: 0, limit: capture.maxSteps });
    steps.length = 0;
  }
  return [...steps, ...planDeletion(target, capture)];
}

/** Plans moving an entry. */
export function planMove(from: Target, to: Target): Step[] {
  assertMovable(from, to);
  const inode = from.stat === undefined ? '' : inodeOf(from.stat);
  return [...missingFolders(to), { kind: 'move', from: storePath(from.location), to: storePath(to.location), inode }];
}
