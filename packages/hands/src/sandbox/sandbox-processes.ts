import { isUtf8 } from 'node:buffer';
import { realpathSync, statSync } from 'node:fs';
import { SynapseError } from '@synapse/protocol';
import { FIRST_HANDLE, type ProcessOutcome, type ProcessRequest, type Processes } from '../process/processes.ts';
import { assertUnlocked, lockCommands, UNLOCK } from '../quarantine/command-lock.ts';
import { takeAway, type Quarantined } from '../quarantine/take-away.ts';
import { hasNotes, noteBefore, takeUnfinished, type PlaceBefore } from '../quarantine/unfinished.ts';
import { ConfinedView } from '../workspace/confined-view.ts';
import type { Confinement, PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf } from '../workspace/file-error.ts';
import type { FolderIndex } from '../workspace-index/folder-index.ts';
import { sandboxArgv, type SandboxPlan } from './bubblewrap-arguments.ts';
import { atTop, closedPlaces, NOTHING_CLOSED, type ClosedPlaces } from './closed-places.ts';
import { leftovers, type Leftover } from './command-sweep.ts';
import type { ControlGroups } from './control-groups.ts';
import { watchDisk } from './disk-watch.ts';
import { filesWithNamesOutside } from './linked-files.ts';
import { countLeftBehind } from './left-behind.ts';
import { watchMemory } from './memory-watch.ts';
import type { Bubblewrap } from './find-bubblewrap.ts';
import { openFoundation, type Foundation } from './foundation.ts';
import type { FilteringProxyOptions } from './network/filtering-proxy.ts';
import { NO_NETWORK, type SandboxNetwork } from './network/sandbox-network.ts';
import { SessionNetworks } from './network/session-networks.ts';
import { openPidMax } from './process-count.ts';
import { countedArgv, processLimits, type ResourceLimits } from './resource-limits.ts';
import { TOOL_CHAINS, type SandboxPolicy } from './sandbox-policy.ts';
import { filteredArchitecture, openCallFilter } from './seccomp/call-filter.ts';
import { SetupFailure } from './setup-failure.ts';
import { listeningSockets, systemMounts } from './system-places.ts';
import { watchedPlaces, type WatchedPlace } from './watched-places.ts';
import { WorkspaceIndex, type Survey } from './workspace-index.ts';
import { workspaceMounts } from './workspace-mounts.ts';

/** How to set up {@link SandboxProcesses}. */
export interface SandboxOptions {
  /** What starts `bwrap`, and so bounds, marks and ends it. */
  readonly processes: Processes;
  readonly confinement: Confinement;
  readonly policy: SandboxPolicy;
  /** Where dangerous leftovers are kept; outside the workspace. */
  readonly quarantineFolder: string;
  /** Knows the folders of the workspace. Default: one of its own. */
  readonly folders?: FolderIndex;
  /** Whether {@link processes} runs as the root user. Default: whether this process does. */
  readonly asRoot?: boolean;
  /** How the proxy of a network by domains resolves and connects, and who hears of refusals. */
  readonly proxy?: Omit<FilteringProxyOptions, 'domains'>;
}

/** How a command in a sandbox ended. */
export interface SandboxOutcome extends ProcessOutcome {
  /** What the command left that another program would execute, and what became of it. */
  readonly quarantined: readonly Quarantined[];
  /** Whether the whole workspace could be looked at for that. */
  readonly sweptAll: boolean;
}

/** What stands in for the workspace in one run. */
export interface Substitute {
  /** The folder mounted over the workspace. */
  readonly source: string;
  /** Wraps the command line of the sandbox, to prepare the substitute in the same namespace. */
  readonly wrap: (argv: readonly [string, ...string[]]) => [string, ...string[]];
  /** Whether the network is that of the policy; where not, there is none. */
  readonly keepsNetwork: boolean;
  /** What the command does to it is judged before any of it reaches the workspace: nothing there need be kept from writing. */
  readonly isTransaction?: boolean;
  /** The user in the sandbox; the preparation needed to be another. */
  readonly user: { readonly uid: number; readonly gid: number };
}

const NO_READS: ReadonlySet<string> = new Set();

