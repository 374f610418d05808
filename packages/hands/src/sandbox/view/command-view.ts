import type { ProcessOutcome } from '../../process/processes.ts';
import { isWithin } from '../../workspace/workspace-path.ts';
import type { Mount } from '../bubblewrap-arguments.ts';
import { explainFailure } from '../explain-failure.ts';
import type { RefusedHost } from '../network/refused-hosts.ts';
import type { SandboxNetwork } from '../network/sandbox-network.ts';
import { TOOL_CHAINS, type SandboxPolicy } from '../sandbox-policy.ts';
import { JudgedPlaces } from './judged-places.ts';
import { homeFolder, MachineView, type ViewRequest } from './machine-view.ts';
import { homeOfWorktree, outsideRepository } from './outside-repository.ts';
import { holdsTooMuch, isShown, throughLinks } from './view-mounts.ts';

/** Options of {@link CommandView}. */
export interface CommandViewOptions {
  readonly policy: SandboxPolicy;
  /** The real path of the workspace. */
  readonly root: string;
  readonly rootNames?: readonly string[] | undefined;
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
}

/** The facts about an ended command that show whether its view caused its failure. */
interface EndedCommand {
  readonly argv: readonly string[];
  readonly outcome: ProcessOutcome;
  /** Its working directory. */
  readonly cwd: string;
  /** The beginning and the end of its output. */
  readonly said: string;
  readonly mounts: readonly Mount[];
  /** Paths of the workspace that were hidden from it without a mount. */
  readonly hidden: readonly string[];
  readonly network: 'off' | 'some' | 'on';
  readonly refused: number;
  readonly refusedHosts: readonly RefusedHost[];
  /** The repository above the workspace that it saw; undefined if none. */
  readonly repository: string | undefined;
}

/** What commands see of the machine outside the workspace. */
export class CommandView implements Disposable {
  readonly #root: string;
  readonly #home: string;
  readonly #hidden: readonly string[];
  readonly #machine: MachineView;
  /** Undefined without such places. */
  readonly #judged: JudgedPlaces | undefined;

  constructor({ policy, root, rootNames = [], variables = process.env }: CommandViewOptions) {
    this.#root = root;
    this.#hidden = policy.hidden ?? [];
    const request: ViewRequest = {
      root,
      rootNames,
      variables,
      tools: policy.home ?? TOOL_CHAINS,
      readable: [...(policy.readable ?? []), outsideRepository(root)].filter((path) => path !== undefined),
      hidden: this.#hidden,
    };
    this.#home = homeFolder(request);
    this.#machine = new MachineView(request);
    const folders = (policy.judged ?? []).filter((path) => this.#canShow(path));
    const { deniesRead = () => false, mayDenyBelow } = policy;
    this.#judged = folders.length === 0 ? undefined : new JudgedPlaces({ folders, deniesRead, mayDenyBelow });
  }

  /** @param sockets paths of listening sockets of processes outside */
  async mounts(network: SandboxNetwork['namespace'], sockets: readonly string[]): Promise<Mount[]> {
    return [...this.#machine.mounts(network, sockets), ...((await this.#judged?.mounts(sockets)) ?? [])];
  }

  /** The real path of the home folder, if it is private. */
  privateHome(network: SandboxNetwork['namespace']): string | undefined {
    return this.#machine.privateHome(network);
  }

  /** Why a command failed, if the reason is something that it could not see. */
  explain({ argv, cwd, outcome, said, mounts, hidden, network, refused, refusedHosts, repository }: EndedCommand): string[] {
    const masks = mounts.filter(({ kind, path }) => kind.startsWith('masked') && isWithin(path, this.#root)).map(({ path }) => path);
    return explainFailure({
      argv,
      cwd,
      said,
      failed: outcome.exitCode !== 0,
      network,
      refused,
      refusedHosts,
      repository,
      worktreeOf: outcome.exitCode === 0 ? undefined : homeOfWorktree(this.#root),
      home: this.#home,
      root: this.#root,
      masked: [...masks, ...hidden],
      isShown: (path) => isShown(mounts, throughLinks(mounts, path)) || this.#hidden.some((place) => isWithin(path, place)),
      canShow: (folder) => this.#canShow(folder),
    });
  }

  [Symbol.dispose](): void {
    this.#judged?.[Symbol.dispose]();
  }

  #canShow(folder: string): boolean {
    return !holdsTooMuch(folder, { home: this.#home, hidden: this.#hidden });
  }
}
