import { rmdirSync } from 'node:fs';
import { join, parse, relative, resolve, sep } from 'node:path';
import { SynapseError, isSynapseError } from '@synapse/protocol';
import { displayPath } from './byte-name.ts';
import { applyChanges } from './changes/change.ts';
import { CheckedConfinement } from './checked-confinement.ts';
import type { Confinement } from './confinement.ts';
import { errnoOf, fileError } from './file-error.ts';
import { HandleConfinement } from './handle-confinement.ts';
import { openRegular } from './open-file.ts';
import { openRoot } from './open-root.ts';
import { resolveTarget, type Target } from './target.ts';

/** Maximum size of a file: 10 MiB. */
const MAX_BYTES = 10 * 1024 * 1024;

/** One file that a user command reads and changes outside of any call. */
export interface SingleFile extends Disposable {
  /** Its real path. */
  readonly path: string;
  /** Whether the path led through a link, to show this to the user. */
  readonly linked: boolean;
  /** Undefined if the file does not exist. */
  readonly bytes: Buffer | undefined;
  /** Number of parent folders that do not exist; {@link write} creates them. */
  readonly missingFolders: number;
  /**
   * Replaces the file in one step. Keeps mode and owner. Throws if something else changed it after it was opened.
   * @param mode mode of a new file; default: 666 minus the umask
   */
  write(bytes: Uint8Array, mode?: number): void;
  /** @param folders maximum number of empty parent folders to delete as well */
  delete(folders?: number): void;
}

function deleteEmptyFolders(confinement: Confinement, target: Target, folders: number): void {
  for (let length = target.location.length - 1; length >= target.location.length - folders && length > 0; length -= 1) {
    using folder = resolveTarget(confinement, target.location.slice(0, length), { followLink: false });
    try {
      rmdirSync(folder.ancestor.at(folder.name));
    } catch (error) {
      // The folder has new contents or was deleted: it is no longer ours.
      if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return;
      throw error;
    }
  }
}

async function read(confinement: Confinement, target: Target): Promise<Buffer | undefined> {
  if (target.stat === undefined) return undefined;
  using entry = confinement.openEntry(target.location);
  using file = openRegular(entry);
  if (file.size > MAX_BYTES) throw new SynapseError('too_large', `It has more than ${MAX_BYTES / 1024 / 1024} MiB.`);
  // Awaited here: a large file is read in the background, and is closed at the end of this function.
  return await file.read(0, file.size);
}

/**
 * Opens a file, by handle, for one change to it.
 *
 * @param project the folder that must contain it, and the state folder that must not; default: any location
 * @throws SynapseError `outside_workspace` if a link leads out of the project, or nowhere
 */
export async function openSingleFile(path: string, project?: { folder: string; stateFolder: string }): Promise<SingleFile> {
  const whole = resolve(path);
  const top = parse(whole).root;
  using open = new DisposableStack();
  const named = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw told(error, whole, project?.folder ?? top);
    }
  };
  const confinement = open.use(
    named(() => {
      if (project !== undefined) return openRoot(project.folder, project.stateFolder).confinement;
      return HandleConfinement.works() ? new HandleConfinement(top) : new CheckedConfinement(top);
    }),
  );
  const names = relative(project === undefined ? top : resolve(project.folder), whole).split(sep);
  const target = open.use(named(() => resolveTarget(confinement, names)));
  let bytes: Buffer | undefined;
  try {
    bytes = await read(confinement, target);
  } catch (error) {
    throw told(error, whole, project?.folder ?? top);
  }
  const held = open.move();
  return {
    path: join(confinement.root, displayPath(target.location)),
    linked: target.location.length !== names.length || target.location.some((name, index) => name !== names[index]),
    bytes,
    missingFolders: target.missing.length,
    write: (content, mode) => named(() => applyChanges([{ kind: 'write', target, bytes: content, ...(mode === undefined ? {} : { mode }) }])),
    delete: (folders = 0) =>
      named(() => {
        applyChanges([{ kind: 'delete', target }]);
        deleteEmptyFolders(confinement, target, folders);
      }),
    [Symbol.dispose]: () => held.dispose(),
  };
}

/** Converts an error for the user. The hints of file errors name tools of a model. */
function told(error: unknown, path: string, folder: string): SynapseError {
  const found = isSynapseError(error) ? error : fileError(error, path);
  if (found.code === 'wrong_type' || (found.code === 'not_found' && !isSynapseError(error))) {
    return new SynapseError(found.code, found.message, { hint: 'Nothing was changed. Put the path right, then repeat the command.', cause: error });
  }
  if (found.code !== 'outside_workspace') return found;
  return new SynapseError('outside_workspace', `${path} leads out of ${folder}, or nowhere, through a link, so it is left alone.`, {
    hint: 'Replace the link with a file, or name the place that it leads to.',
  });
}
