import { isUtf8 } from 'node:buffer';
import { realpathSync, statSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import type { ProcessLimits } from '../process/hardening.ts';
import { FIRST_HANDLE, type ProcessOutcome, type ProcessRequest, type Processes, type SessionNetwork } from '../process/processes.ts';
import type { Quarantined } from '../quarantine/take-away.ts';
import { hasNotes, noteBefore, takeUnfinished, assertUnlocked } from '../quarantine/command-records.ts';
import { ConfinedView } from '../workspace/confined-view.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { placesFromOutside } from '../workspace/places-from-outside.ts';
import { processIdentity } from '../workspace/process-identity.ts';
import type { FolderIndex } from '../workspace-index/folder-index.ts';
import { sandboxArgv, type Mount, type SandboxPlan } from './bubblewrap-arguments.ts';
import { closedPlaces, NOTHING_CLOSED, type ClosedPlaces } from './closed-places.ts';
import type { ControlGroups } from './control-groups.ts';
import { openAnonymous, openCopiedFiles, openHomeFiles, type HomeFile } from './copied-files.ts';
import { heldArgv, withoutHolder } from './held-command.ts';
import { networkHint } from './explain-failure.ts';
import { watchDisk, watchMemory } from './resource-watch.ts';
import type { Bubblewrap } from './find-bubblewrap.ts';
import { findSandboxSupport, type SandboxSupport, type SandboxSupportOptions } from './sandbox-support.ts';
import { OFFLINE_ENVIRONMENT, OFFLINE_FILES } from './network/offline-environment.ts';
import { ownSockets } from './network/own-sockets.ts';
import { NO_NETWORK, type SandboxNetwork } from './network/sandbox-network.ts';
import { SessionNetworks } from './network/session-networks.ts';
import { keptPidMax } from './process-count.ts';
import { countedArgv, processLimits, type ResourceLimits } from './resource-limits.ts';
import { keptCallFilter } from './seccomp/call-filter.ts';
import { SetupFailure, SaidEnds } from './setup-failure.ts';
import { CacheLayers, needsCaches } from './view/cache-layers.ts';
import { CommandView, listeningSockets } from './view/command-view.ts';
import { openRunCounts, namesOtherMachine } from './run-counts.ts';
import { Sweeps } from './sweeps.ts';
import { incompleteSurvey, WorkspaceIndex, type Survey } from './workspace-index.ts';
import { hiddenPlaces, reachable, repositoryMounts, workspaceMounts, type HiddenPlace } from './workspace-mounts.ts';

/** Options of {@link SandboxProcesses}. */
export interface SandboxOptions extends SandboxSupportOptions {
  /** Starts `bwrap`, and so limits, marks and ends it. */
  readonly processes: Processes;
  readonly confinement: Confinement;
  /** Folder for dangerous leftovers, outside the workspace. */
  readonly quarantineFolder: string;
  /** Files in the home folder of commands. Default: none. */
  readonly homeFiles?: () => Promise<readonly HomeFile[]>;
  /** Folder for what commands write to package caches while they run, outside the workspace. Default: caches are read-only. */
  readonly layersFolder?: string;
  /** The index of the workspace's folders. Default: a private index. */
  readonly folders?: FolderIndex;
  /** Other names of the workspace, in addition to its real path. Default: none. */
  readonly rootNames?: readonly string[];
}

/** The outcome of a sandboxed command. */
export interface SandboxOutcome extends ProcessOutcome {
  /** Files left by the command that another program would execute, and what happened to them. */
  readonly quarantined: readonly Quarantined[];
  /** Whether the whole workspace could be checked for such files. */
  readonly sweptAll: boolean;
}

/** A substitute for the workspace in one run. The command's changes are judged before they reach the workspace, so nothing is write-protected. */
export interface Substitute {
  /** The folder mounted over the workspace. */
  readonly source: string;
  /** A substitute for a folder outside the workspace. */
  readonly also?: { readonly path: string; readonly source: string };
  /** Wraps the command line of the sandbox to prepare the substitute in the same namespace. */
  readonly wrap: (argv: readonly [string, ...string[]]) => [string, ...string[]];
  /** Whether the command has the network of the policy; otherwise none. */
  readonly keepsNetwork: boolean;
  /** Hides places in the substitute; resolves to false if they must be hidden by mounts instead. */
  readonly hide: (places: readonly HiddenPlace[]) => Promise<boolean>;
  /** Resolves when the command may start. */
  readonly ready: Promise<unknown>;
  /** The user in the sandbox, because the preparation runs as a different one. */
  readonly user: { readonly uid: number; readonly gid: number };
}

const NO_READS: ReadonlySet<string> = new Set();

/** Runs processes in bubblewrap, using another {@link Processes} to start it. */
export class SandboxProcesses implements Processes, AsyncDisposable {
  readonly tier = 'bubblewrap';
  /** The path of `bwrap`. */
  readonly program: string;
  readonly #options: SandboxOptions;
  readonly #bubblewrap: Bubblewrap;
  readonly #index: WorkspaceIndex;
  readonly #network: SandboxNetwork;
  /** Created with the first job: most hands start none. */
  #sessions: SessionNetworks | undefined;
  readonly #limits: ResourceLimits;
  readonly #processLimits: ProcessLimits;
  readonly #hasOwnTable: boolean;
  /** The filter of system calls, and the maximum number of processes, to open for each run. */
  readonly #lasting: { readonly filter: number | undefined; readonly pidMax: number | undefined };
  readonly #groups: ControlGroups | undefined;
  readonly #view: CommandView;
  readonly #layers: CacheLayers;
  readonly #sweeps: Sweeps;
  /** Whether the first command has swept after those of killed processes. */
  #hasRecovered = false;

  private constructor(options: SandboxOptions, found: SandboxSupport) {
    this.#options = options;
    this.#groups = found.groups;
    this.#bubblewrap = found.bubblewrap;
    this.program = found.bubblewrap.program;
    this.#network = found.network;
    const { confinement, policy } = options;
    this.#view = new CommandView({ policy, root: confinement.root, rootNames: options.rootNames, variables: options.variables });
    this.#layers = new CacheLayers(options.layersFolder);
    this.#hasOwnTable = found.hasOwnTable;
    this.#limits = found.limits;
    this.#lasting = { filter: keptCallFilter(), pidMax: found.hasOwnTable ? keptPidMax(found.limits.processes) : undefined };
    this.#processLimits = processLimits(found.limits);
    this.#index = new WorkspaceIndex(
      options.confinement,
      {
        read: options.policy.deniesRead ?? (() => false),
        write: options.policy.deniesWrite,
        mayDenyBelow: options.policy.deniesRead === undefined && options.policy.deniesWrite === undefined ? () => false : options.policy.mayDenyBelow,
      },
      options.folders,
    );
    this.#sweeps = new Sweeps(options, this.#index);
  }

  /**
   * Opens a sandbox.
   *
   * @throws SynapseError `unavailable` if no usable bubblewrap exists; nothing then runs without one implicitly
   */
  static async open(options: SandboxOptions, bubblewrap?: Bubblewrap): Promise<SandboxProcesses> {
    return new SandboxProcesses(options, await findSandboxSupport(options, bubblewrap));
  }

  async run(request: ProcessRequest): Promise<SandboxOutcome> {
    return await this.runIn(request);
  }

  /** Runs a process with a substitute for the workspace. The workspace itself does not change. */
  async runIn(request: ProcessRequest, substitute?: Substitute): Promise<SandboxOutcome> {
    const { processes, confinement, policy, quarantineFolder } = this.#options;
    assertUnlocked(quarantineFolder);
    using root = confinement.openDirectory([]);
    assertSame(root.self, confinement.root);
    const writable = policy.workspace !== 'read' && request.readOnly !== true;
    const sweeps = writable && (policy.allowProtected !== true || policy.deniesWrite !== undefined) && substitute === undefined;
    const looks = sweeps || policy.deniesRead !== undefined || writable;
    const survey: Survey = looks ? await this.#index.survey() : { findings: [], complete: true };
    if (!survey.complete && (policy.deniesRead !== undefined || policy.deniesWrite !== undefined)) {
      throw incompleteSurvey(survey);
    }
    // Also before a read-only command: leftovers must not wait for the next command that writes.
    // A dry run has no result to report it in.
    const answers = policy.workspace !== 'read' && substitute?.keepsNetwork !== false;
    const recovers = looks && answers && !this.#hasRecovered && (sweeps || hasNotes(quarantineFolder));
    const before = sweeps || recovers ? reachable(() => this.#sweeps.watched(root, survey)) : [];
    this.#hasRecovered ||= recovers;
    const earlier = recovers ? this.#sweeps.recover(root, before) : [];
    using note = sweeps ? noteBefore(quarantineFolder, before) : undefined;
    // Without a network no proxy is needed either.
    const network = substitute?.keepsNetwork === false || request.readOnly === true ? NO_NETWORK : this.#network;
    using shared = network.namespace === 'own' ? await this.#networks(request.network)?.use(request.network) : undefined;
    const closed = writable && substitute === undefined ? await this.#closed(root, survey) : NOTHING_CLOSED;
    const sockets = listeningSockets();
    const machine = await this.#view.mounts(network.namespace, sockets);
    const home = this.#view.privateHome(network.namespace);
    const mounted = [...machine.map(({ path }) => path), confinement.root];
    using homeFiles = openHomeFiles(home, (await this.#options.homeFiles?.()) ?? [], mounted);
    const caches = writable && needsCaches(request.argv) ? machine.filter(({ kind }) => kind === 'cache') : [];
    await using layers = caches.length === 0 ? undefined : await this.#layers.open(caches.map(({ path }) => path));
    // Changes of a copy are judged before they are applied.
    const findings = substitute === undefined ? survey.findings : survey.findings.filter(({ kind }) => kind !== 'locked');
    const shown = { root, rootPath: confinement.root, sockets, approvedReads: request.approvedReads ?? NO_READS };
    const { inside } = substitute === undefined ? { inside: [] } : reachable(() => hiddenPlaces(findings, shown));
    const isHiding = inside.length > 0 && (await substitute?.hide(inside)) === true;
    using offlineFiles = openHomeFiles(home, network === NO_NETWORK ? OFFLINE_FILES : [], mounted);
    using copied = openCopiedFiles(machine);
    const together = shared === undefined ? network.namespace : 'joined';
    const apart = together === 'own' ? undefined : await ownSockets(together, substitute !== undefined);
    const calls = apart === undefined ? this.#lasting.filter : apart.filter;
    using filter = calls === undefined ? undefined : openAnonymous(calls);
    using table = this.#lasting.pidMax === undefined ? undefined : openAnonymous(this.#lasting.pidMax);
    using counts = request.countsLeft === true ? openRunCounts() : undefined;
    // The order gives the descriptors their numbers. A shell accepts only one digit, so files that it need not know are last.
    const settings = [filter, table].filter((handle) => handle !== undefined);
    const planned = [...settings, ...homeFiles];
    const named = [...planned, ...(shared?.handles ?? []), ...(counts === undefined ? [] : [counts.handle])];
    const last = [...offlineFiles, ...copied.files];
    const handles = [...named, ...last];
    const plan = this.#plan(
      [
        ...copied.mounts.map((mount) => (mount.kind === 'cache' ? { ...mount, source: layers?.source(mount.path) } : mount)),
        ...repositoryMounts(request),
      ],
      [
        ...alsoMounts(substitute, copied.mounts),
        ...reachable(() =>
          workspaceMounts(findings, {
            ...shown,
            writable,
            closed,
            isHiding,
            ...(substitute === undefined ? {} : { source: substitute.source }),
          }),
        ),
      ],
      network,
      // In a namespace that was created for mounts, the user is root.
      substitute?.user ?? (layers === undefined ? undefined : { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }),
      shared !== undefined,
      [...numbered(homeFiles, FIRST_HANDLE + settings.length), ...numbered(last, FIRST_HANDLE + named.length)],
      // The workspace is a mount point there, and git only searches its own file system by default.
      request.repository === undefined ? {} : { GIT_DISCOVERY_ACROSS_FILESYSTEM: '1' },
    );
    using refusals = network.watchRefusals?.();
    const reach = network === NO_NETWORK ? 'off' : network.namespace === 'host' ? 'on' : 'some';
    const ends = reach === 'on' ? 'none' : namesOtherMachine(request.argv) ? 'all' : 'failures';
    const counted = counts?.wrap(request.argv, FIRST_HANDLE + named.length - 1, { isShared: shared !== undefined, ends }) ?? request.argv;
    const wrapped = network.wrap?.(counted) ?? counted;
    const { program, followsLinks } = this.#bubblewrap;
    const inner = this.#hasOwnTable ? wrapped : countedArgv(wrapped, this.#limits);
    const cwd = currentPath(request.cwd);
    const boxed = sandboxArgv({ program, followsLinks, cwd, plan }, inner);
    const failure = new SetupFailure();
    const said = new SaidEnds();
    const { totalMemoryBytes: memoryBytes, processes: count } = this.#limits;
    await using group = await this.#groups?.open({ memoryBytes, processes: count });
    const layered = layers?.wrap(boxed, substitute !== undefined) ?? boxed;
    const substituted = substitute === undefined ? layered : substitute.wrap(layered);
    const prepared = apart?.wrap(substituted) ?? substituted;
    using disk = watchDisk(confinement.root, this.#limits.keepFreeBytes);
    using memory = watchMemory(this.#limits.keepFreeMemoryBytes);
    let outcome: ProcessOutcome;
    let found: Quarantined[] = [];
    let sweptAll = true;
    let sweeping: Promise<Quarantined[]> = Promise.resolve([]);
    const sweep = (): Promise<Quarantined[]> => this.#sweeps.sweep(root, before);
    // In sequence: what one sweep removes is gone for the next.
    const check = (): Promise<Quarantined[]> => (sweeping = sweeping.then(sweep, sweep));
    const { holding } = request;
    const joined = shared?.join(prepared, FIRST_HANDLE + planned.length) ?? prepared;
    await substitute?.ready;
    try {
      outcome = await processes.run({
        ...request,
        // A sandboxed command can start anything.
        hardened: true,
        limits: this.#processLimits,
        handles,
        ...(group === undefined ? {} : { cgroupProcs: group.door }),
        argv: holding === undefined ? joined : heldArgv(joined, holding),
        signal: AbortSignal.any([request.signal, disk.signal, memory.signal]),
        onOutput: failure.watch((stream, chunk) => {
          said.add(chunk);
          request.onOutput(stream, chunk);
        }),
        onStart: (tree) =>
          request.onStart?.({
            ...tree,
            ...(holding === undefined
              ? {}
              : {
                  list: () => withoutHolder(tree.list(), tree.root.pid),
                  handOver: (owner: string) => {
                    note?.handOver(owner);
                    layers?.handOver(owner);
                    tree.handOver?.(owner);
                  },
                }),
            ...(sweeps ? { check } : {}),
            ...(reach === 'on' || counts === undefined
              ? {}
              : {
                  refused: () => ({
                    count: counts.refused(tree.list()) + (refusals?.count() ?? 0),
                    hint: networkHint(
                      reach,
                      refusals?.hosts().filter(({ mayBeOthers }) => !mayBeOthers),
                    ),
                  }),
                }),
          }),
      });
    } finally {
      // Also if the call failed, because the command may have run.
      if (sweeps) found = await check();
      sweptAll = !found.some(({ reason }) => reason === 'not-searched');
    }
    for (const { signal } of [disk, memory]) if (signal.aborted) throw signal.reason;
    if ((await group?.ranOutOfMemory()) === true) throw outOfMemory(memoryBytes);
    if (!outcome.aborted) failure.assertStarted(outcome);
    const hints = this.#view.explain({
      argv: request.argv,
      cwd,
      outcome,
      said: said.text,
      mounts: [...plan.mounts, ...copied.replaced],
      hidden: isHiding ? inside.map(({ path }) => `${confinement.root}/${Buffer.from(path, 'latin1').toString()}`) : [],
      network: reach,
      refused: counts?.refused() ?? 0,
      refusedHosts: refusals?.hosts() ?? [],
      repository: request.repository?.path,
    });
    const leftRunning = counts?.leftRunning() ?? outcome.leftRunning;
    return { ...outcome, leftRunning, hints, sandbox: 'bubblewrap', quarantined: [...earlier, ...found], sweptAll };
  }

  /** Quarantines what commands left that were handed over to this process. */
  async sweepHandedOver(): Promise<Quarantined[]> {
    const { confinement, quarantineFolder } = this.#options;
    using root = confinement.openDirectory([]);
    const notes = takeUnfinished(quarantineFolder, (owner) => owner === processIdentity());
    const found: Quarantined[] = [];
    for (const before of notes) found.push(...(await this.#sweeps.sweep(root, before)));
    return found;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#index[Symbol.dispose]();
    this.#view[Symbol.dispose]();
    this.#sessions?.[Symbol.dispose]();
    await this.#network[Symbol.asyncDispose]();
  }

  /** The shared networks; undefined as long as no command has opened one. */
  #networks(wanted: SessionNetwork | undefined): SessionNetworks | undefined {
    const { processes, confinement } = this.#options;
    if (wanted?.opens === true)
      this.#sessions ??= new SessionNetworks({ bubblewrap: this.#bubblewrap.program, processes, cwd: () => confinement.openDirectory([]) });
    return this.#sessions;
  }

  /** What stays write-protected while a command writes to the workspace itself. */
  async #closed(root: PinnedDirectory, { findings }: Survey): Promise<ClosedPlaces> {
    const { confinement, policy } = this.#options;
    const linked = await this.#index.namesOutside();
    // A rule that denies writing applies to every name of a file.
    const locked = findings.filter(({ kind, behindLink }) => kind === 'locked' && behindLink === undefined).map(({ path }) => path);
    using view = new ConfinedView(root);
    const { repositories, readOnly } =
      policy.allowProtected === true ? NOTHING_CLOSED : closedPlaces(view, confinement.root, findings, placesFromOutside(confinement));
    return { repositories, readOnly: [...readOnly, ...linked, ...this.#index.secondNames([...readOnly, ...locked])] };
  }

  #plan(
    machine: SandboxPlan['mounts'],
    workspace: SandboxPlan['mounts'],
    network: SandboxNetwork,
    user: SandboxPlan['user'],
    isShared: boolean,
    files: NonNullable<SandboxPlan['files']>,
    environment: SandboxPlan['environment'],
  ): SandboxPlan {
    const { policy, confinement } = this.#options;
    const isFiltered = this.#lasting.filter !== undefined;
    const further = (policy.writable ?? []).map((path) => ({ kind: 'writable' as const, path }));
    return {
      mounts: [...machine, ...network.mounts, ...further.filter(({ path }) => path !== confinement.root), ...workspace],
      network: isShared ? 'joined' : network.namespace,
      temporaryBytes: this.#limits.temporaryBytes,
      environment: { TMPDIR: '/tmp', ...environment, ...(network === NO_NETWORK ? OFFLINE_ENVIRONMENT : {}), ...network.environment },
      files,
      ...(isFiltered ? { filter: FIRST_HANDLE } : {}),
      ...(this.#hasOwnTable ? { pidMax: isFiltered ? FIRST_HANDLE + 1 : FIRST_HANDLE } : {}),
      ...(user === undefined ? {} : { user }),
    };
  }
}

/** The mount of a substitute outside the workspace, below what hides places in it. */
function alsoMounts(substitute: Substitute | undefined, machine: readonly Mount[]): Mount[] {
  const also = substitute?.also;
  if (also === undefined) return [];
  const masks = machine.filter(({ kind, path }) => kind.startsWith('masked') && path.startsWith(`${also.path}/`));
  return [{ kind: 'writable', ...also }, ...masks];
}

/** Gives files the numbers of their descriptors in the sandbox, in the order of the handles. */
const numbered = (files: ReadonlyArray<{ readonly path: string; readonly mode?: number }>, first: number): NonNullable<SandboxPlan['files']> =>
  files.map(({ path, mode }, index) => ({ descriptor: first + index, path, ...(mode === undefined ? {} : { mode }) }));

function outOfMemory(bytes: number): SynapseError {
  return new SynapseError(
    'unavailable',
    `The command was ended because it used more than the ${(bytes / 2 ** 30).toFixed(1)} GiB of memory it may.`,
    {
      hint: 'Let it do less at once, with fewer processes (such as -j 2).',
    },
  );
}

/** The current path of a handle, according to the kernel. It is the same inside the sandbox. */
function currentPath(cwd: ProcessRequest['cwd']): string {
  using stack = new DisposableStack();
  const directory = typeof cwd === 'function' ? stack.use(cwd()) : cwd;
  const path = realpathSync(directory.self, { encoding: 'buffer' });
  if (isUtf8(path)) return path.toString();
  throw new SynapseError('encoding', 'The working directory has a name that is not UTF-8.', { hint: 'Rename it, or name another as cwd.' });
}

/** Mounts use paths, so the path must still lead to the open folder. */
function assertSame(handle: string, path: string): void {
  const held = statSync(handle);
  const named = statSync(path, { throwIfNoEntry: false });
  if (named?.ino === held.ino && named.dev === held.dev) return;
  throw new SynapseError('not_found', 'The workspace was moved or replaced.', { hint: 'Open it again where it is now.' });
}
