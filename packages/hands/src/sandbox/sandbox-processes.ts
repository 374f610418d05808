import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { once, until } from '../events/timing.ts';
import type { ProcessLimits } from '../process/hardening.ts';
import type { ProcessOutcome, ProcessRequest, Processes, RunningTree } from '../process/processes.ts';
import { RUN_MODES, type RunModeFacts } from '../modes/run-modes.ts';
import { assertUnlocked, hasNotes, type Mark, markRunning, takeUnfinished } from '../quarantine/command-records.ts';
import type { Quarantined } from '../quarantine/take-away.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { errnoOf, whyNotKept } from '../workspace/file-error.ts';
import { processIdentity } from '../workspace/process-identity.ts';
import type { Bubblewrap } from './find-bubblewrap.ts';
import { remountCovers } from './remount-covers.ts';
import { withoutHolder } from './held-command.ts';
import { LastingCovers } from './lasting-covers.ts';
import { SessionNetworks } from './network/session-networks.ts';
import { bubblewrapTier } from './prepared-run.ts';
import type { PreparedRun, RunParts, WorkspaceUse } from './run.ts';
import { keptPidMax } from './process-count.ts';
import { processLimits } from './resource-limits.ts';
import { onePerDisk, watchDisk, watchMemory } from './resource-watch.ts';
import type { SandboxOptions } from './sandbox-options.ts';
import { findSandboxSupport, type SandboxSupport } from './sandbox-support.ts';
import { keptCallFilter } from './seccomp/call-filter.ts';
import { SaidEnds, SetupFailure } from './setup-failure.ts';
import type { StagedFiles } from './staged-files.ts';
import type { Tier } from './tier.ts';
import type { WorkspaceOverlay } from './workspace-overlay.ts';
import { Sweeps, type CommandSweeps } from './sweeps.ts';
import type { CacheLayers } from './view/cache-layers.ts';
import { CommandView } from './view/command-view.ts';
import { homeFolder } from './view/machine-view.ts';
import { incompleteSurvey, DeniedPathIndex, type Survey } from './denied-path-index.ts';
import type { Cover } from './workspace-mounts.ts';

/** The outcome of a sandboxed command. */
export interface SandboxOutcome extends ProcessOutcome {
  /** Files left by the command that another program would execute, and what happened to them. */
  readonly quarantined: readonly Quarantined[];
}

/** What commands left that were handed over to this process. */
export interface HandedOver {
  readonly quarantined: readonly Quarantined[];
  /** What was not kept, and why. */
  readonly notes: readonly string[];
}

const NOT_LOOKED: Survey = { findings: [], complete: true };

/** Runs processes in a sandbox, using another {@link Processes} to start it. */
export class SandboxProcesses implements Processes, AsyncDisposable {
  readonly tier: Tier['name'];
  /** The path of the program that confines them, such as `bwrap`. */
  readonly program: string;
  readonly copies: Tier['copies'];
  readonly #prepare: Tier['prepare'];
  readonly #end: Tier['end'];
  readonly #options: SandboxOptions;
  readonly #parts: RunParts;
  readonly #processLimits: ProcessLimits;
  readonly #sweeps: Sweeps;
  /** Whether leftovers of killed processes were cleaned up. */
  #hasRecovered = false;
  /** What is said about what was handed over, with the next command. */
  readonly #notes: string[] = [];
  /** Loaded with the first hidden file: most workspaces have none. */
  #staged: StagedFiles | undefined;
  /** Created with the first job: most hands start none. */
  #sessions: SessionNetworks | undefined;

