import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { workspaceId } from '../state/state-folder.ts';
import { FileLocks } from '../workspace/file-lock.ts';
import { isUsed } from './view/cache-layers.ts';
import type { OpaqueMarks } from './layers/merge-layer.ts';
import { KeptLayers, type KeptUnit } from './layers/kept-layers.ts';

/** What the commands of a project keep of caches in the home folder. */
export interface ProjectCaches {
  readonly budgetBytes: number;
  /** Last used first. */
  readonly caches: ReadonlyArray<Pick<KeptUnit, 'path' | 'bytes' | 'entries' | 'usedAt'>>;
}

/** Nothing is merged here. */
const NO_MARKS: OpaqueMarks = { has: () => Promise.resolve(undefined), set: () => Promise.resolve(false) };

/** Opens the kept caches of a project, to look at them and to delete them. */
export class KeptCaches {
  readonly #layers: KeptLayers;
  readonly #isUsed: () => boolean;

  /** @param budgetBytes of the configuration */
  constructor(stateFolder: string, root: string, budgetBytes?: number) {
    const id = workspaceId(root);
    const locks = new FileLocks(join(stateFolder, 'locks'));
    this.#layers = new KeptLayers({ folder: join(stateFolder, 'caches', id), root, locks, marks: NO_MARKS, budgetBytes });
    this.#isUsed = () => isUsed(join(stateFolder, 'cache-layers'), id);
  }

  list(): ProjectCaches {
    const caches = this.#layers.units().map(({ path, bytes, entries, usedAt }) => ({ path, bytes, entries, usedAt }));
    return { budgetBytes: this.#layers.budgetBytes, caches };
  }

  /**
   * Deletes them.
   *
   * @throws SynapseError `conflict` while a command uses them
   */
  async clear(): Promise<ProjectCaches> {
    if (this.#isUsed()) {
      throw new SynapseError('conflict', 'A command or a job of this project uses the caches; nothing was deleted.', {
        hint: 'Repeat this when it has ended: synapse jobs.',
        retryable: true,
      });
    }
    const before = this.list();
    await this.#layers.clear();
    return before;
  }
}
