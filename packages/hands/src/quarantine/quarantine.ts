import { constants, copyFileSync, linkSync, lstatSync, renameSync, rmSync, type PathLike } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { workspaceId } from '../store/workspace-id.ts';
import { displayPath } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { openRoot } from '../workspace/open-root.ts';
import { ensureParent, resolveTarget } from '../workspace/target.ts';
import { commandLock, unlockCommands, type CommandLock } from './command-lock.ts';
import { contentOf, keptItems, removePlace, type KeptItem } from './quarantine-folder.ts';
import { namesOf } from './take-away.ts';

/** Something that was taken away after a command. */
export interface QuarantinedItem {
  /** What a person calls it by. */
  readonly id: string;
  /** Where it was, relative to the workspace, as it can be shown. */
  readonly path: string;
  /** Why it was taken away, such as `git-hook`, and what was found in it. */
  readonly reason: string;
  readonly detail: string;
  /** When: ISO 8601. */
  readonly time: string;
  /** Where it lies now. */
  readonly keptAs: string;
}

/** Where what is taken away from a workspace is kept. */
export function quarantineFolder(stateFolder: string, root: string): string {
  return join(stateFolder, 'quarantine', workspaceId(root));
}

/**
 * What commands left in a workspace that another program would execute, and that was taken away. For a person, who may
 * want it back; no tool leads here.
 *
 * @example
 * const quarantine = new Quarantine(defaultStateFolder(), '/home/me/project');
 * for (const { id, path, reason } of quarantine.list()) console.log(id, path, reason);
 */
export class Quarantine {
  readonly #stateFolder: string;
  readonly #root: string;
  readonly #folder: string;

  /** @param root the real path of the workspace */
  constructor(stateFolder: string, root: string) {
    this.#stateFolder = stateFolder;
    this.#root = root;
    this.#folder = quarantineFolder(stateFolder, root);
  }

  /** All that is kept, the newest first. It is kept for 90 days, and at most the newest 500. */
  list(): QuarantinedItem[] {
    return keptItems(this.#folder).map((item) => this.#shown(item));
  }

  /**
   * One of them.
   *
   * @throws SynapseError `not_found` for an id that is not kept
   */
  get(id: string): QuarantinedItem {
    return this.#shown(this.#find(id));
  }

  /**
   * Puts something back where it was.
   *
   * @throws SynapseError `not_found` for an id that is not kept; `conflict` where something has its name by now
   */
  restore(id: string): QuarantinedItem {
    const item = this.#find(id);
    const { confinement } = openRoot(this.#root, this.#stateFolder);
    using _confinement = confinement;
    using target = resolveTarget(confinement, namesOf(item.path), { followLink: false });
    if (target.stat !== undefined) throw taken(item);
    using parent = ensureParent(target);
    putBack(contentOf(this.#folder, id), parent.at(target.name), item);
    removePlace(this.#folder, id);
    return this.#shown(item);
  }

  /**
   * Deletes something for good.
   *
   * @throws SynapseError `not_found` for an id that is not kept
   */
  discard(id: string): QuarantinedItem {
    const item = this.#find(id);
    removePlace(this.#folder, id);
    return this.#shown(item);
  }

  /** Why commands are locked in the workspace; undefined where they run. */
  locked(): CommandLock | undefined {
    return commandLock(this.#folder);
  }

  /** Lets commands run again, once a person has looked at what is there. */
  unlock(): void {
    unlockCommands(this.#folder);
  }

  #find(id: string): KeptItem {
    const item = keptItems(this.#folder).find((one) => one.id === id);
    if (item !== undefined) return item;
    throw new SynapseError('not_found', `Nothing is kept as ${JSON.stringify(id.slice(0, 80))}.`, {
      hint: 'synapse quarantine shows what is kept, with the name of each.',
    });
  }

  #shown({ id, path, reason, detail, time }: KeptItem): QuarantinedItem {
    return { id, path: displayPath(namesOf(path)), reason, detail, time, keptAs: contentOf(this.#folder, id) };
  }
}

function taken({ path }: KeptItem): SynapseError {
  return new SynapseError('conflict', `There is a ${displayPath(namesOf(path))} by now.`, {
    hint: 'Move or delete that first; nothing is written over.',
  });
}

/** A link of a file or link fails where the name is taken, which a rename does not; folders and other disks know no such thing. */
function putBack(from: string, to: PathLike, item: KeptItem): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST') throw taken(item);
    if (errno !== 'EXDEV' && errno !== 'EPERM') throw error;
    if (errno === 'EXDEV' && lstatSync(from).isFile()) copyFileSync(from, to, constants.COPYFILE_EXCL);
    else renameSync(from, to);
  }
  rmSync(from, { recursive: true, force: true });
}
