import { displayPath } from './byte-name.ts';
import type { Confinement, PinnedDirectory, PinnedEntry } from './confinement.ts';
import { errnoOf } from './file-error.ts';
import { isMissing, resolveTarget } from './target.ts';
import type { WorkspacePath } from './workspace-path.ts';

/** A folder of build output that is kept apart from the workspace. */
export interface OutputFolder {
  readonly path: string;
  /** Folders in it that hide those of the workspace. */
  readonly opaque: readonly string[];
}

/** Options of {@link WithOutputs}. */
export interface OutputView {
  /** The layer that contains the folders, by their paths in the workspace. Disposed with the view. */
  readonly layer: Confinement;
  readonly folders: readonly OutputFolder[];
  /** Called with a folder of which only the version of the workspace can be listed. */
  readonly onPartial: (path: string) => void;
}

/** A workspace with the build output that commands wrote: what file tools read. Changes go to the workspace itself. */
export class WithOutputs implements Confinement {
  readonly tier: Confinement['tier'];
  readonly root: string;
  readonly #workspace: Confinement;
  readonly #view: OutputView;

  /** @param workspace owned and disposed by the caller */
  constructor(workspace: Confinement, view: OutputView) {
    this.tier = workspace.tier;
    this.root = workspace.root;
    this.#workspace = workspace;
    this.#view = view;
  }

  exists(): boolean {
    return this.#workspace.exists();
  }

  /** Opens the version of commands, unless the workspace has the same folder: then a listing of neither is whole. */
  openDirectory(path: WorkspacePath): PinnedDirectory {
    const source = this.sourceOf(path, 'folder');
    const folder = source === this.#workspace ? this.#folderOf(path) : undefined;
    if (folder === undefined) return source.openDirectory(path);
    using own = attempt(() => this.#view.layer.openDirectory(path));
    if (own !== undefined) this.#view.onPartial(folder.path);
    return source.openDirectory(path);
  }

  openEntry(path: WorkspacePath): PinnedEntry {
    const folder = this.#folderOf(path);
    if (folder === undefined) return this.#workspace.openEntry(path);
    const { layer } = this.#view;
    const own = attempt(() => layer.openEntry(path));
    if (own === undefined) return this.#isHidden(folder, path) || this.#hidesAbove(path) ? layer.openEntry(path) : this.#workspace.openEntry(path);
    // The kernel marks a deleted name with a device.
    if (!own.stat.isCharacterDevice()) return own;
    own[Symbol.dispose]();
    throw deleted();
  }

  sourceOf(path: WorkspacePath, as: 'folder' | 'entry'): Confinement {
    const folder = this.#folderOf(path);
    if (folder === undefined) return this.#workspace;
    const { layer } = this.#view;
    if (as === 'entry') {
      using own = attempt(() => resolveTarget(layer, path, { followLink: false }));
      if (own?.stat?.isCharacterDevice() === true) throw deleted();
      if (own?.stat !== undefined) return layer;
    }
    if (this.#isHidden(folder, path) || this.#hidesAbove(path)) return layer;
    if (as === 'entry') return this.#workspace;
    using below = attempt(() => this.#workspace.openDirectory(path));
    return below === undefined ? layer : this.#workspace;
  }

  isApart(path: WorkspacePath): boolean {
    return this.#folderOf(path) !== undefined;
  }

  [Symbol.dispose](): void {
    this.#view.layer[Symbol.dispose]();
  }

  #folderOf(path: WorkspacePath): OutputFolder | undefined {
    const shown = displayPath(path);
    return this.#view.folders.find((folder) => shown === folder.path || shown.startsWith(`${folder.path}/`));
  }

  /** Whether what the workspace has at a path is hidden by a folder of the layer. */
  #isHidden({ opaque }: OutputFolder, path: WorkspacePath): boolean {
    const shown = displayPath(path);
    return opaque.some((folder) => shown === folder || shown.startsWith(`${folder}/`));
  }

  /** Whether the layer has something else than a folder at or above a path, such as the mark of a deleted one. */
  #hidesAbove(path: WorkspacePath): boolean {
    return path.some((_, index) => {
      using above = attempt(() => this.#view.layer.openEntry(path.slice(0, index + 1)));
      return above !== undefined && !above.stat.isDirectory();
    });
  }
}

const deleted = (): Error => Object.assign(new Error('deleted by a command'), { code: 'ENOENT' });

/** What is missing in one layer may be in the other. */
function attempt<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (isMissing(error) || errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}
