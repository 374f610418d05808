import { isUtf8 } from 'node:buffer';
import { realpathSync } from 'node:fs';
import { relative } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { LAUNCH_STEPS, type Argv, type Launch } from '../launch/launch-steps.ts';
import { RUN_MODES } from '../modes/run-modes.ts';
import type { ProcessRequest } from '../process/processes.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { sandboxArgv, type Mount, type SandboxPlan } from './bubblewrap-arguments.ts';
import { closedFor } from './closed-for.ts';
import { networkHint } from './explain-failure.ts';
import type { KeptPacks } from './large-packs.ts';
import type { Bubblewrap } from './find-bubblewrap.ts';
import { heldArgv } from './held-command.ts';
import { ownSockets, type OwnSockets } from './network/own-sockets.ts';
import { OFFLINE_ENVIRONMENT, OFFLINE_FILES, UNREACHED_PROXIES } from './network/offline-environment.ts';
import type { RefusalWatch } from './network/refused-hosts.ts';
import { isBridgeDenied } from './network/bridges.ts';
import { NO_NETWORK, type SandboxNetwork } from './network/sandbox-network.ts';
import type { JoinedNetwork } from './network/session-networks.ts';
import { countedArgv } from './resource-limits.ts';
import { lostSoFar, namedAbove, namesOtherMachine, openRunCounts, privateFolders, type RunCounts } from './run-counts.ts';
import { openRunFiles, type RunFiles } from './run-files.ts';
import type { PreparedRun, Run, RunParts, WorkspaceUse } from './run.ts';
import { keptCallFilter } from './seccomp/call-filter.ts';
import type { WorkspaceOverlay } from './workspace-overlay.ts';
import type { Layers, OutputLayers } from './view/cache-layers.ts';
import { listeningSockets } from './view/command-view.ts';
import { needsCaches } from './view/package-caches.ts';
import { outputMounts, outputsOf } from './run-outputs.ts';
import type { Survey } from './denied-path-index.ts';
import type { Tier } from './tier.ts';
import { userOfProcess } from '../workspace/process-identity.ts';
import { coversIn, hiddenPlaces, reachable, repositoryMounts, workspaceMounts, type HiddenPlace } from './workspace-mounts.ts';

const NO_READS: ReadonlySet<string> = new Set();
const NO_PACKS: KeptPacks = { inside: [], outside: [], environment: {} };

/** Confines commands with bubblewrap. */
export const bubblewrapTier = (bubblewrap: Bubblewrap): Tier => ({
  name: 'bubblewrap',
  copies: 'overlay',
  program: bubblewrap.program,
  prepare: async (parts, request, overlay, use) => await prepareRun({ ...parts, bubblewrap }, request, overlay, use),
});

/** What the runs of a sandbox with bubblewrap share. */
interface BubblewrapParts extends RunParts {
  readonly bubblewrap: Bubblewrap;
}

interface BubblewrapRun extends Run {
  readonly parts: BubblewrapParts;
}

