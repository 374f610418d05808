import { chmodSync, constants, copyFileSync, linkSync, lstatSync, renameSync, rmSync, type PathLike } from 'node:fs';
import { dirname, join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { workspaceId } from '../state/state-folder.ts';
import { displayPath } from '../workspace/byte-name.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { openRoot } from '../workspace/open-root.ts';
import { ensureParent, resolveTarget } from '../workspace/target.ts';
import { TreeCursor, visitTreeSync } from '../workspace/tree-cursor.ts';
import { commandLock, unlockCommands, type CommandLock } from './command-records.ts';
import { contentOf, keptItems, removePlace, type KeptItem } from './quarantine-folder.ts';
import { namesOf } from './take-away.ts';

/** An item quarantined after a command. */
export interface QuarantinedItem {
  /** The name of the item for people. */
  readonly id: string;
  /** The original path, relative to the workspace and safe to display. */
  readonly path: string;
  /** The reason for the quarantine, such as `git-hook`, with what was found in the item. */
  readonly reason: string;
  readonly detail: string;
  /** Time of the quarantine: ISO 8601. */
  readonly time: string;
  /** The path in the quarantine. */
  readonly keptAs: string;
}

/** Returns the quarantine folder of a workspace. */
export function quarantineFolder(stateFolder: string, root: string): string {
  return join(stateFolder, 'quarantine', workspaceId(root));
}

/**
 * Items that commands left in a workspace, that another program would execute, and that were removed. For people, who may
 * restore them; no tool can access the quarantine.
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

  /** Lists the items, newest first. They are kept for 90 days, up to the newest 500. */
  list(): QuarantinedItem[] {
    return keptItems(this.#folder).map((item) => this.#shown(item));
  }

  /**
   * Returns an item.
   *
   * @throws SynapseError `not_found` for an unknown id
   */
  get(id: string): QuarantinedItem {
    return this.#shown(this.#find(id));
  }

  /**
   * Moves an item back to its original path.
   *
   * @throws SynapseError `not_found` for an unknown id; `conflict` if the path exists now
   */
  restore(id: string): QuarantinedItem {
    const item = this.#find(id);
    const { confinement } = openRoot(this.#root, this.#stateFolder);
    using _confinement = confinement;
    using target = resolveTarget(confinement, namesOf(item.path), { followLink: false });
    if (target.stat !== undefined) throw taken(item);
    using parent = ensureParent(target);
    dropSetIds(this.#folder, id);
    putBack(contentOf(this.#folder, id), parent.at(target.name), item);
    removePlace(this.#folder, id);
    return this.#shown(item);
  }

  /**
   * Deletes an item permanently.
   *
   * @throws SynapseError `not_found` for an unknown id
   */
  discard(id: string): QuarantinedItem {
    const item = this.#find(id);
    removePlace(this.#folder, id);
    return this.#shown(item);
  }

  /** Returns why commands are locked in the workspace; undefined if they may run. */
  locked(): CommandLock | undefined {
    return commandLock(this.#folder);
  }

  /** Allows commands again, after a person has checked the workspace. */
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

const SET_IDS = 0o6000n;

/** Removes set-id bits from all files of an item: a program that a command left must not get the rights of its owner. */
function dropSetIds(folder: string, id: string): void {
  using cursor = new TreeCursor(dirname(contentOf(folder, id)), { owned: true });
  visitTreeSync(cursor, (name, stat) => {
    if (stat.isFile() && (stat.mode & SET_IDS) !== 0n) chmodSync(cursor.at(name), Number(stat.mode) & 0o777);
  });
}

/** Moves an item without replacing anything. Unlike a rename, a hard link fails if the path exists; folders and other disks do not support it. */
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
