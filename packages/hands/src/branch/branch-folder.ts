import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PLACE_NAMES } from '../state/branch-place.ts';
import { PINNED } from '../transaction/transaction-area.ts';

/** The folder of one branch, in the state folder. */
export class BranchFolder {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** What was changed in the branch: the upper layer of its overlay. */
  get upper(): string {
    return join(this.path, 'upper');
  }

  /** Whether nothing is in {@link upper}. It is elsewhere while it is applied. */
  get isUntouched(): boolean {
    return existsSync(this.upper) && readdirSync(this.upper).length === 0;
  }

  /** A folder that the kernel needs for {@link upper}. */
  get work(): string {
    return join(this.path, 'work');
  }

  /** Where changes are looked at as a whole. */
  get merged(): string {
    return join(this.path, 'merged');
  }

  /** The files of the branch where overlays do not work: a copy of the workspace. Missing otherwise, and until the branch is first used. */
  get clone(): string {
    return join(this.path, PLACE_NAMES.clone);
  }

  /** What {@link clone} had when it was made. */
  get manifest(): string {
    return join(this.path, 'manifest');
  }

  /** From which entries of {@link clone} those of {@link upper} were made. */
  get made(): string {
    return join(this.path, 'made');
  }

  /** A link to the workspace. */
  get lower(): string {
    return join(this.path, PLACE_NAMES.lower);
  }

  /** Links to the layers of the branches that this one is based on, the nearest first. */
  above(index: number): string {
    return join(this.path, `above${index}`);
  }

  /** The links that there are, the nearest first. */
  get layers(): string[] {
    const links: string[] = [];
    while (lstatSync(this.above(links.length), { throwIfNoEntry: false }) !== undefined) links.push(this.above(links.length));
    return links;
  }

  /** A layer below those: HEAD of the repository as it was when the branch was mounted, or a link to that of another branch. Missing without one. */
  get pinned(): string {
    return join(this.path, PINNED);
  }

  /** A folder with a file for each branch that is based on this one. */
  get based(): string {
    return join(this.path, 'based');
  }

  /** What takes the place of the state folder in the branch. */
  get state(): string {
    return join(this.path, PLACE_NAMES.state);
  }

  /** The path of the transaction area that has {@link upper} while it is applied. Missing while it is not. */
  get applying(): string {
    return join(this.path, 'applying');
  }

  /** The branch's versions of files that have what both sides changed while they are applied. Missing otherwise. */
  get own(): string {
    return join(this.path, 'own');
  }

  /** The process that makes the branch of the past, as a process identity. Missing once it is made: until then, there is no such branch. */
  get making(): string {
    return join(this.path, 'making');
  }

  get record(): string {
    return join(this.path, 'branch.json');
  }

  /** The named pipe that every user of the branch keeps open. Missing while it is not mounted. */
  get held(): string {
    return join(this.path, 'held');
  }

  /** The named pipe until its first user, who mounted the branch, has opened it. */
  get newlyHeld(): string {
    return join(this.path, 'held.new');
  }

  /** The process that holds the mounts, as a process identity. */
  get holder(): string {
    return join(this.path, 'holder');
  }
}

/** The branches that a branch is based on, the nearest first. */
export function foldersBelow({ layers }: BranchFolder): BranchFolder[] {
  return layers.map((link) => new BranchFolder(dirname(readlinkSync(link))));
}

/** The nearest branch below one that is a clone, which has all that is below it. */
export function cloneBelow(folder: BranchFolder): BranchFolder | undefined {
  return foldersBelow(folder).find(({ clone }) => existsSync(clone));
}
