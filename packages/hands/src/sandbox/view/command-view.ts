import { lstatSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { ProcessOutcome } from '../../process/processes.ts';
import { isWithin } from '../../workspace/workspace-path.ts';
import type { Mount } from '../bubblewrap-arguments.ts';
import type { MaskedPlace } from '../explain-masks.ts';
import { explainFailure, SIGNS } from '../explain-failure.ts';
import { explainLimits, LIMITS_SAID } from '../explain-limits.ts';
import type { ResourceLimits } from '../resource-limits.ts';
import type { RefusedHost } from '../network/refused-hosts.ts';
import type { SandboxNetwork } from '../network/sandbox-network.ts';
import { TOOL_CHAINS, type SandboxPolicy } from '../sandbox-policy.ts';
import type * as DeniedPrograms from './denied-programs.ts';
import { JudgedPlaces, type JudgedView } from './judged-places.ts';
import { homeFolder, machineMounts, type ViewRequest } from './machine-view.ts';
import { homeOfWorktree, outsideRepository } from './outside-repository.ts';
import { diskTree, follow } from './tree.ts';
import { holdsTooMuch } from './view-mounts.ts';

/** Milliseconds until a new tool chain becomes visible. */
const KEPT_MS = 10_000;

/** The view of one network, and its private home folder by its real path; undefined if the home folder is not private. */
interface LastingView {
  readonly mounts: readonly Mount[];
  readonly privateHome: string | undefined;
  readonly at: number;
}

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
  readonly hidden: readonly MaskedPlace[];
  readonly network: 'off' | 'some' | 'on';
  readonly refused: number;
  readonly refusedHosts: readonly RefusedHost[];
  /** Whether it had namespaces. Default: it had. */
  readonly hasNamespaces?: boolean;
  /** The repository above the workspace that it saw; undefined if none. */
  readonly repository: string | undefined;
  readonly limits: ResourceLimits;
}

/** Paths of sockets with a listener outside: read permission on a read-only mount is enough to connect to them. */
export function listeningSockets(): string[] {
  try {
    const lines = readFileSync('/proc/net/unix', 'utf8').split('\n').slice(1);
    // Seven columns, then the path as it was bound, which may be relative. Abstract names begin with `@`.
    const paths = lines.map((line) => /^(?:\S+\s+){7}(?<path>[^@].*)$/u.exec(line)?.groups?.['path'] ?? '').filter((path) => path !== '');
    return [...new Set(paths)];
  } catch {
    // The table is missing, so sockets outside the hidden places are unknown.
    return [];
  }
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;
  } catch {
    // Closed to this user.
    return false;
  }
}

/** Maximum number of links that lead to links; more are a loop. */
const MAX_LINKS = 10;

function nearestMount(mounts: readonly Mount[], path: string): Mount | undefined {
  return mounts.reduce<Mount | undefined>(
    (best, mount) => (isWithin(path, mount.path) && (best === undefined || mount.path.length >= best.path.length) ? mount : best),
    undefined,
  );
}

/** Resolves a path by the links of a view, independent of the machine. */
export function throughLinks(mounts: readonly Mount[], path: string): string {
  let place = path;
  for (let count = 0; count < MAX_LINKS; count += 1) {
    const nearest = nearestMount(mounts, place);
    if (nearest?.kind !== 'link') return place;
    place = resolve(dirname(nearest.path), nearest.target, `.${place.slice(nearest.path.length)}`);
  }
  return place;
}

/** Whether a path is shown as on the machine. */
export function isShown(mounts: readonly Mount[], path: string): boolean {
  const nearest = nearestMount(mounts, path);
  return nearest?.kind === 'read-only' || nearest?.kind === 'cache' || nearest?.kind === 'writable';
}

/** Hides sockets with a listener outside: read permission on a read-only mount is enough to connect to one. */
export function socketMasks(mounts: readonly Mount[], sockets: readonly string[]): Mount[] {
  return sockets.filter((path) => path.startsWith('/') && isShown(mounts, path)).map((path) => ({ kind: 'masked-file', path }));
}

/** The process that gets a view. */
interface Viewer {
  /** Paths of listening sockets of processes outside. */
  readonly sockets: readonly string[];
  /** Whether rules about programs apply: not to a language server, which no caller chose. */
  readonly isCommand: boolean;
  /** Whether it needs no folder that a person shows. Default: false. */
  readonly readsNothing?: boolean;
  /** Ends the wait for the look at such folders. */
  readonly signal: AbortSignal;
}

const NOTHING_JUDGED: JudgedView = { mounts: [], version: '' };

/** What commands see of the machine outside the workspace. Computing it takes a few milliseconds, so it is cached for a while. */
export class CommandView implements Disposable {
  readonly #root: string;
  readonly #home: string;
  readonly #hidden: readonly string[];
  readonly #request: ViewRequest;
  readonly #known = new Map<SandboxNetwork['namespace'], LastingView>();
  /** Folders outside the workspace that a person shows, by their real paths. */
  readonly shown: readonly string[];
  readonly #denied: readonly string[];
  /** Undefined while no rule has needed it. */
  #programs: typeof DeniedPrograms | undefined;
  /** The masks of denied programs in a view, and the state of readable folders that they are for. */
  readonly #programMasked = new WeakMap<readonly Mount[], { readonly state: string; readonly masks: readonly Mount[] }>();
  /** Undefined without such places. */
  readonly #judged: JudgedPlaces | undefined;

