import { isUtf8 } from 'node:buffer';
import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { RUN_MODES, type RunMode } from '../modes/run-modes.ts';
import type { InheritedHandle, ProcessOutcome, ProcessRequest, RunningTree, SessionNetwork } from '../process/processes.ts';
import type { ProcessEntry } from '../process/process-table.ts';
import { ConfinedView } from '../workspace/confined-view.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { placesFromOutside } from '../workspace/places-from-outside.ts';
import { sandboxArgv, type Mount, type SandboxPlan } from './bubblewrap-arguments.ts';
import { closedPlaces, NOTHING_CLOSED, type ClosedPlaces } from './closed-places.ts';
import { networkHint } from './explain-failure.ts';
import type { KeptPacks } from './large-packs.ts';
import { ownSockets } from './network/own-sockets.ts';
import { OFFLINE_ENVIRONMENT, OFFLINE_FILES } from './network/offline-environment.ts';
import { NO_NETWORK, type SandboxNetwork } from './network/sandbox-network.ts';
import type { JoinedNetwork } from './network/session-networks.ts';
import { countedArgv } from './resource-limits.ts';
import { lostSoFar, namesOtherMachine, openRunCounts, privatePlaces } from './run-counts.ts';
import { openRunFiles, type RunFiles } from './run-files.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import type { SandboxSupport } from './sandbox-support.ts';
import { keptCallFilter } from './seccomp/call-filter.ts';
import type { Substitute } from './substitute.ts';
import type { CacheLayers, Layers, OutputLayers } from './view/cache-layers.ts';
import { listeningSockets, type CommandView } from './view/command-view.ts';
import { needsCaches } from './view/needs-caches.ts';
import type { Survey, WorkspaceIndex } from './workspace-index.ts';
import { coversIn, hiddenPlaces, reachable, repositoryMounts, workspaceMounts, type Cover } from './workspace-mounts.ts';

/** What the runs of a sandbox share. */
export interface RunParts {
  readonly options: Pick<SandboxOptions, 'confinement' | 'policy' | 'homeFiles' | 'keptOutputs'>;
  readonly support: SandboxSupport;
  /** The filter of system calls, and the maximum number of processes, to open for each run. */
  readonly lasting: { readonly filter: number | undefined; readonly pidMax: number | undefined };
  /** Returns the network that a command shares with the jobs of its session; undefined if it gets its own. */
  readonly joinNetwork: (wanted: SessionNetwork | undefined) => Promise<(JoinedNetwork & Disposable) | undefined>;
  readonly view: CommandView;
  /** The layers over caches, and whether earlier commands of the project wrote to any. */
  readonly layers: { readonly hasKept: () => boolean; readonly open: () => Promise<CacheLayers | undefined> };
  readonly index: WorkspaceIndex;
}

/** How a command may use the workspace. */
interface WorkspaceUse {
  readonly root: PinnedDirectory;
  readonly survey: Survey;
  readonly mode: RunMode;
}

/** A command that is ready to start. Dispose it when the command has ended. */
export interface PreparedRun extends AsyncDisposable {
  readonly argv: readonly [string, ...string[]];
  readonly handles: readonly InheritedHandle[];
  /** The mounts that keep places of the workspace as they are, or hidden, as long as no other program replaces what they lie on. */
  readonly covers: readonly Cover[];
  /** The file through which it joins its control group; undefined if it has none. */
  readonly cgroupProcs: string | undefined;
  /** How often the network has refused it so far, and what to do. Undefined if it refuses nothing, or if that is not counted. */
  readonly refused: ((running: readonly ProcessEntry[]) => ReturnType<NonNullable<RunningTree['refused']>>) | undefined;
  /** Makes another process responsible for what it opened. */
  handOver(owner: string): void;
  /** Throws if what it must see could not be mounted: it was then not run. */
  assertMounted(): void;
  ranOutOfMemory(): Promise<boolean>;
  /** Number of processes that the ended command left running; undefined if it was not counted. */
  leftRunning(): number | undefined;
  /** What the ended command left outside the workspace, where it does not last: paths relative to the workspace. */
  lost(): readonly string[];
  /** The same of a command that still runs. */
  lostSoFar(running: readonly ProcessEntry[]): readonly string[];
  /** Why the ended command failed, if the sandbox is the reason. @param said the beginning and the end of its output */
  explain(outcome: ProcessOutcome, said: string): string[];
}

const NO_READS: ReadonlySet<string> = new Set();
const NO_PACKS: KeptPacks = { inside: [], outside: [], environment: {} };

