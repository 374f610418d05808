import { existsSync, mkdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isSynapseError } from '@synapse/protocol';
import { look } from '../journal/swap-entry.ts';
import { joinNames } from '../workspace/byte-name.ts';
import { placesOf, type Step } from '../workspace/changes/step.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { kernelTime } from '../workspace/file-seconds.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { bytePath, type WorkspacePath } from '../workspace/workspace-path.ts';
import { Bases, imageIn, isMissingIn, type ReadBase } from './base-log.ts';
import { basesFolder } from './bases-folder.ts';
import { BranchFolder } from './branch-folder.ts';
import { BASE, ON_BRANCH, USED } from './branch-state.ts';
import { CloneManifest } from './clone-manifest.ts';

/** Notes in a branch what the workspace has, before the branch first changes it. */
export class BaseRecorder implements Disposable {
  readonly #state: string;
  readonly #branch: Confinement;
  readonly #workspace: HandleConfinement;
  /** What the branch itself has, if it is based on another one. */
  readonly #own: string | undefined;
  /** What the branch had when it was made, if it is a clone. */
  readonly #manifest: CloneManifest | undefined;
  readonly #seen = new Set<string>();

  /** @param branch the workspace as the branch shows it */
  constructor(state: string, branch: Confinement) {
    this.#state = state;
    this.#branch = branch;
    this.#workspace = new HandleConfinement(join(state, BASE));
    const folder = new BranchFolder(join(state, dirname(readlinkSync(join(state, USED)))));
    this.#manifest = CloneManifest.of(folder);
    if (existsSync(join(state, ON_BRANCH))) this.#own = folder.upper;
  }

  [Symbol.dispose](): void {
    this.#workspace[Symbol.dispose]();
  }

  /** Called before steps are done. */
  note(steps: readonly Step[]): void {
    const isNew = (step: Step): boolean => step.kind === 'set' && step.before === null;
    const wanted = steps.flatMap((step) => (isNew(step) ? [] : placesOf(step).slice(0, 1)));
    const fresh = wanted.flatMap((location) => [...this.#unseen(location)]);
    const made = steps.flatMap((step) => placesOf(step).slice(isNew(step) ? 0 : 1)).filter((location) => this.#isMissing(location));
    if (fresh.length === 0 && made.length === 0) return;
    mkdirSync(basesFolder(this.#state), { recursive: true, mode: 0o700 });
    const at = kernelTime(basesFolder(this.#state));
    const found = fresh.flatMap((location) => {
      const image = this.#image(location);
      // One at a time: all contents together may be large.
      if (image?.bytes !== undefined) Bases.keep(this.#state, image.bytes);
      return image === undefined ? [] : [{ location, base: image.base }];
    });
    Bases.seen(this.#state, at, found, made);
  }

  /** Whether neither the workspace nor the branch has an entry yet, and nothing is noted of it. */
  #isMissing(location: WorkspacePath): boolean {
    const key = bytePath(location);
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return isMissingIn(this.#workspace, location) && (this.#own === undefined || !isIn(this.#own, location));
  }

  /** The entry, and the folders around it, whose permissions a copy has too. */
  *#unseen(location: WorkspacePath): Generator<WorkspacePath> {
    for (let length = location.length; length > 0; length -= 1) {
      const part = location.slice(0, length);
      const key = bytePath(part);
      if (this.#seen.has(key)) return;
      this.#seen.add(key);
      yield part;
    }
  }

  /** Whether a clone has an entry as it was copied. */
  #isCopy(shown: PinnedDirectory, location: WorkspacePath): boolean {
    const stat = look(shown.at(location.at(-1) ?? ''));
    return stat !== undefined && this.#manifest?.isUnchanged(location, stat) === true;
  }

  /** The entry of the workspace; undefined if the branch shows another one, which something else changed in it before. */
  #image(location: WorkspacePath): ReadBase | undefined {
    try {
      using shown = this.#branch.openDirectory(location.slice(0, -1));
      if (this.#manifest !== undefined) return this.#isCopy(shown, location) ? imageIn(shown, location) : undefined;
      if (this.#own !== undefined) return isIn(this.#own, location) ? undefined : imageIn(shown, location);
      using below = this.#workspace.openDirectory(location.slice(0, -1));
      const [own, stat] = [shown, below].map((folder) => look(folder.at(location.at(-1) ?? '')));
      if (stat === undefined || own === undefined) return undefined;
      // A copy has a ctime of its own.
      if (own.ctimeNs === stat.ctimeNs && own.size === stat.size && own.mtimeNs === stat.mtimeNs) return imageIn(below, location);
      return location[0] === '.git' ? sameImageIn(below, shown, location) : undefined;
    } catch (error) {
      // Gone, or closed to this user: then it is not known.
      if (errnoOf(error) === undefined && !isSynapseError(error)) throw error;
      return undefined;
    }
  }
}

/**
 * The entry of the workspace, if the branch shows the same. HEAD, its branch of git and the index are kept for the branch as copies, and
 * `git status` writes the index of the workspace anew.
 */
function sameImageIn(workspace: PinnedDirectory, branch: PinnedDirectory, location: WorkspacePath): ReadBase | undefined {
  const [there, own] = [imageIn(workspace, location), imageIn(branch, location)];
  const isSame = there?.base.type === own?.base.type && there?.base.mode === own?.base.mode && there?.base.content === own?.base.content;
  return isSame && typeof there?.base.content === 'string' ? there : undefined;
}

/** Whether a layer has a version of an entry. Without the layer, that is not known. */
function isIn(layer: string, location: WorkspacePath): boolean {
  return look(layer) === undefined || look(joinNames(layer, location)) !== undefined;
}