  constructor({ policy, root, rootNames = [], variables = process.env }: CommandViewOptions) {
    const repository = outsideRepository(root);
    const { deniesRead = () => false, deniesReadByRule, mayDenyBelow, readable = [], judged = [], writable = [] } = policy;
    this.#root = root;
    this.#hidden = policy.hidden ?? [];
    this.#denied = policy.deniedPrograms ?? [];
    this.#request = {
      root,
      rootNames,
      variables,
      tools: policy.home ?? TOOL_CHAINS,
      readable: [...readable, ...(repository === undefined || deniesReadByRule !== undefined ? [] : [repository])],
      hidden: this.#hidden,
    };
    this.#home = homeFolder(this.#request);
    this.shown = [...readable, ...judged, ...writable].filter((folder) => this.#canShow(folder));
    const shown = judged.map((folder) => ({ folder, deniesRead: (path: string) => deniesRead(`${folder}/${path}`) }));
    if (repository !== undefined && deniesReadByRule !== undefined) {
      // Its places have two names: rules may use either.
      const byEither = (path: string): boolean => deniesReadByRule(`${repository}/${path}`) || deniesReadByRule(`.git/${path}`);
      shown.push({ folder: repository, deniesRead: byEither });
    }
    const folders = shown.filter(({ folder }) => this.#canShow(folder));
    this.#judged = folders.length === 0 ? undefined : new JudgedPlaces({ folders, mayDenyBelow });
  }

  async mounts(network: SandboxNetwork['namespace'], { sockets, isCommand, readsNothing = false, signal }: Viewer): Promise<Mount[]> {
    const { mounts } = this.#lasting(network);
    const masks = socketMasks(mounts, sockets).filter(({ path }) => isSocket(path));
    const judged = (readsNothing ? undefined : await this.#judged?.look(sockets, signal)) ?? NOTHING_JUDGED;
    const shown = [...mounts, ...masks, ...judged.mounts];
    if (!isCommand || this.#denied.length === 0) return shown;
    // Last: what is mounted later covers a mask.
    return [...shown, ...(await this.#programMasks(mounts, judged))];
  }

  async #programMasks(mounts: readonly Mount[], judged: JudgedView): Promise<readonly Mount[]> {
    this.#programs ??= await import('./denied-programs.ts');
    // What is behind links of these folders changes their mounts only.
    const state = judged.mounts.length === 0 ? '' : JSON.stringify([judged.version, judged.mounts]);
    let known = this.#programMasked.get(mounts);
    if (known?.state !== state) {
      const folders = (this.#request.variables?.['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
      const shown = [...mounts, ...judged.mounts];
      const facts = { tree: diskTree(), folders, isShown: (path: string) => isShown(shown, path) };
      known = { state, masks: this.#programs.programMasks(this.#denied, facts) };
      this.#programMasked.set(mounts, known);
    }
    return known.masks;
  }

  /** The real path of the home folder, if it is private. */
  privateHome(network: SandboxNetwork['namespace']): string | undefined {
    return this.#lasting(network).privateHome;
  }

  /** Why a command failed, if the reason is something that it could not see. */
  explain({
    argv,
    cwd,
    outcome,
    said,
    mounts,
    hidden,
    network,
    hasNamespaces = true,
    refused,
    refusedHosts,
    repository,
    limits,
  }: EndedCommand): string[] {
    const programs = outcome.exitCode === 0 ? [] : (this.#programs?.explainPrograms(said, this.#denied) ?? []);
    const isPlainSuccess = outcome.exitCode === 0 && refused === 0 && refusedHosts.length === 0;
    if (isPlainSuccess && !SIGNS.test(said) && !LIMITS_SAID.test(said)) return [];
    const masks = mounts.filter(({ kind, path }) => kind.startsWith('masked') && isWithin(path, this.#root));
    const others = explainFailure({
      argv,
      cwd,
      said,
      failed: outcome.exitCode !== 0,
      network,
      hasNamespaces,
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
    return [...programs, ...explainLimits(said, outcome, limits), ...others];
  }

  [Symbol.dispose](): void {
    this.#judged?.[Symbol.dispose]();
  }

  #lasting(network: SandboxNetwork['namespace']): LastingView {
    const now = performance.now();
    const known = this.#known.get(network);
    if (known !== undefined && now - known.at < KEPT_MS) return known;
    const mounts = machineMounts({ ...this.#request, network });
    const real = follow(diskTree(), this.#home)?.real ?? this.#home;
    const privateHome = mounts.some(({ kind, path }) => kind === 'private' && path === real) ? real : undefined;
    const view = { mounts, privateHome, at: now };
    this.#known.set(network, view);
    return view;
  }

  #canShow(folder: string): boolean {
    return !holdsTooMuch(folder, { home: this.#home, hidden: this.#hidden });
  }
}