  private constructor(options: SandboxOptions, support: SandboxSupport, tier: Tier) {
    this.#options = options;
    this.tier = tier.name;
    this.program = tier.program;
    this.copies = tier.copies;
    this.#prepare = tier.prepare;
    this.#end = tier.end;
    this.#processLimits = processLimits(support.limits);
    const { confinement, policy, processes, rootNames, variables } = options;
    const { deniesRead, deniesWrite } = policy;
    const index = new DeniedPathIndex(
      confinement,
      {
        read: deniesRead ?? (() => false),
        readsUsualNames: deniesRead === undefined ? () => true : policy.readsUsualNames,
        write: deniesWrite,
        mayDenyBelow: deniesRead === undefined && deniesWrite === undefined ? () => false : policy.mayDenyBelow,
      },
      options.folders,
    );
    this.#sweeps = new Sweeps(options, index);
    this.#parts = {
      options,
      support,
      lasting: { filter: keptCallFilter(), pidMax: support.hasOwnTable ? keptPidMax(support.limits.processes) : undefined },
      joinNetwork: async (wanted) => {
        const cwd = (): PinnedDirectory => confinement.openDirectory([]);
        if (wanted?.opens === true) this.#sessions ??= new SessionNetworks({ bubblewrap: this.program, processes, cwd });
        return await this.#sessions?.use(wanted);
      },
      view: new CommandView({ policy, root: confinement.root, rootNames, variables }),
      layers: {
        hasKept: () => options.keptCaches !== undefined && existsSync(options.keptCaches.folder),
        open: once(async () => await openLayers(options)),
      },
      index,
    };
  }

  /**
   * Opens a sandbox.
   *
   * @throws SynapseError `unavailable` if no usable bubblewrap exists; nothing then runs without one implicitly
   */
  static async open(options: SandboxOptions, bubblewrap?: Bubblewrap): Promise<SandboxProcesses> {
    const support = await findSandboxSupport(options, bubblewrap);
    return await SandboxProcesses.openTier(options, support, bubblewrapTier(support.bubblewrap));
  }

  /** Opens a sandbox with what confines in it. */
  static async openTier(options: SandboxOptions, support: SandboxSupport, tier: Tier): Promise<SandboxProcesses> {
    const sandbox = new SandboxProcesses(options, support, tier);
    await sandbox.#keepHandedOver();
    return sandbox;
  }

  /** Keeps caches and build output of jobs that outlived their process, before a command looks at them. */
  async #keepHandedOver(): Promise<void> {
    const { layersFolder: above, keptCaches, keptOutputs } = this.#options;
    if (above === undefined || keptCaches === undefined) return;
    const project = basename(keptCaches.folder);
    if (!hasLayers(above, project)) return;
    try {
      const layers = await this.#parts.layers.open();
      const source = keptOutputs?.exist() === true ? await keptOutputs.source() : undefined;
      this.#notes.push(...((await layers?.keepHandedOver(source?.keep)) ?? []));
    } catch (error) {
      // The next build writes it again. Commands must not fail for it.
      this.#notes.push(`What a job left was not kept: ${whyNotKept(error)}.`);
    }
  }

  async run(request: ProcessRequest): Promise<SandboxOutcome> {
    return await this.runIn(request);
  }

  /** Runs a process with an overlay for the workspace. The workspace itself does not change. */
  async runIn(request: ProcessRequest, overlay?: WorkspaceOverlay): Promise<SandboxOutcome> {
    const { confinement, quarantineFolder } = this.#options;
    assertUnlocked(quarantineFolder);
    await using stack = new AsyncDisposableStack();
    const root = stack.use(confinement.openDirectory([]));
    assertSame(root.self, confinement.root);
    const { use, marks } = await this.#look(root, request, stack, overlay?.readsNothing === true);
    const run = stack.use(await this.#prepare(this.#parts, request, overlay, use));
    return await this.#start(request, run, marks, { stack, ready: overlay?.ready });
  }

  /** Says once what was handed over to this process. */
  #tellNotes({ onNote }: ProcessRequest): void {
    for (const note of onNote === undefined ? [] : this.#notes.splice(0)) onNote?.(note);
  }

  /** Looks at the workspace before a process runs, and tells other processes about it. */
  async #look(
    root: PinnedDirectory,
    request: ProcessRequest,
    stack: AsyncDisposableStack,
    readsNothing: boolean,
  ): Promise<{ use: WorkspaceUse; marks: CommandMarks }> {
    const { policy, quarantineFolder } = this.#options;
    // A language server runs for long, and no model chooses what it reads.
    const mode = request.mode ?? policy.mode ?? 'live';
    const facts = RUN_MODES[mode];
    const isCommand = policy.deniesRead !== undefined && mode !== 'server';
    const running = stack.use(isCommand ? await markRunning(quarantineFolder, request.signal) : undefined);
    const sweeps = sweepsAfter(facts, policy);
    const looks = !readsNothing && looksBefore(facts, policy);
    const survey = looks ? await this.#survey(facts, request.signal) : NOT_LOOKED;
    // Also before a read-only command: leftovers must not wait for the next command that writes.
    const recovers = looks && facts.reportsEarlier && !this.#hasRecovered && (sweeps || hasNotes(quarantineFolder));
    const swept = stack.use(sweeps || recovers ? this.#sweeps.before(root, survey, { sweeps, recovers, command: request.argv.at(-1) }) : undefined);
    this.#hasRecovered ||= recovers;
    const seen = facts.showsStaged ? await this.#withoutStaged(root, survey) : survey;
    this.#tellNotes(request);
    return { use: { root, survey: seen, mode }, marks: { swept, running } };
  }

  /** @throws SynapseError if places that a rule denies may be where nothing could be read */
  async #survey({ workspace }: RunModeFacts, signal: AbortSignal): Promise<Survey> {
    const { deniesRead, deniesWrite } = this.#options.policy;
    const survey = await until(this.#parts.index.survey(), signal);
    // A live command could open a folder that its owner closed. On a copy or a read-only view, an empty one is in its place.
    const isKnown = survey.complete || (survey.hidesUnread === true && workspace !== 'itself');
    if (!isKnown && (deniesRead !== undefined || deniesWrite !== undefined)) throw incompleteSurvey(survey);
    return survey;
  }

  /** Starts a process, and watches the machine and its mounts until it ends. */
  async #start(request: ProcessRequest, run: PreparedRun, marks: CommandMarks, { stack, ready }: Start): Promise<SandboxOutcome> {
    const { processes, confinement } = this.#options;
    const { keepFreeBytes, keepFreeMemoryBytes, totalMemoryBytes } = this.#parts.support.limits;
    const failure = new SetupFailure();
    const said = new SaidEnds();
    let tree: RunningTree | undefined;
    const found = [...(marks.swept?.earlier ?? [])];
    const check = async (): Promise<void> => void found.push(...((await marks.swept?.check?.()) ?? []));
    const cover = async (lost: readonly Cover[]): Promise<boolean> => {
      const cwd = (): PinnedDirectory => confinement.openDirectory([]);
      const isCovered = tree !== undefined && (await remountCovers({ processes, cwd }, tree.list(), lost));
      // What it did before it was covered again.
      await check();
      return isCovered;
    };
    const disks = (run.disks.length === 0 ? [confinement.root] : onePerDisk([confinement.root, ...run.disks])).map((path) =>
      stack.use(watchDisk(path, keepFreeBytes)),
    );
    const watches = [...disks, stack.use(watchMemory(keepFreeMemoryBytes))];
    if (run.covers.length > 0) watches.push(stack.use(new LastingCovers({ root: confinement.root, covers: run.covers, cover })));
    await ready;
    const take: ProcessRequest['onOutput'] = (stream, chunk) => {
      said.add(chunk);
      request.onOutput(stream, chunk);
    };
    const { edge } = this.#options;
    const output =
      edge?.exist() === true ? (await import('./scrubbed-output.ts')).scrubbedOutput(take, await until(edge.secrets(), request.signal)) : undefined;
    let outcome: ProcessOutcome;
    try {
      outcome = await processes.run({
        ...request,
        // A sandboxed command can start anything.
        hardened: true,
        limits: this.#processLimits,
        handles: run.handles,
        environment: { ...request.environment, ...run.environment },
        ...(run.endsAllBy === undefined ? {} : { endsAllBy: run.endsAllBy }),
        ...(run.cgroupProcs === undefined ? {} : { cgroupProcs: run.cgroupProcs }),
        argv: run.argv,
        signal: AbortSignal.any([request.signal, ...watches.map(({ signal }) => signal)]),
        onOutput: failure.watch(output?.take ?? take),
        onStart: (started) => {
          tree = started;
          request.onStart?.(tracked(started, request, run, marks));
        },
      });
    } finally {
      output?.end();
      // Also if the call failed, because the command may have run.
      await check();
    }
    throwIfEnded(watches);
    run.assertMounted();
    if (await run.ranOutOfMemory()) throw outOfMemory(totalMemoryBytes);
    if (!outcome.aborted) failure.assertStarted(outcome);
    const hints = run.explain(outcome, said.text);
    const leftRunning = run.leftRunning() ?? outcome.leftRunning;
    return { ...outcome, leftRunning, hints, sandbox: this.tier, network: run.reach, quarantined: found, lost: run.lost() };
  }

  /** Leaves out the hidden files that a command can read in the repository anyway. */
  async #withoutStaged({ self }: PinnedDirectory, survey: Survey): Promise<Survey> {
    const { hidesByName, deniesReadByRule } = this.#options.policy;
    if (hidesByName === undefined || !survey.findings.some(({ kind }) => kind === 'denied')) return survey;
    if (this.#staged === undefined) {
      const { StagedFiles } = await import('./staged-files.ts');
      this.#staged ??= new StagedFiles({ isByName: hidesByName, isByRule: (path) => deniesReadByRule?.(path) === true });
    }
    return { ...survey, findings: this.#staged.without(self, survey.findings) };
  }

  /** Quarantines what commands left that were handed over to this process. Returns also what is said about their build output. */
  async sweepHandedOver(): Promise<HandedOver> {
    const { confinement, quarantineFolder } = this.#options;
    using root = confinement.openDirectory([]);
    const notes = takeUnfinished(quarantineFolder, (owner) => owner === processIdentity());
    const found: Quarantined[] = [];
    for (const before of notes) found.push(...(await this.#sweeps.sweep(root, before)));
    return { quarantined: found, notes: this.#notes.splice(0) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { index, view, support } = this.#parts;
    index[Symbol.dispose]();
    view[Symbol.dispose]();
    this.#sessions?.[Symbol.dispose]();
    await this.#end?.();
    await support.network[Symbol.asyncDispose]();
  }
}

/** Whether commands of a project left layers, or use some. A folder that cannot be read holds none for this user. */
function hasLayers(above: string, project: string): boolean {
  try {
    return readdirSync(above).some((name) => name.includes(`-${project}-`));
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** The layers over caches, loaded with the first command that needs them. */
async function openLayers({ layersFolder: folder, keptCaches: kept, variables = process.env }: SandboxOptions): Promise<CacheLayers | undefined> {
  if (folder === undefined) return undefined;
  const { CacheLayers } = await import('./view/cache-layers.ts');
  return new CacheLayers({ folder, kept, variables, homeName: homeFolder({ variables }) });
}

/** What tells other processes about a running command. */
interface CommandMarks {
  readonly swept: CommandSweeps | undefined;
  readonly running: Mark | undefined;
}

/** What a process waits for before it starts, and what is released after its end. */
interface Start {
  readonly stack: AsyncDisposableStack;
  readonly ready: Promise<unknown> | undefined;
}

/** Adds to a running command what its sandbox can do with it. */
function tracked(tree: RunningTree, { holding }: ProcessRequest, run: PreparedRun, { swept, running }: CommandMarks): RunningTree {
  const { refused } = run;
  const held: Partial<RunningTree> = {
    list: () => withoutHolder(tree.list(), tree.root.pid),
    transferOwnership: (owner) => {
      swept?.transferOwnership(owner);
      running?.transferOwnership(owner);
      run.transferOwnership(owner);
      tree.transferOwnership?.(owner);
    },
  };
  return {
    ...tree,
    ...(holding === undefined ? {} : held),
    ...(swept?.check === undefined ? {} : { check: swept.check }),
    ...(refused === undefined ? {} : { refused: () => refused(tree.list()) }),
    lost: () => run.lostSoFar(tree.list()),
  };
}

function throwIfEnded(watches: ReadonlyArray<{ readonly signal: AbortSignal }>): void {
  for (const { signal } of watches) if (signal.aborted) throw signal.reason;
}

type ModeFacts = (typeof RUN_MODES)[keyof typeof RUN_MODES];

/** Whether the workspace is looked at before a command in a mode, and whether new files are after it. */
const looksBefore = (facts: ModeFacts, { deniesRead }: SandboxOptions['policy']): boolean =>
  facts.workspace !== 'read-only' || deniesRead !== undefined;
const sweepsAfter = (facts: ModeFacts, { allowProtected, deniesWrite }: SandboxOptions['policy']): boolean =>
  facts.after === 'new files' && (allowProtected !== true || deniesWrite !== undefined);

function outOfMemory(bytes: number): SynapseError {
  return new SynapseError(
    'unavailable',
    `The command was ended because it used more than the ${(bytes / 2 ** 30).toFixed(1)} GiB of memory it may.`,
    {
      hint: 'Let it do less at once, with fewer processes (such as -j 2).',
    },
  );
}

/** Mounts use paths, so the path must still lead to the open folder. */
function assertSame(handle: string, path: string): void {
  const held = statSync(handle);
  const named = statSync(path, { throwIfNoEntry: false });
  if (named?.ino === held.ino && named.dev === held.dev) return;
  throw new SynapseError('not_found', 'The workspace was moved or replaced.', { hint: 'Open it again where it is now.' });
}
