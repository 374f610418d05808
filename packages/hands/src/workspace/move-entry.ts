import { linkSync, renameSync, unlinkSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { displayPath } from './byte-name.ts';
import { errnoOf } from './file-error.ts';
import { ensureParent, type Target } from './target.ts';

function taken(target: Target): SynapseError {
  return new SynapseError('already_exists', `${displayPath(target.location)} exists already; nothing was moved.`, {
    hint: 'Choose another name, or delete what is there first.',
  });
}

/** Refuses what is known before a move. */
export function assertMovable(from: Target, to: Target): void {
  if (from.stat === undefined) throw Object.assign(new Error('missing'), { code: 'ENOENT' });
  if (to.stat !== undefined) throw taken(to);
  const inside = from.location.every((name, index) => name.toString() === to.location[index]?.toString());
  if (from.stat.isDirectory() && inside) {
    throw new SynapseError('invalid_arguments', `${displayPath(from.location)} cannot be moved into itself.`);
  }
}

/** Moves an entry; a link is moved as the link it is. Never replaces anything. */
export function moveEntry(from: Target, to: Target): void {
  assertMovable(from, to);
  using parent = ensureParent(to);
  const source = from.ancestor.at(from.name);
  const place = parent.at(to.name);
  if (from.stat?.isDirectory() === true) {
    // rename replaces at most an empty folder that appeared this instant.
    renameSync(source, place);
    return;
  }
  try {
    // A hard link fails where the name is taken, atomically; rename would replace.
    linkSync(source, place);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw taken(to);
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error) ?? '')) throw error;
    renameSync(source, place);
    return;
  }
  unlinkSync(source);
}
