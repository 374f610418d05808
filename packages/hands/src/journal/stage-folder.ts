import { mkdirSync, renameSync, type PathLike } from 'node:fs';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { temporaryName } from '../workspace/process-identity.ts';
import type { Swap } from '../workspace/changes/step.ts';

const SIDES = ['old', 'new'] as const;

/**
 * A folder in the workspace that entries pass through on the way to or from another file system. Every exchange is then
 * a rename, so a kill at any moment leaves either the old or the new entry. Each folder is opened by handle, without
 * following links.
 */
export class StageFolder implements Disposable {
  readonly name: string;
  readonly #self: PinnedDirectory;
  readonly #sides: Readonly<Record<Swap['keep'], PinnedDirectory>>;

  private constructor(name: string, self: PinnedDirectory, sides: Readonly<Record<Swap['keep'], PinnedDirectory>>) {
    this.name = name;
    this.#self = self;
    this.#sides = sides;
  }

  static make(confinement: Confinement): StageFolder {
    const name = temporaryName();
    using root = confinement.openDirectory([]);
    mkdirSync(root.at(name), 0o700);
    using self = root.child(name);
    for (const side of SIDES) mkdirSync(self.at(side), 0o700);
    return StageFolder.open(confinement, name) ?? unstable();
  }

  /** Opens a stage folder; returns undefined if it is gone. */
  static open(confinement: Confinement, name: string): StageFolder | undefined {
    using stack = new DisposableStack();
    try {
      using root = confinement.openDirectory([]);
      const self = stack.use(root.child(name));
      const [before, after] = [stack.use(self.child('old')), stack.use(self.child('new'))];
      stack.move();
      return new StageFolder(name, self, { old: before, new: after });
    } catch (error) {
      if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(errnoOf(error) ?? '')) return undefined;
      throw error;
    }
  }

  /** The folder for hard links to files with several names during a copy. */
  get links(): string {
    return `${this.#self.self}/links`;
  }

  /** Returns the folder for the entries of one side. */
  side(side: Swap['keep']): PinnedDirectory {
    return this.#sides[side];
  }

  /** Returns the path of one entry. */
  at(side: Swap['keep'], swap: Swap): PathLike {
    return this.#sides[side].at(slotName(swap));
  }

  /** Returns the path of a copy of an entry that cannot be renamed. */
  copyAt(side: Swap['keep'], swap: Swap): PathLike {
    return this.#sides[side].at(copyName(swap));
  }

  /**
   * Whether a folder of the workspace can be renamed. An overlay refuses that for what the layer below has, and tells so before it sees
   * that the target is not empty.
   */
  canMove(folder: PathLike): boolean {
    const target = `${this.#self.self}/target`;
    mkdirSync(`${target}/full`, { recursive: true });
    try {
      renameSync(folder, target);
    } catch (error) {
      return errnoOf(error) !== 'EXDEV';
    }
    throw new TypeError('A folder replaced one that is not empty.');
  }

  [Symbol.dispose](): void {
    for (const side of SIDES) this.#sides[side][Symbol.dispose]();
    this.#self[Symbol.dispose]();
  }
}

/** Returns the name of a staged entry. It includes the area, because one undo can exchange entries with several areas. */
export function slotName({ area, slot }: Pick<Swap, 'area' | 'slot'>): string {
  return `${area}.${slot}`;
}

/** Returns the name of the copy of an entry, which is no name of a slot. */
export const copyName = (swap: Pick<Swap, 'area' | 'slot'>): string => `${slotName(swap)}.copy`;

function unstable(): never {
  throw Object.assign(new Error('The folder was moved at once.'), { code: 'ENOENT' });
}
