import { linkSync, renameSync, unlinkSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { displayPath } from '../byte-name.ts';
import { errnoOf } from '../file-error.ts';
import { ensureParent, type Target } from '../target.ts';

function taken(target: Target, from?: Target): SynapseError {
  const inside = from === undefined || target.stat?.isDirectory() !== true ? undefined : displayPath([...target.location, from.name]);
  return new SynapseError('already_exists', `${displayPath(target.location)} exists already; nothing was moved.`, {
    hint: inside === undefined ? 'Choose another name, or delete what is there first.' : `To move it into this folder, name ${inside}.`,
  });
}

/** An overlay, such as that of a branch, does not rename folders of the layer below. */
function unmovable({ location }: Target): SynapseError {
  return new SynapseError('tool_failed', `${displayPath(location)} cannot be moved in one step on this file system; nothing was moved.`, {
    hint: 'Move it with mv in a command, which copies it.',
  });
}

/** Throws if a move is known to fail. */
export function assertMovable(from: Target, to: Target): void {
  if (from.stat === undefined) throw Object.assign(new Error('missing'), { code: 'ENOENT' });
  if (to.stat !== undefined) throw taken(to, from);
  const inside = from.location.every((name, index) => name.toString() === to.location[index]?.toString());
  if (from.stat.isDirectory() && inside) {
    throw new SynapseError('invalid_arguments', `${displayPath(from.location)} cannot be moved into itself.`);
  }
}

/** Moves an entry; moves a link itself. Never replaces anything. */
export function moveEntry(from: Target, to: Target): void {
  assertMovable(from, to);
  using parent = ensureParent(to);
  const source = from.ancestor.at(from.name);
  const place = parent.at(to.name);
  if (from.stat?.isDirectory() === true) {
    try {
      // rename replaces at most an empty folder that appeared in this instant.
      renameSync(source, place);
    } catch (error) {
      throw errnoOf(error) === 'EXDEV' ? unmovable(from) : error;
    }
    return;
  }
  try {
    // A hard link fails atomically if the name exists; rename would replace it.
    linkSync(source, place);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw taken(to);
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(errnoOf(error) ?? '')) throw error;
    renameSync(source, place);
    return;
  }
  unlinkSync(source);
}
