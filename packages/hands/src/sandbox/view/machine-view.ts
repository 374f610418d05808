import { lstatSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import type { Mount } from '../bubblewrap-arguments.ts';
import { diskTree, follow } from './tree.ts';
import { socketMasks, viewMounts, type ViewFacts } from './view-mounts.ts';

/** Overrides of the facts from which the view is derived. */
export type ViewRequest = Partial<Omit<ViewFacts, 'tree'>>;

/** Milliseconds until a new tool chain becomes visible. */
const KEPT_MS = 10_000;

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

/** The home folder of commands. */
export function homeFolder({ home, variables = process.env }: ViewRequest): string {
  return home ?? (variables['HOME']?.startsWith('/') === true ? variables['HOME'] : homedir());
}

/** What commands currently see of this machine, except for sockets. */
export function machineMounts(request: ViewRequest = {}): Mount[] {
  const variables = request.variables ?? process.env;
  const usual = { root: '/nonexistent', rootNames: [], tools: [], readable: [], hidden: [], network: 'own' as const };
  return viewMounts({ ...usual, ...request, tree: diskTree(), home: homeFolder(request), variables });
}

/** The view of one network, and its private home folder by its real path; undefined if the home folder is not private. */
interface LastingView {
  readonly mounts: readonly Mount[];
  readonly privateHome: string | undefined;
  readonly at: number;
}

/** What commands see of this machine. Computing it takes a few milliseconds, so it is cached for a while. */
export class MachineView {
  readonly #request: ViewRequest;
  readonly #known = new Map<ViewFacts['network'], LastingView>();

  constructor(request: ViewRequest) {
    this.#request = request;
  }

  /** @param sockets paths of listening sockets of processes outside */
  mounts(network: ViewFacts['network'], sockets: readonly string[]): readonly Mount[] {
    const { mounts } = this.#lasting(network);
    return [...mounts, ...socketMasks(mounts, sockets).filter(({ path }) => isSocket(path))];
  }

  privateHome(network: ViewFacts['network']): string | undefined {
    return this.#lasting(network).privateHome;
  }

  #lasting(network: ViewFacts['network']): LastingView {
    const now = performance.now();
    const known = this.#known.get(network);
    if (known !== undefined && now - known.at < KEPT_MS) return known;
    const mounts = machineMounts({ ...this.#request, network });
    const home = homeFolder(this.#request);
    const real = follow(diskTree(), home)?.real ?? home;
    const privateHome = mounts.some(({ kind, path }) => kind === 'private' && path === real) ? real : undefined;
    const view = { mounts, privateHome, at: now };
    this.#known.set(network, view);
    return view;
  }
}
