import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { until } from '../events/timing.ts';
import type { ProcessRequest } from '../process/processes.ts';
import type { Mount } from './bubblewrap-arguments.ts';
import { closedFor } from './closed-for.ts';
import { NOTHING_CLOSED } from './closed-places.ts';
import { OFFLINE_ENVIRONMENT, OFFLINE_FILES } from './network/offline-environment.ts';
import { placesOf, type PlaceLevel } from './place-levels.ts';
import { currentPath } from './prepared-run.ts';
import type { PreparedRun, Run } from './run.ts';
import type { Secret } from '../secrets/secret.ts';
import type { RunFolders } from './run-folder.ts';
import { needsCaches } from './view/package-caches.ts';
import { hiddenPlaces, reachable, workspaceMounts } from './workspace-mounts.ts';

const NO_READS: ReadonlySet<string> = new Set();
const NARROWED =
  'Without namespaces commands cannot be held to some hosts and get no stored secrets, so this one has no network. A person opens all with --network on.';

/** Variables of stored secrets that a command names, and does not get here. */
async function unsetSecrets({ secrets }: NamedRunOptions, { argv, signal }: ProcessRequest): Promise<string[]> {
  if (secrets === undefined) return [];
  const words = new Set(argv.join(' ').match(/\w+/gu));
  const variables = (await until(secrets(), signal)).flatMap(({ name, also, texts }) => [name, ...also, ...Object.keys(texts)]);
  return variables.filter((variable) => words.has(variable));
}

/** What the tiers without namespaces have in common. */
export interface NamedRunOptions {
  /** Makes the private folders of commands. */
  readonly folders: RunFolders;
  /** Whether the policy names hosts, to which a command cannot be held here. */
  readonly isNarrowed: boolean;
  /** The secrets of the user, to name those that a command misses; undefined where another note says so for all commands. */
  readonly secrets: (() => Promise<readonly Secret[]>) | undefined;
}

/** A command that sees the places of the machine under their own names, with private folders for what programs write beside the workspace. */
export interface NamedRun {
  /** What it may do where: of several, the nearest one above a path decides. */
  readonly places: readonly PlaceLevel[];
  readonly hasNetwork: boolean;
  readonly cwd: string;
  /** Variables that lead it to its private folders, and tell package managers whether there is a network. */
  readonly environment: Readonly<Record<string, string>>;
  /** The parts of the prepared run that are the same for each tier. */
  readonly prepared: Omit<PreparedRun, 'argv' | 'handles' | 'environment' | 'leftRunning' | 'endsAllBy' | typeof Symbol.asyncDispose>;
}

/** Says what a command without namespaces lacks. */
async function noteWhatLacks(tier: NamedRunOptions, { request, facts }: Run): Promise<void> {
  if (facts.network !== 'none' && tier.isNarrowed) request.onNote?.(NARROWED);
  const unset = await unsetSecrets(tier, request);
  if (unset.length > 0) request.onNote?.(`Without namespaces commands get no stored secrets, so this one has no ${unset.join(', ')}.`);
}

/** Opens what a command without namespaces needs. What is opened ends with the stack. */
export async function openNamedRun(tier: NamedRunOptions, run: Run, stack: AsyncDisposableStack): Promise<NamedRun> {
  const { folders } = tier;
  const { parts, request, overlay, use } = run;
  const { options, support, view } = parts;
  const { root: rootPath } = options.confinement;
  const { root, survey, mode } = use;
  const hasNetwork = run.facts.network !== 'none' && support.network.namespace === 'host';
  await noteWhatLacks(tier, run);
  const closed = run.facts.protected === 'mounted read-only' ? await closedFor(run) : NOTHING_CLOSED;
  const namespace = hasNetwork ? 'host' : 'own';
  const machine = await view.mounts(namespace, { sockets: [], isCommand: mode !== 'server', signal: request.signal });
  const home = view.privateHome(namespace) ?? homedir();
  const folder = stack.use(folders.make({ files: await homeFiles(run, hasNetwork), home, shown: linkedInHome(machine, request) }));
  const writable = run.facts.workspace === 'itself';
  const approvedReads = request.approvedReads ?? NO_READS;
  const inWorkspace = { root, rootPath, writable, closed, sockets: [], approvedReads, shown: view.shown };
  // What is hidden has no copy in a clone. The workspace itself stays readable: programs know its path.
  if (overlay !== undefined) await overlay.hide(reachable(() => hiddenPlaces(survey.findings, inWorkspace)).inside);
  const cloned: PlaceLevel[] = overlay === undefined ? [] : [{ path: overlay.source, level: 'write' }];
  const further = (options.policy.writable ?? []).map((path): Mount => ({ kind: 'writable', path }));
  const mounts = [...machine, ...further.filter(({ path }) => path !== rootPath), ...reachable(() => workspaceMounts(survey.findings, inWorkspace))];
  const folderOf = currentPath(request.cwd);
  const cwd = overlay === undefined ? folderOf : join(overlay.source, relative(rootPath, folderOf));
  const { totalMemoryBytes: memoryBytes, processes } = support.limits;
  const group = stack.use(await support.groups?.open({ memoryBytes, processes }));
  const reach = hasNetwork ? 'on' : 'off';
  return {
    places: [...placesOf(mounts), { path: folder.path, level: 'write' }, ...cloned],
    hasNetwork,
    cwd,
    environment: { ...(hasNetwork ? {} : OFFLINE_ENVIRONMENT), ...folder.environment },
    prepared: {
      covers: [],
      cgroupProcs: group?.door,
      disks: [folder.path, ...cloned.map(({ path }) => path)],
      reach,
      refused: undefined,
      // A command that has no namespaces ends with its process.
      transferOwnership: () => {},
      assertMounted: () => {},
      ranOutOfMemory: async () => (await group?.ranOutOfMemory()) === true,
      lost: () => [],
      lostSoFar: () => [],
      explain: (outcome, said) => {
        const facts = { hidden: [], repository: undefined, network: reach, refused: 0, refusedHosts: [], limits: support.limits } as const;
        return view.explain({ ...facts, hasNamespaces: false, argv: request.argv, cwd, outcome, said, mounts });
      },
    },
  };
}

async function homeFiles({ parts: { options } }: Run, hasNetwork: boolean) {
  return [...((await options.homeFiles?.()) ?? []), ...(hasNetwork ? [] : OFFLINE_FILES)].filter(({ content }) => content !== '');
}

/** What the private home folder leads to. A package manager fills an empty cache, and fails with one that it cannot write. */
const linkedInHome = (machine: readonly Mount[], { argv }: ProcessRequest): string[] =>
  machine.flatMap(({ kind, path }) => (kind === 'read-only' || (kind === 'cache' && !needsCaches(argv)) ? [path] : []));