/** Runs processes in bubblewrap, by way of another {@link Processes}. */
export class SandboxProcesses implements Processes, AsyncDisposable {
  readonly tier = 'bubblewrap';
  readonly #options: SandboxOptions;
  readonly #bubblewrap: Bubblewrap;
  readonly #index: WorkspaceIndex;
  readonly #network: SandboxNetwork;
  readonly #sessions: SessionNetworks;
  readonly #limits: ResourceLimits;
  readonly #hasOwnTable: boolean;
  readonly #groups: ControlGroups | undefined;
  #lookedBack = false;

  private constructor(options: SandboxOptions, found: Foundation) {
    this.#options = options;
    this.#groups = found.groups;
    this.#bubblewrap = found.bubblewrap;
    this.#network = found.network;
    const { processes, confinement } = options;
    this.#sessions = new SessionNetworks({ bubblewrap: found.bubblewrap.program, processes, cwd: () => confinement.openDirectory([]) });
    this.#hasOwnTable = found.hasOwnTable;
    this.#limits = found.limits;
    this.#index = new WorkspaceIndex(
      options.confinement,
      {
        read: options.policy.deniesRead ?? (() => false),
        write: options.policy.deniesWrite,
        mayDenyBelow: options.policy.deniesRead === undefined && options.policy.deniesWrite === undefined ? () => false : options.policy.mayDenyBelow,
      },
      options.folders,
    );
  }

  /**
   * Opens a sandbox.
   *
   * @throws SynapseError `unavailable` where there is no usable bubblewrap; nothing then runs without one unasked
   */
  static async open(options: SandboxOptions, bubblewrap?: Bubblewrap): Promise<SandboxProcesses> {
    return new SandboxProcesses(options, await openFoundation(options, bubblewrap));
  }

  async run(request: ProcessRequest): Promise<SandboxOutcome> {
    return await this.runIn(request);
  }

  /** Runs a process with something else in place of the workspace, whose own state then stays as it is. */
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
      throw incomplete(survey);
    }
    // Also before a command that writes nothing: what an earlier one left must not wait for the next that does.
    // A trial run or a language server has no answer in which that could be told.
    const answers = policy.workspace !== 'read' && (substitute === undefined || substitute.isTransaction === true);
    const looksBack = looks && answers && !this.#lookedBack && (sweeps || hasNotes(quarantineFolder));
    const before = sweeps || looksBack ? reachable(() => watchedIn(root, confinement.root, survey)) : [];
    const earlier = looksBack ? this.#lookBack(root, before) : [];
    using _note = sweeps ? noteBefore(quarantineFolder, before) : undefined;
    // A proxy is a network, too: without one there is nothing to lead out.
    const network = substitute?.keepsNetwork === false || request.readOnly === true ? NO_NETWORK : this.#network;
    using shared = network.namespace === 'own' ? await this.#sessions.use(request.network) : undefined;
    const closed = writable ? await this.#closed(root, survey, substitute) : NOTHING_CLOSED;
    const plan = this.#plan(
      [
        ...reachable(() =>
          workspaceMounts(substitute?.isTransaction === true ? survey.findings.filter(({ kind }) => kind !== 'locked') : survey.findings, {
            root,
            rootPath: confinement.root,
            writable,
            closed,
            sockets: listeningSockets(),
            approvedReads: request.approvedReads ?? NO_READS,
            ...(substitute === undefined ? {} : { source: substitute.source }),
          }),
        ),
      ],
      network,
      substitute,
      shared !== undefined,
    );
    using filter = openCallFilter();
    using table = this.#hasOwnTable ? openPidMax(this.#limits.processes) : undefined;
    using left = request.countsLeft === true ? countLeftBehind() : undefined;
    // In the order in which the plan numbers them; then the network, then the count.
    const planned = [filter, table].filter((handle) => handle !== undefined);
    const handles = [...planned, ...(shared?.handles ?? []), ...(left === undefined ? [] : [left.handle])];
    const wrapped = network.wrap(left?.wrap(request.argv, FIRST_HANDLE + handles.length - 1) ?? request.argv);
    const { program, followsLinks } = this.#bubblewrap;
    const inner = this.#hasOwnTable ? wrapped : countedArgv(wrapped, this.#limits);
    const boxed = sandboxArgv({ program, followsLinks, cwd: currentPath(request.cwd), plan }, inner);
    const failure = new SetupFailure();
    const { totalMemoryBytes: memoryBytes, processes: count } = this.#limits;
    await using group = await this.#groups?.open({ memoryBytes, processes: count });
    const prepared = substitute === undefined ? boxed : substitute.wrap(boxed);
    using disk = watchDisk(confinement.root, this.#limits.keepFreeBytes);
    using memory = watchMemory(this.#limits.keepFreeMemoryBytes);
    let outcome: ProcessOutcome;
    let found: Quarantined[] = [];
    let sweptAll = true;
    let sweeping: Promise<Quarantined[]> = Promise.resolve([]);
    const sweep = (): Promise<Quarantined[]> => this.#sweep(root, before);
    // One after the other: what one takes away is not there for the next.
    const check = (): Promise<Quarantined[]> => (sweeping = sweeping.then(sweep, sweep));
    try {
      outcome = await processes.run({
        ...request,
        // What runs in a sandbox may start anything.
        hardened: true,
        limits: processLimits(this.#limits),
        handles,
        ...(group === undefined ? {} : { groupDoor: group.door }),
        argv: shared?.join(prepared, FIRST_HANDLE + planned.length) ?? prepared,
        signal: AbortSignal.any([request.signal, disk.signal, memory.signal]),
        onOutput: failure.watch(request.onOutput),
        onStart: (tree) => request.onStart?.(sweeps ? { ...tree, check } : tree),
      });
    } finally {
      // Also when the call failed: the command may have run.
      if (sweeps) found = await check();
      sweptAll = !found.some(({ reason }) => reason === 'not-searched');
    }
    for (const { signal } of [disk, memory]) if (signal.aborted) throw signal.reason;
    if ((await group?.ranOutOfMemory()) === true) throw outOfMemory(memoryBytes);
    if (!outcome.aborted) failure.assertStarted(outcome);
    return { ...outcome, leftRunning: left?.count() ?? outcome.leftRunning, sandbox: 'bubblewrap', quarantined: [...earlier, ...found], sweptAll };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#index[Symbol.dispose]();
    this.#sessions[Symbol.dispose]();
    await this.#network[Symbol.asyncDispose]();
  }

  /** What commands left whose process was killed before it could look; once, with the first command. */
  #lookBack(root: PinnedDirectory, now: readonly WatchedPlace[]): Quarantined[] {
    const { confinement, quarantineFolder } = this.#options;
    if (this.#lookedBack) return [];
    this.#lookedBack = true;
    const found = takeUnfinished(quarantineFolder).flatMap((before) => this.#leftovers(root, before, now));
    // A person may have made it since: told, and left where it is.
    const told = [...new Map(found.map((one) => [one.path, { ...one, remove: false }])).values()];
    return takeAway(confinement, quarantineFolder, told).map((one) => ({ ...one, action: 'found' }));
  }

  /** What stays as it is while a command may write to the workspace. */
  async #closed(root: PinnedDirectory, { findings }: Survey, substitute: Substitute | undefined): Promise<ClosedPlaces> {
    const { confinement, policy } = this.#options;
    // On a copy a file with a second name is copied when it is written.
    const linked = substitute === undefined ? await filesWithNamesOutside(root) : [];
    if (policy.allowProtected === true || substitute?.isTransaction === true) return { ...NOTHING_CLOSED, readOnly: linked };
    using view = new ConfinedView(root);
    const closed = closedPlaces(view, confinement.root, substitute === undefined ? findings : atTop(findings));
    return { ...closed, readOnly: [...closed.readOnly, ...linked] };
  }

  /** Takes away what a command left. Where not everything could be looked at, no further command runs until a person has looked. */
  async #sweep(root: PinnedDirectory, before: readonly PlaceBefore[]): Promise<Quarantined[]> {
    const { confinement, quarantineFolder } = this.#options;
    const found: Quarantined[] = [];
    let problem: string | undefined;
    try {
      const survey = await this.#index.survey();
      if (survey.unread?.length) problem = `What the last one left could not be looked at in full. ${unreadText(survey)}`;
      found.push(...takeAway(confinement, quarantineFolder, this.#leftovers(root, before, watchedIn(root, confinement.root, survey))));
    } catch (error) {
      problem = `What the last one left could not be judged (${errnoOf(error) ?? 'for an unknown reason'}).`;
    }
    if (problem === undefined) return found;
    lockCommands(quarantineFolder, problem);
    return [...found, { path: '.', reason: 'not-searched', detail: `${problem} A person must look, and run: ${UNLOCK}`, action: 'reported' }];
  }

  #leftovers(root: PinnedDirectory, before: readonly PlaceBefore[], after: readonly WatchedPlace[]): Leftover[] {
    const { confinement, policy } = this.#options;
    using view = new ConfinedView(root);
    return leftovers({ view, rootPath: confinement.root, before, after }, policy.allowProtected === true);
  }

  #plan(workspace: SandboxPlan['mounts'], network: SandboxNetwork, substitute: Substitute | undefined, isShared: boolean): SandboxPlan {
    const { policy, confinement } = this.#options;
    const isFiltered = filteredArchitecture() !== undefined;
    const further = (policy.writable ?? []).map((path) => ({ kind: 'writable' as const, path }));
    return {
      mounts: [
        ...systemMounts({ home: policy.home ?? TOOL_CHAINS, hidden: policy.hidden ?? [], network: network.namespace }),
        ...network.mounts,
        ...(policy.readable ?? []).map((path) => ({ kind: 'read-only' as const, path })),
        ...further.filter(({ path }) => path !== confinement.root),
        ...workspace,
      ],
      network: isShared ? 'joined' : network.namespace,
      temporaryBytes: this.#limits.temporaryBytes,
      environment: { TMPDIR: '/tmp', ...network.environment },
      ...(isFiltered ? { filter: FIRST_HANDLE } : {}),
      ...(this.#hasOwnTable ? { pidMax: isFiltered ? FIRST_HANDLE + 1 : FIRST_HANDLE } : {}),
      ...(substitute === undefined ? {} : { user: substitute.user }),
    };
  }
}

/** What is kept from commands is not known, so none runs. */
function incomplete(survey: Survey): SynapseError {
  if (survey.unread?.length) {
    return new SynapseError('too_large', `Commands do not run: not everything could be read to find what is kept from them. ${unreadText(survey)}`, {
      hint: 'Make it readable (chmod u+rwx), or delete it.',
    });
  }
  return new SynapseError('too_large', 'Commands do not run: too many entries lie behind links to find what is kept from commands there.', {
    hint: 'Make the rules name the places that the links lead to, or delete the links.',
  });
}

/** What a survey could not read, in one line. */
function unreadText({ unread = [] }: Survey): string {
  return `Not read: ${unread.join(', ')}.`;
}

/** Looks at places that were found. One whose path is too long for any program cannot be kept from commands either. */
function reachable<T>(look: () => T): T {
  try {
    return look();
  } catch (error) {
    if (errnoOf(error) !== 'ENAMETOOLONG') throw error;
    throw new SynapseError('unavailable', 'Commands do not run: a place that must be kept from them lies deeper than any path can be long.', {
      hint: 'A person can look for it with: find . -name .git -execdir pwd \\; and delete the folders that it lies in.',
      cause: error,
    });
  }
}

function watchedIn(root: PinnedDirectory, rootPath: string, survey: Survey): WatchedPlace[] {
  using view = new ConfinedView(root);
  return watchedPlaces(root, view, rootPath, survey);
}

function outOfMemory(bytes: number): SynapseError {
  return new SynapseError(
    'unavailable',
    `The command was ended because it used more than the ${(bytes / 2 ** 30).toFixed(1)} GiB of memory it may.`,
    {
      hint: 'Let it do less at once, with fewer processes (such as -j 2).',
    },
  );
}

/** Where a handle leads now, by the kernel's own name of it. Inside the sandbox that is the same place. */
function currentPath(cwd: ProcessRequest['cwd']): string {
  using stack = new DisposableStack();
  const directory = typeof cwd === 'function' ? stack.use(cwd()) : cwd;
  const path = realpathSync(directory.self, { encoding: 'buffer' });
  if (isUtf8(path)) return path.toString();
  throw new SynapseError('encoding', 'The working directory has a name that is not UTF-8.', { hint: 'Rename it, or name another as cwd.' });
}

/** Mounts go by name: the name must still be that of the folder that is held. */
function assertSame(handle: string, path: string): void {
  const held = statSync(handle);
  const named = statSync(path, { throwIfNoEntry: false });
  if (named?.ino === held.ino && named.dev === held.dev) return;
  throw new SynapseError('not_found', 'The workspace was moved or replaced.', { hint: 'Open it again where it is now.' });
}
