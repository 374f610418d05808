import { lstatSync, rmdirSync, unlinkSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { displayPath, type Name } from '../byte-name.ts';
import type { PinnedDirectory } from '../confinement.ts';
import { namesIn } from '../list-entries.ts';
import type { WorkspacePath } from '../workspace-path.ts';

/** Maximum depth. Each level holds a handle; deeper trees are rejected before anything is deleted. */
const MAX_DEPTH = 512;
/** Maximum number of entries. More should be deleted by the user. */
const MAX_ENTRIES = 200_000;

interface Walk {
  readonly signal: AbortSignal;
  readonly inspect: (path: WorkspacePath) => void;
  count: number;
}

/** Visits everything below a directory before any of it is deleted. */
function visit(directory: PinnedDirectory, depth: number, walk: Walk): void {
  walk.signal.throwIfAborted();
  if (depth > MAX_DEPTH) throw tooMuch(directory, `more than ${MAX_DEPTH} levels deep`);
  for (const name of namesIn(directory)) {
    walk.count += 1;
    if (walk.count > MAX_ENTRIES) throw tooMuch(directory, `more than ${MAX_ENTRIES} entries`);
    walk.inspect([...directory.location, name]);
    if (!isDirectory(directory, name)) continue;
    using child = directory.child(name);
    visit(child, depth + 1, walk);
  }
}

function tooMuch(directory: PinnedDirectory, why: string): SynapseError {
  return new SynapseError('too_large', `${displayPath(directory.location)} is ${why}; nothing was deleted.`, {
    hint: 'Delete parts of it one by one.',
  });
}

function isDirectory(directory: PinnedDirectory, name: Name): boolean {
  return lstatSync(directory.at(name), { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Deletes everything in a directory, entering folders by handle only. Links are deleted, never followed. */
export function deleteContents(directory: PinnedDirectory, signal: AbortSignal): void {
  signal.throwIfAborted();
  for (const name of namesIn(directory)) {
    if (isDirectory(directory, name)) {
      // child() rejects a link, so only the contents of this folder are deleted.
      using child = directory.child(name);
      deleteContents(child, signal);
      rmdirSync(directory.at(name));
    } else {
      unlinkSync(directory.at(name));
    }
  }
}

/**
 * Inspects everything that would be deleted with a directory.
 *
 * @param inspect throws for an entry that must not be deleted; called for all of them before the first deletion
 * @returns the number of entries
 */
export function surveyContents(directory: PinnedDirectory, inspect: (path: WorkspacePath) => void, signal: AbortSignal): number {
  const walk: Walk = { signal, inspect, count: 0 };
  visit(directory, 1, walk);
  return walk.count;
}