async function prepareRun(
  parts: BubblewrapParts,
  request: ProcessRequest,
  overlay: WorkspaceOverlay | undefined,
  use: WorkspaceUse,
): Promise<PreparedRun> {
  const { options, support, view } = parts;
  const { root: rootPath } = options.confinement;
  const { root, survey, mode } = use;
  const run: BubblewrapRun = { parts, request, overlay, use, facts: RUN_MODES[mode] };
  await using stack = new AsyncDisposableStack();
  const network = await networkOf(run, stack);
  const packs = await packsOf(request, root, survey, overlay);
  const closed = run.facts.protected === 'mounted read-only' ? await closedFor(run) : { repositories: [], readOnly: packs.inside };
  const sockets = listeningSockets();
  const machine = await view.mounts(network.policy.namespace, {
    sockets,
    isCommand: mode !== 'server',
    readsNothing: overlay?.readsNothing === true,
    signal: request.signal,
  });
  const home = view.privateHome(network.policy.namespace);
  const { outputs, layers } = await layersFor(run, { machine, home }, stack);
  const shown = { root, rootPath, sockets, approvedReads: request.approvedReads ?? NO_READS, shown: view.shown };
  const hidden = await hiddenFrom(run, shown);
  const counts = request.countsLeft === true ? stack.use(openRunCounts()) : undefined;
  const files = stack.use(await filesFor(run, network, { machine, home, counts }));
  const writable = run.facts.workspace !== 'read-only';
  const inWorkspace = { ...shown, writable, closed, isHiding: hidden.byLayer, ...(overlay === undefined ? {} : { source: overlay.source }) };
  const plan = planOf(run, {
    files,
    network,
    layers,
    machine: [...files.mounts.map((mount) => layeredMount(mount, layers)), ...repositoryMounts(request)],
    workspace: [
      ...alsoMounts(overlay, files.mounts, packs.outside),
      ...reachable(() => workspaceMounts(hidden.findings, inWorkspace)),
      ...(outputs === undefined ? [] : outputMounts(outputs, layers, writable)),
    ],
    environment: packs.environment,
  });
  const refused = stack.use(network.policy.watchRefusals?.());
  const cwd = currentPath(request.cwd);
  const named = namedAbove(request.argv, cwd, rootPath);
  const counted = { folders: counts === undefined ? [] : privateFolders(machine, rootPath, home, named), home, named };
  const argv = launchArgv(request.argv, launchOf(run, { network, layers, files, counts, counted, boxed: { cwd, plan } }));
  const { totalMemoryBytes: memoryBytes, processes } = support.limits;
  const group = stack.use(await support.groups?.open({ memoryBytes, processes }));
  const opened = stack.move();
  const explained = { argv: request.argv, hidden: hiddenByLayer(hidden, rootPath), repository: request.repository?.path, limits: support.limits };
  const inFolder = (paths: readonly string[]): string[] => paths.map((path) => relative(rootPath, path));
  return {
    argv,
    handles: files.handles,
    // What is hidden from a copy has a layer of its own.
    covers: overlay === undefined ? coversIn(plan.mounts, rootPath) : [],
    cgroupProcs: group?.door,
    disks: [],
    environment: {},
    reach: network.reach,
    refused: refusedBy(network, counts, refused),
    transferOwnership: (owner) => layers?.transferOwnership(owner),
    assertMounted: () => layers?.assertMounted(),
    ranOutOfMemory: async () => (await group?.ranOutOfMemory()) === true,
    leftRunning: () => counts?.leftRunning(),
    lost: () => inFolder(counts?.lost() ?? []),
    lostSoFar: (running) => inFolder(lostSoFar(running, [...machine, ...plan.mounts], rootPath, home, named)),
    explain: (outcome, said) => {
      const refusals = { network: network.reach, refused: counts?.refused() ?? 0, refusedHosts: refused?.hosts() ?? [] };
      return view.explain({ ...explained, ...refusals, cwd, outcome, said, mounts: [...plan.mounts, ...files.replaced] });
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

async function filesFor(
  run: BubblewrapRun,
  network: RunNetwork,
  { machine, home, counts }: MachineParts & { readonly counts: RunCounts | undefined },
): Promise<RunFiles> {
  const { options, lasting } = run.parts;
  const { policy, shared } = network;
  return openRunFiles({
    filter: filterOf(run, network),
    pidMax: lasting.pidMax,
    home,
    homeFiles: (await options.homeFiles?.()) ?? [],
    furtherFiles: policy === NO_NETWORK ? OFFLINE_FILES : (policy.homeFiles ?? []),
    machine,
    mounted: [...machine.map(({ path }) => path), options.confinement.root],
    shared: shared?.handles ?? [],
    counts: counts?.handle,
  });
}

/** The network of one run. */
interface RunNetwork {
  readonly policy: SandboxNetwork;
  /** The one that the session shares; undefined if the command gets its own, or that of the machine. */
  readonly shared: JoinedNetwork | undefined;
  /** How its sockets are kept apart from those of others; undefined if nothing else is in its network. */
  readonly apart: OwnSockets | undefined;
  /** How much of other machines it reaches. */
  readonly reach: 'off' | 'some' | 'on';
}

const reachOf = (policy: SandboxNetwork): RunNetwork['reach'] => (policy === NO_NETWORK ? 'off' : policy.namespace === 'host' ? 'on' : 'some');

async function networkOf({ parts, request, overlay, use, facts }: Run, stack: AsyncDisposableStack): Promise<RunNetwork> {
  const { network } = parts.support;
  const isBridged = facts.network !== 'none' && network.forCommand !== undefined;
  const isDenied = isBridged && use.mode !== 'server' && isBridgeDenied(parts.options.policy.deniedPrograms);
  if (isDenied) request.onNote?.('Rules deny perl and node, of which one forwards the network of commands, so this command has no network.');
  // Without a network no proxy is needed either.
  const isOff = facts.network === 'none' || isDenied;
  const own = isOff ? undefined : await network.forCommand?.(request);
  if (own !== undefined) stack.use(own);
  const policy = isOff ? NO_NETWORK : (own ?? network);
  const shared = stack.use(policy.namespace === 'own' ? await parts.joinNetwork(request.network) : undefined);
  const together = shared === undefined ? policy.namespace : 'joined';
  return {
    policy,
    shared,
    apart: together === 'own' ? undefined : await ownSockets(together, overlay !== undefined, parts.options.confinement.root),
    reach: reachOf(policy),
  };
}

/** The filter of system calls. */
function filterOf({ parts, facts }: Run, { apart }: RunNetwork): number | undefined {
  if (apart !== undefined) return apart.filter;
  return facts.workspace === 'itself' ? keptCallFilter('live') : parts.lasting.filter;
}

/** How often the network refused a command so far, and what to do; undefined if it refuses nothing, or if that is not counted. */
function refusedBy({ reach }: RunNetwork, counts: RunCounts | undefined, refusals: RefusalWatch | undefined): PreparedRun['refused'] {
  if (reach === 'on' || counts === undefined) return undefined;
  return (running) => ({
    count: counts.refused(running) + (refusals?.count() ?? 0),
    hint: networkHint(
      reach,
      refusals?.hosts().filter(({ mayBeOthers }) => !mayBeOthers),
    ),
  });
}

/** What is hidden in the workspace, and how. */
interface Hidden {
  /** What the mounts of the workspace follow from. */
  readonly findings: Survey['findings'];
  readonly inside: readonly HiddenPlace[];
  /** Whether a layer of the copy hides it; otherwise mounts do. */
  readonly byLayer: boolean;
}

async function hiddenFrom({ overlay, use: { survey } }: Run, shown: Parameters<typeof hiddenPlaces>[1]): Promise<Hidden> {
  if (overlay === undefined) return { findings: survey.findings, inside: [], byLayer: false };
  // Changes of a copy are judged before they are applied.
  const findings = survey.findings.filter(({ kind }) => kind !== 'locked');
  const { inside } = reachable(() => hiddenPlaces(findings, shown));
  return { findings, inside, byLayer: inside.length > 0 && (await overlay.hide(inside)) };
}

/** What a layer hides, by full paths. */
const hiddenByLayer = ({ byLayer, inside }: Hidden, rootPath: string): HiddenPlace[] =>
  byLayer ? inside.map(({ path, ...rest }) => ({ ...rest, path: `${rootPath}/${Buffer.from(path, 'latin1').toString()}` })) : [];

/** What the steps of the launcher need of one run. */
interface LaunchParts {
  readonly network: RunNetwork;
  readonly layers: Layers | undefined;
  readonly files: RunFiles;
  readonly counts: RunCounts | undefined;
  readonly counted: Parameters<RunCounts['wrap']>[3];
  readonly boxed: { readonly cwd: string; readonly plan: SandboxPlan };
}

/** How this run passes each step of the launcher. */
function launchOf(
  { parts: { support, bubblewrap }, request, overlay }: BubblewrapRun,
  { network, layers, files, counts, counted, boxed }: LaunchParts,
): Launch {
  const { program, followsLinks } = bubblewrap;
  const { policy, shared, apart } = network;
  const { holding } = request;
  const ends = network.reach === 'on' ? 'none' : namesOtherMachine(request.argv) ? 'all' : 'failures';
  return {
    count: counts && ((argv) => counts.wrap(argv, files.descriptors.counts, { isShared: shared !== undefined, ends }, counted)),
    proxy: policy.wrap && ((argv) => policy.wrap?.(argv, shared !== undefined) ?? argv),
    limits: support.hasOwnTable ? undefined : (argv) => countedArgv(argv, support.limits),
    sandbox: (argv) => sandboxArgv({ program, followsLinks, ...boxed }, argv),
    layers: layers && ((argv) => layers.wrap(argv, overlay !== undefined)),
    copy: overlay?.wrap,
    sockets: apart?.wrap,
    network: shared && ((argv) => shared.join(argv, files.descriptors.shared)),
    hold: holding && ((argv) => heldArgv(argv, holding)),
  };
}

/** Wraps a command line by all steps but `harden`, which the runner of processes adds. */
function launchArgv(command: Argv, launch: Launch): Argv {
  let argv = command;
  for (const { name } of LAUNCH_STEPS) if (name !== 'harden') argv = launch[name]?.(argv) ?? argv;
  return argv;
}

/** The build output of earlier commands that a command sees, and its layers. */
interface RunLayers {
  readonly outputs: OutputLayers | undefined;
  readonly layers: Layers | undefined;
}

async function layersFor(run: Run, machine: MachineParts, stack: AsyncDisposableStack): Promise<RunLayers> {
  const { parts, request, facts } = run;
  // A copy has them already, and a command that only reads gets a copy for them.
  const isMounted = facts.outputs === 'mounted' && parts.options.keptOutputs?.exist() === true;
  const outputs = isMounted ? await outputsOf(run) : undefined;
  for (const { below } of outputs?.shown ?? []) stack.use(below);
  const needs = { ...machine, writable: facts.caches !== 'read-only', keeps: facts.caches === 'kept', outputs };
  const layers = stack.use(await layersOf(parts, request, needs));
  if (outputs !== undefined) {
    const { outputsNote } = await import('./view/output-source.ts');
    request.onNote?.(outputsNote(layers === undefined ? [] : outputs.shown));
  }
  return { outputs, layers };
}

/** What a command sees of the machine, and its private home folder. */
interface MachineParts {
  readonly machine: readonly Mount[];
  readonly home: string | undefined;
}

/** The layers of a command that may write to caches, or read what earlier commands of the project wrote there. */
async function layersOf(
  { layers }: RunParts,
  { argv, onNote, signal }: ProcessRequest,
  { machine, home, writable, keeps, outputs }: LayerNeeds,
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
    onNote,
    signal,
  });
}

/** What a command needs of layers. */
interface LayerNeeds extends MachineParts {
  readonly writable: boolean;
  readonly keeps: boolean;
  readonly outputs: OutputLayers | undefined;
}

/** A mount of a cache or of the private home folder, with its layer. */
function layeredMount(mount: Mount, layers: Layers | undefined): Mount {
  const source = mount.kind === 'cache' || mount.kind === 'private' ? layers?.source(mount.path) : undefined;
  return source === undefined ? mount : { kind: 'cache', path: mount.path, source };
}

/** The large packs that stay as they are in a copy. Only commands that name git are known not to delete them. */
async function packsOf(
  { argv, environment }: ProcessRequest,
  { self }: PinnedDirectory,
  { findings }: Survey,
  overlay: WorkspaceOverlay | undefined,
): Promise<KeptPacks> {
  if (overlay === undefined || !argv.some((word) => word.includes('git'))) return NO_PACKS;
  const { keptPacks } = await import('./large-packs.ts');
  return keptPacks({ argv, environment, self, findings, also: overlay.also });
}

/** The mount of an overlay outside the workspace, below what hides or keeps places in it. */
function alsoMounts(overlay: WorkspaceOverlay | undefined, machine: readonly Mount[], packs: readonly Mount[]): Mount[] {
  const also = overlay?.also;
  if (also === undefined) return [];
  const masks = machine.filter(({ kind, path }) => kind.startsWith('masked') && path.startsWith(`${also.path}/`));
  return [{ kind: 'writable', ...also }, ...packs, ...masks];
}

/** The parts of one run that a plan is made of. */
interface PlanParts extends Pick<LaunchParts, 'files' | 'network' | 'layers'> {
  /** The mounts outside the workspace, and those in it. */
  readonly machine: readonly Mount[];
  readonly workspace: readonly Mount[];
  readonly environment: SandboxPlan['environment'];
}

function planOf({ parts: { options, support }, request, overlay }: Run, given: PlanParts): SandboxPlan {
  const { files, network, layers, machine, workspace, environment } = given;
  const { policy, confinement } = options;
  const further = (policy.writable ?? []).map((path) => ({ kind: 'writable' as const, path }));
  const { filter, pidMax } = files.descriptors;
  // In a namespace that was created for mounts, the user is root.
  const user = overlay?.user ?? (layers && userOfProcess());
  return {
    mounts: [...machine, ...network.policy.mounts, ...further.filter(({ path }) => path !== confinement.root), ...workspace],
    network: network.shared === undefined ? network.policy.namespace : 'joined',
    temporaryBytes: support.limits.temporaryBytes,
    environment: {
      TMPDIR: '/tmp',
      // The workspace is a mount point there, and git only searches its own file system by default.
      ...(request.repository === undefined ? {} : { GIT_DISCOVERY_ACROSS_FILESYSTEM: '1' }),
      ...environment,
      ...(network.policy === NO_NETWORK ? OFFLINE_ENVIRONMENT : {}),
      ...network.policy.environment,
    },
    ...(network.policy === NO_NETWORK ? { unset: UNREACHED_PROXIES } : {}),
    files: files.files,
    ...(filter === undefined ? {} : { filter }),
    ...(pidMax === undefined ? {} : { pidMax }),
    ...(user === undefined ? {} : { user }),
  };
}

/** The current path of a handle, according to the kernel. It is the same inside the sandbox. */
export function currentPath(cwd: ProcessRequest['cwd']): string {
  using stack = new DisposableStack();
  const directory = typeof cwd === 'function' ? stack.use(cwd()) : cwd;
  const path = realpathSync(directory.self, { encoding: 'buffer' });
  if (isUtf8(path)) return path.toString();
  throw new SynapseError('encoding', 'The working directory has a name that is not UTF-8.', { hint: 'Rename it, or name another as cwd.' });
}