/** Opens what a command needs in the sandbox, and builds its command line. */
export async function prepareRun(
  parts: RunParts,
  request: ProcessRequest,
  substitute: Substitute | undefined,
  { root, survey, mode }: WorkspaceUse,
): Promise<PreparedRun> {
  const { options, support, lasting, view } = parts;
  const { confinement } = options;
  await using stack = new AsyncDisposableStack();
  // Without a network no proxy is needed either.
  const facts = RUN_MODES[mode];
  const network = facts.network === 'none' ? NO_NETWORK : support.network;
  const shared = network.namespace === 'own' ? await parts.joinNetwork(request.network) : undefined;
  stack.use(shared);
  const isLive = facts.workspace === 'itself';
  const writable = facts.workspace !== 'read-only';
  const packs = await packsOf(request, root, survey, substitute);
  const closed = facts.protected === 'mounted read-only' ? await closedFor(parts, root, survey) : { repositories: [], readOnly: packs.inside };
  const sockets = listeningSockets();
  const machine = await view.mounts(network.namespace, sockets);
  const home = view.privateHome(network.namespace);
  // A copy has them already, and a command that only reads gets a copy for them.
  const outputs = facts.outputs === 'mounted' && options.keptOutputs?.exist() === true ? await outputsOf(parts, request, survey) : undefined;
  for (const { below } of outputs?.shown ?? []) stack.use(below);
  const layers = stack.use(await layersOf(parts, request, machine, { home, writable, keeps: facts.caches === 'kept', outputs }));
  if (outputs !== undefined) {
    const { outputsNote } = await import('./view/output-source.ts');
    request.onNote?.(outputsNote(layers === undefined ? [] : outputs.shown));
  }
  // Changes of a copy are judged before they are applied.
  const findings = substitute === undefined ? survey.findings : survey.findings.filter(({ kind }) => kind !== 'locked');
  const shown = { root, rootPath: confinement.root, sockets, approvedReads: request.approvedReads ?? NO_READS, shown: view.shown };
  const inside = substitute === undefined ? [] : reachable(() => hiddenPlaces(findings, shown)).inside;
  const isHiding = inside.length > 0 && (await substitute?.hide(inside)) === true;
  const together = shared === undefined ? network.namespace : 'joined';
  const apart = together === 'own' ? undefined : await ownSockets(together, substitute !== undefined);
  const counts = request.countsLeft === true ? stack.use(openRunCounts()) : undefined;
  const files = stack.use(
    openRunFiles({
      filter: apart !== undefined ? apart.filter : isLive ? keptCallFilter('live') : lasting.filter,
      pidMax: lasting.pidMax,
      home,
      homeFiles: (await options.homeFiles?.()) ?? [],
      furtherFiles: network === NO_NETWORK ? OFFLINE_FILES : [],
      machine,
      mounted: [...machine.map(({ path }) => path), confinement.root],
      shared: shared?.handles ?? [],
      counts: counts?.handle,
    }),
  );
  const inWorkspace = { ...shown, writable, closed, isHiding, ...(substitute === undefined ? {} : { source: substitute.source }) };
  const cached = files.mounts.map((mount) => layeredMount(mount, layers));
  const plan = planOf(parts, {
    files,
    network,
    machine: [...cached, ...repositoryMounts(request)],
    workspace: [
      ...alsoMounts(substitute, files.mounts, packs.outside),
      ...reachable(() => workspaceMounts(findings, inWorkspace)),
      ...outputMounts(outputs, layers, writable),
    ],
    isShared: shared !== undefined,
    // In a namespace that was created for mounts, the user is root.
    user: substitute?.user ?? (layers === undefined ? undefined : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }),
    // The workspace is a mount point there, and git only searches its own file system by default.
    environment: {
      ...(request.repository === undefined ? {} : { GIT_DISCOVERY_ACROSS_FILESYSTEM: '1' }),
      ...packs.environment,
    },
  });
  const refusals = network.watchRefusals?.();
  stack.use(refusals);
  const reach = network === NO_NETWORK ? 'off' : network.namespace === 'host' ? 'on' : 'some';
  const ends = reach === 'on' ? 'none' : namesOtherMachine(request.argv) ? 'all' : 'failures';
  const places = counts === undefined ? [] : privatePlaces(machine, confinement.root, view.privateHome(network.namespace));
  const counted = counts?.wrap(request.argv, files.descriptors.counts, { isShared: shared !== undefined, ends }, places) ?? request.argv;
  const wrapped = network.wrap?.(counted) ?? counted;
  const { program, followsLinks } = support.bubblewrap;
  const cwd = currentPath(request.cwd);
  const boxed = sandboxArgv({ program, followsLinks, cwd, plan }, support.hasOwnTable ? wrapped : countedArgv(wrapped, support.limits));
  const { totalMemoryBytes: memoryBytes, processes } = support.limits;
  const group = await support.groups?.open({ memoryBytes, processes });
  stack.use(group);
  const layered = layers?.wrap(boxed, substitute !== undefined) ?? boxed;
  const substituted = substitute === undefined ? layered : substitute.wrap(layered);
  const alone = apart?.wrap(substituted) ?? substituted;
  const opened = stack.move();
  const countRefused = (hintReach: 'off' | 'some') => (running: readonly ProcessEntry[]) => ({
    count: (counts?.refused(running) ?? 0) + (refusals?.count() ?? 0),
    hint: networkHint(
      hintReach,
      refusals?.hosts().filter(({ mayBeOthers }) => !mayBeOthers),
    ),
  });
  return {
    argv: shared?.join(alone, files.descriptors.shared) ?? alone,
    handles: files.handles,
    // What is hidden from a copy has a layer of its own.
    covers: substitute === undefined ? coversIn(plan.mounts, confinement.root) : [],
    cgroupProcs: group?.door,
    refused: reach === 'on' || counts === undefined ? undefined : countRefused(reach),
    handOver: (owner) => layers?.handOver(owner),
    assertMounted: () => layers?.assertMounted(),
    ranOutOfMemory: async () => (await group?.ranOutOfMemory()) === true,
    leftRunning: () => counts?.leftRunning(),
    lost: () => (counts?.lost() ?? []).map((path) => relative(confinement.root, path)),
    lostSoFar: (running) => lostSoFar(running, [...machine, ...plan.mounts], confinement.root, home).map((path) => relative(confinement.root, path)),
    explain: (outcome, said) =>
      view.explain({
        argv: request.argv,
        cwd,
        outcome,
        said,
        mounts: [...plan.mounts, ...files.replaced],
        hidden: isHiding
          ? inside.map(({ path, ...rest }) => ({ ...rest, path: `${confinement.root}/${Buffer.from(path, 'latin1').toString()}` }))
          : [],
        network: reach,
        refused: counts?.refused() ?? 0,
        refusedHosts: refusals?.hosts() ?? [],
        repository: request.repository?.path,
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** The layers of a command that may write to caches, or read what earlier commands of the project wrote there. */
async function layersOf(
  { layers }: RunParts,
  { argv }: ProcessRequest,
  machine: readonly Mount[],
  { home, writable, keeps, outputs }: LayerNeeds,
): Promise<Layers | undefined> {
  const fills = writable && needsCaches(argv);
  if (!fills && !layers.hasKept() && (outputs?.shown.length ?? 0) === 0) return undefined;
  const inHome = home === undefined ? [] : machine.filter(({ path }) => path.startsWith(`${home}/`));
  return await (
    await layers.open()
  )?.open({
    caches: machine.filter(({ kind }) => kind === 'cache').map(({ path }) => path),
    home,
    targets: inHome.map(({ path, kind }) => ({ path: path.slice((home ?? '').length + 1), isFolder: kind === 'cache' || kind === 'private' })),
    onlyKept: !fills,
    keeps,
    outputs,
  });
}

/** What a command needs of layers. */
interface LayerNeeds {
  readonly home: string | undefined;
  readonly writable: boolean;
  readonly keeps: boolean;
  readonly outputs: OutputLayers | undefined;
}

/** The build output of earlier commands that a command on the workspace itself sees. */
async function outputsOf({ options }: RunParts, { argv, signal, onNote }: ProcessRequest, { findings }: Survey): Promise<OutputLayers | undefined> {
  const source = await options.keptOutputs?.source();
  if (source === undefined) return undefined;
  const shown = await source.open(signal);
  // What is hidden or closed in such a folder stays so: a mount must not follow a link that a command made there.
  const isFree = (path: string): boolean =>
    !findings.some(
      (finding) => `${finding.path}/`.startsWith(`${path}/`) || (finding.kind !== 'protected' && `${path}/`.startsWith(`${finding.path}/`)),
    );
  for (const { path, below } of shown) if (!isFree(path)) below[Symbol.dispose]();
  return {
    root: options.confinement.root,
    shown: shown.filter(({ path }) => isFree(path)),
    keep: async (written, above) => {
      for (const note of await source.keep(written, above, argv.at(-1) ?? '')) onNote?.(note);
    },
  };
}

/** These folders of the workspace, with their layers. */
function outputMounts(outputs: OutputLayers | undefined, layers: Layers | undefined, writable: boolean): Mount[] {
  return (outputs?.shown ?? []).flatMap(({ path }): Mount[] => {
    const at = `${outputs?.root}/${path}`;
    const source = layers?.source(at);
    if (source === undefined) return [];
    return [writable ? { kind: 'cache', path: at, source } : { kind: 'read-only', path: at, source }];
  });
}

/** A mount of a cache or of the private home folder, with its layer. */
function layeredMount(mount: Mount, layers: Layers | undefined): Mount {
  const source = mount.kind === 'cache' || mount.kind === 'private' ? layers?.source(mount.path) : undefined;
  return source === undefined ? mount : { kind: 'cache', path: mount.path, source };
}

/** What stays write-protected while a command writes to the workspace itself. */
async function closedFor({ options, index }: RunParts, root: PinnedDirectory, { findings }: Survey): Promise<ClosedPlaces> {
  const { confinement, policy } = options;
  const linked = await index.namesOutside();
  // A rule that denies writing applies to every name of a file.
  const locked = findings.filter(({ kind, behindLink }) => kind === 'locked' && behindLink === undefined).map(({ path }) => path);
  using view = new ConfinedView(root);
  const { repositories, readOnly } =
    policy.allowProtected === true ? NOTHING_CLOSED : closedPlaces(view, confinement.root, findings, placesFromOutside(confinement));
  return { repositories, readOnly: [...readOnly, ...linked, ...index.secondNames([...readOnly, ...locked])] };
}

/** The large packs that stay as they are in a copy. Only commands that name git are known not to delete them. */
async function packsOf(
  { argv, environment }: ProcessRequest,
  { self }: PinnedDirectory,
  { findings }: Survey,
  substitute: Substitute | undefined,
): Promise<KeptPacks> {
  if (substitute === undefined || !argv.some((word) => word.includes('git'))) return NO_PACKS;
  const { keptPacks } = await import('./large-packs.ts');
  return keptPacks({ argv, environment, self, findings, also: substitute.also });
}

/** The mount of a substitute outside the workspace, below what hides or keeps places in it. */
function alsoMounts(substitute: Substitute | undefined, machine: readonly Mount[], packs: readonly Mount[]): Mount[] {
  const also = substitute?.also;
  if (also === undefined) return [];
  const masks = machine.filter(({ kind, path }) => kind.startsWith('masked') && path.startsWith(`${also.path}/`));
  return [{ kind: 'writable', ...also }, ...packs, ...masks];
}

/** The parts of one run that a plan is made of. */
interface PlanParts extends Pick<SandboxPlan, 'environment'> {
  readonly files: RunFiles;
  readonly network: SandboxNetwork;
  /** The mounts outside the workspace, and those in it. */
  readonly machine: readonly Mount[];
  readonly workspace: readonly Mount[];
  readonly isShared: boolean;
  readonly user: SandboxPlan['user'] | undefined;
}

function planOf({ options, support }: RunParts, { files, network, machine, workspace, isShared, user, environment }: PlanParts): SandboxPlan {
  const { policy, confinement } = options;
  const further = (policy.writable ?? []).map((path) => ({ kind: 'writable' as const, path }));
  const { filter, pidMax } = files.descriptors;
  return {
    mounts: [...machine, ...network.mounts, ...further.filter(({ path }) => path !== confinement.root), ...workspace],
    network: isShared ? 'joined' : network.namespace,
    temporaryBytes: support.limits.temporaryBytes,
    environment: { TMPDIR: '/tmp', ...environment, ...(network === NO_NETWORK ? OFFLINE_ENVIRONMENT : {}), ...network.environment },
    files: files.files,
    ...(filter === undefined ? {} : { filter }),
    ...(pidMax === undefined ? {} : { pidMax }),
    ...(user === undefined ? {} : { user }),
  };
}

/** The current path of a handle, according to the kernel. It is the same inside the sandbox. */
function currentPath(cwd: ProcessRequest['cwd']): string {
  using stack = new DisposableStack();
  const directory = typeof cwd === 'function' ? stack.use(cwd()) : cwd;
  const path = realpathSync(directory.self, { encoding: 'buffer' });
  if (isUtf8(path)) return path.toString();
  throw new SynapseError('encoding', 'The working directory has a name that is not UTF-8.', { hint: 'Rename it, or name another as cwd.' });
}
