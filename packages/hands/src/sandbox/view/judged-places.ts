import { until } from '../../events/timing.ts';
import { HandleConfinement } from '../../workspace/handle-confinement.ts';
import type { Mount } from '../bubblewrap-arguments.ts';
import { NOTHING_CLOSED } from '../closed-places.ts';
import { DeniedPathIndex } from '../denied-path-index.ts';
import { workspaceMounts } from '../workspace-mounts.ts';

/** The folders outside the workspace to show, and what to hide in them. */
export interface JudgedPlacesOptions {
  /** The folders, by their real paths, with whether a rule denies reading a path relative to them. */
  readonly folders: ReadonlyArray<{ readonly folder: string; readonly deniesRead: (path: string) => boolean }>;
  readonly mayDenyBelow?: ((path: string) => boolean) | undefined;
}

/** The mounts of such folders. */
export interface JudgedView {
  readonly mounts: readonly Mount[];
  /** Differs after any change in the folders. */
  readonly version: string;
}

const NO_READS: ReadonlySet<string> = new Set();

/** Folders outside the workspace that commands may read, except for what the policy denies or asks about. */
export class JudgedPlaces implements Disposable {
  readonly #folders: readonly string[];
  readonly #places: ReadonlyArray<{ readonly confinement: HandleConfinement; readonly index: DeniedPathIndex }>;

  constructor({ folders, mayDenyBelow }: JudgedPlacesOptions) {
    this.#folders = folders.map(({ folder }) => folder);
    this.#places = folders.map(({ folder, deniesRead: read }) => {
      const confinement = new HandleConfinement(folder);
      const below = mayDenyBelow === undefined ? undefined : (path: string): boolean => mayDenyBelow(`${folder}/${path}`);
      return { confinement, index: new DeniedPathIndex(confinement, { read, mayDenyBelow: below }) };
    });
  }

  /** The mounts that show the current state of the folders. A folder that cannot be fully checked is left out. @param signal ends the wait */
  async look(sockets: readonly string[], signal: AbortSignal): Promise<JudgedView> {
    const mounts: Mount[] = [];
    const versions: number[] = [];
    for (const { confinement, index } of this.#places) {
      const { findings, complete, version } = await until(index.survey(), signal);
      versions.push(version);
      if (!complete) continue;
      using root = confinement.openDirectory([]);
      mounts.push(
        ...workspaceMounts(findings, {
          root,
          rootPath: confinement.root,
          writable: false,
          sockets,
          approvedReads: NO_READS,
          shown: this.#folders,
          closed: NOTHING_CLOSED,
        }),
      );
    }
    return { mounts, version: versions.join() };
  }

  [Symbol.dispose](): void {
    for (const { confinement, index } of this.#places) {
      index[Symbol.dispose]();
      confinement[Symbol.dispose]();
    }
  }
}
