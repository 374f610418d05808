import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import type { CallAudit } from '../audit/call-audit.ts';
import { redactedStart, type Redact } from '../audit/redact.ts';
import type { TriedCommand } from '../dry-run/dry-run-session.ts';
import { NAMES_GIT } from '../git/folder-repository.ts';
import { ignoredPaths } from '../git/ignored-paths.ts';
import { NO_SESSION, type CallJobs } from '../jobs/call-jobs.ts';
import type { JobWitness } from '../jobs/jobs.ts';
import { noJobs } from '../jobs/no-jobs.ts';
import type { StepPowers } from '../journal/apply-step.ts';
import type { Decision } from '../policy/decision.ts';
import type { Authorizer } from '../pipeline/check-permissions.ts';
import { recordedCommands, routedCommands } from '../pipeline/routed-commands.ts';
import { whyNoJobs, type RunningCall } from '../call/call.ts';
import type { CommandRecord } from '../call/command-record.ts';
import type { CommandEnvironment } from '../policy/command-route.ts';
import { placeGuards } from '../policy/call-guards.ts';
import type { Processes, ProcessRequest } from '../process/processes.ts';
import { holdCommands } from '../quarantine/command-records.ts';
import { quarantineFolder } from '../quarantine/quarantine.ts';
import { workspaceId } from '../state/state-folder.ts';
import { MAX_COMMAND } from '../transaction/pending-record.ts';
import { openTransaction } from '../transaction/open-transaction.ts';
import type { TransactionParts } from '../transaction/apply-changes.ts';
import { canRunOnOverlay, copyProblem } from '../transaction/run-on-overlay.ts';
import { keepInterrupted, removeAbandoned } from '../transaction/abandoned-areas.ts';
import { ownerProblem } from '../transaction/owner-problem.ts';
import { deviceProblem, OUTPUTS } from '../transaction/transaction-area.ts';
import type { Transaction } from '../transaction/transaction.ts';
import { applyAll, transactionalCommands } from '../transaction/transactional-commands.ts';
import type { Confinement } from '../workspace/confinement.ts';
import type { PlaceGuards } from '../workspace/place-guards.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { WithOutputs } from '../workspace/with-outputs.ts';
import type { HeldCommands } from '../workspace/workspace-reader.ts';
import { once, until } from '../events/timing.ts';
import { RUN_MODES } from '../modes/run-modes.ts';
import type { Budgets } from './budget-settings.ts';
import type { Powers } from './open-powers.ts';

/** The jobs of a call. They are opened on first use: most commands start none, and end in their call. */
function jobsOnUse(session: string, open: () => CallJobs): CallJobs {
  const jobs = once(open);
  return {
    session,
    assertPossible: () => jobs().assertPossible(),
    start: (start) => jobs().start(start),
    adopt: (command) => jobs().adopt(command),
    list: () => jobs().list(),
    get: (id) => jobs().get(id),
    news: () => jobs().news(),
  };
}

/** Dependencies of {@link CommandPowers}. */
interface CommandPowersParts {
  readonly powers: Powers;
  readonly confinement: Confinement;
  readonly rootNames: readonly string[];
  readonly authorizer: Authorizer;
  readonly stateFolder: string;
  readonly audit: CallAudit;
  /** Removes secrets from what is stored. */
  readonly redact: Redact;
  /** Whether changes by commands can be undone, where supported. */
  readonly undoCommands: boolean;
  readonly budgets: Budgets;
  readonly closing: AbortSignal;
}

/** Runs the commands of calls: on the workspace itself, on a copy of it, or as jobs. */
export class CommandPowers {
  readonly #parts: CommandPowersParts;
  /** Where transactions keep exchanged entries. */
  readonly areas: string;
  /** Whether changes by commands can be undone, where supported. */
  readonly undoes: boolean;
  readonly #quarantine: string;
  /** Why commands cannot run as transactions here; undefined if they can. Determined once. */
  readonly #problem = once(() => this.#findProblem());
  /** The repository outside the workspace of which commands get a copy; undefined if there is none. */
  #repository: string | undefined;
  /** Handles of what earlier commands did whose Synapse was killed, until told. */
  #interrupted: readonly string[] = [];

  constructor(parts: CommandPowersParts) {
    this.#parts = parts;
    this.undoes = parts.undoCommands;
    this.areas = join(parts.stateFolder, 'transactions', workspaceId(parts.confinement.root));
    this.#quarantine = quarantineFolder(parts.stateFolder, parts.confinement.root);
  }

  /** Keeps commands from starting in the workspace, in any process. */
  readonly holdCommands = (): HeldCommands => holdCommands(this.#quarantine);

  /** Whether earlier commands wrote build output that only copies of the workspace show. */
  readonly #hasOutputs = (): boolean => existsSync(join(this.areas, OUTPUTS));

  /** The workspace with that build output, for a call that reads files; undefined if there is none. */
  readingView(onNote: (note: string) => void): Promise<WithOutputs | undefined> | undefined {
    if (!this.#hasOutputs()) return undefined;
    const { confinement } = this.#parts;
    return import('../transaction/output-view.ts').then(({ openOutputView }) =>
      openOutputView(this.areas, confinement, (path) => onNote(partialListing(path))),
    );
  }

  /** Whether commands run as transactions, and why not. @param signal ends the wait for a trial */
  async machine(signal: AbortSignal): Promise<Pick<CommandEnvironment, 'transacts' | 'noCopies'>> {
    const noCopies = this.undoes ? await until(this.#problem(), signal) : 'a person turned off the undo of commands';
    return { transacts: noCopies === undefined, noCopies };
  }

  /** Runs a command on a copy, without network. Its changes are shown, and dropped unless approved. */
  async tryCommand(request: ProcessRequest, powers: () => StepPowers, guards: PlaceGuards, signal: AbortSignal): Promise<TriedCommand> {
    let target: Workspace | undefined;
    const parts = { ...this.#transactionParts(() => target, guards, signal), powers };
    const { commands, repository } = this.#parts.powers;
    const seeing: ProcessRequest = { ...request, repository: repository.made?.current };
    const transaction = await openTransaction(parts, await commands.get().withOverlays(signal), seeing, 'try');
    const { changes, withheld, unjudged, fingerprint } = transaction.changes;
    return {
      outcome: transaction.outcome,
      isUnchanged: changes.length === 0 && withheld.length === 0,
      fingerprint,
      blocked: unjudged,
      irreversible: transaction.irreversible,
      show: async (ended) => await transaction.show(ended),
      apply: async (workspace) => {
        target = workspace;
        return (await transaction.apply({ whole: true, approved: true })).undo;
      },
      [Symbol.asyncDispose]: () => transaction[Symbol.asyncDispose](),
    };
  }

  /** Runs the commands of a call, on the route that the policy decided. */
  processes(call: RunningCall, workspace: Workspace, guards: PlaceGuards): Processes {
    const { powers, authorizer } = this.#parts;
    const { state, decision } = call;
    const isTried = call.options.inDryRun === true;
    const approved = {
      approvedReads: approvedReads(decision),
      ...(isTried ? {} : { approvedHosts: approvedHosts(decision), askRequest: this.#askRequest(call) }),
    };
    const { route } = decision;
    const problem = this.#problem;
    const onNote = (note: string): void => void state.notes.push(note);
    const seeing = async (request: ProcessRequest): Promise<ProcessRequest> => {
      // Without a sandbox git finds the repository itself.
      const isShown = route?.way !== 'unconfined' && (powers.repository.made !== undefined || request.argv.some((word) => NAMES_GIT.test(word)));
      const repository = isShown ? await powers.repository.get().shown(request, workspace, call.signal) : undefined;
      return { ...request, ...approved, onNote, repository };
    };
    const open = async (request: ProcessRequest): Promise<Transaction> => {
      this.#tellInterrupted(state.notes);
      return await openTransaction(
        this.#transactionParts(() => workspace, guards, call.signal, onNote),
        await powers.commands.get().withOverlays(call.signal),
        await seeing(request),
        isTried ? 'try' : 'copy',
      );
    };
    if (isTried && (route?.way === 'live' || route?.way === 'unconfined')) throw notOnCopy(call);
    if (route !== undefined) {
      const inPlace: Processes = { run: async (request) => await powers.commands.get().run(await seeing(request)) };
      const ignored = (paths: readonly string[]): ReturnType<typeof ignoredPaths> => ignoredPaths(powers.git(), workspace, paths, call.signal);
      return routedCommands(call, route, { plain: inPlace, problem, open, settling: { authorizer, ignored }, hasOutputs: this.#hasOutputs });
    }
    const live: Processes = isTried ? { run: () => Promise.reject(notOnCopy(call)) } : this.#live(call);
    if (!this.undoes) return live;
    return transactionalCommands({ live, problem, open, settle: applyAll, state });
  }

  /** Notes what the command stood on that ends in a call. */
  recorded(call: RunningCall, processes: Processes, outlives = false): Processes {
    const { powers, closing } = this.#parts;
    const witness = { tree: () => powers.tree.current(), programs: namedPrograms, redact: this.#redact, closing, outlives };
    return recordedCommands(processes, call, witness);
  }

  /** The jobs that a call can reach. */
  jobs(call: RunningCall): CallJobs {
    const { options, state, dryRunSession, callId, tool } = call;
    const impossible = whyNoJobs({ ...options, dryRun: dryRunSession !== undefined });
    if (impossible !== undefined) return noJobs(impossible);
    const { sessionId } = options;
    const { jobs } = this.#parts.powers;
    const live = this.recorded(call, this.#live(call), true);
    return jobsOnUse(sessionId ?? NO_SESSION, () =>
      jobs.get().forCall({
        callId,
        sessionId,
        tool: tool.name,
        live: {
          run: async (request) => {
            // Also while it waits for a look at the files: the record of its call may be written before it runs.
            noteUndo(state, request);
            return await live.run(request);
          },
        },
        notes: state.notes,
        witness: this.#witness(call),
      }),
    );
  }

  /** Records the end of a job. Loaded when one ends. */
  #witness(call: RunningCall): JobWitness {
    const { audit, stateFolder, confinement } = this.#parts;
    return {
      basis: () => call.state.basis?.(),
      end: async (job, ending, outcome) => {
        const { recordJobEnd } = await import('../pipeline/record-job.ts');
        await recordJobEnd(call, { id: job.id, command: job.command, ending, outcome }, { audit, stateFolder, root: confinement.root });
      },
    };
  }

  readonly #redact = (text: string): string => redactedStart(text, MAX_COMMAND, this.#parts.redact);

  /** Dependencies for reading pending changes, and for applying them if a workspace is given. A person decides, so only rules are checked. */
  pendingParts(workspace: Workspace | undefined, signal: AbortSignal): TransactionParts {
    const { authorizer, rootNames } = this.#parts;
    return this.#transactionParts(
      () => workspace,
      placeGuards({ tool: 'apply_changes', permissions: [] }, authorizer.policy.current, rootNames),
      signal,
    );
  }

  /** Asks about requests of a command while it runs. Loaded with the first question. */
  #askRequest(call: RunningCall): ProcessRequest['askRequest'] {
    const { authorizer } = this.#parts;
    if (call.options.approver === undefined && authorizer.approver === undefined) return undefined;
    return async (held, signal) => {
      const { requestAsker } = await import('../pipeline/ask-request.ts');
      return (await requestAsker(call, authorizer)?.(held, signal)) === true;
    };
  }

  /** Runs commands on the workspace itself. */
  #live({ state, decision }: RunningCall): Processes {
    const approved = { approvedReads: approvedReads(decision), approvedHosts: approvedHosts(decision) };
    return {
      run: async (request) => {
        noteUndo(state, request);
        const { commands, repository } = this.#parts.powers;
        const onNote = (note: string): void => void state.notes.push(note);
        return await commands.get().run({ ...request, ...approved, onNote, repository: repository.made?.current });
      },
    };
  }

  #tellInterrupted(notes: string[]): void {
    const handles = this.#interrupted;
    this.#interrupted = [];
    for (const handle of handles)
      notes.push(
        `Synapse was ended while an earlier command ran. What that did was not applied; a person finds it with: synapse changes pending ${handle}.`,
      );
  }

  async #findProblem(): Promise<string | undefined> {
    const { powers, confinement, closing } = this.#parts;
    const problem = deviceProblem(this.areas, confinement.root) ?? ownerProblem(confinement.root);
    if (problem !== undefined) return problem;
    const trial = { sandbox: () => powers.commands.get().withOverlays(closing), areas: this.areas, confinement };
    const copies = await copyProblem(trial, closing);
    if (copies !== undefined) return copies;
    const repository = powers.linked?.repository;
    // It stays read-only if, for example, something is mounted in it.
    if (repository !== undefined && (await canRunOnOverlay({ ...trial, repository }))) this.#repository = repository;
    this.#interrupted = keepInterrupted(this.areas);
    // In parallel with the command: this may take long, and nothing waits for it.
    void removeAbandoned(this.areas, (area) => powers.journal.database.areas.isKept(area), closing).catch(() => {});
    return undefined;
  }

  #transactionParts(
    target: () => Workspace | undefined,
    guards: PlaceGuards,
    signal: AbortSignal,
    onNote: (note: string) => void = () => {},
  ): TransactionParts {
    const { confinement, powers, redact, budgets } = this.#parts;
    const { journal, processes, attributes, linked, whole } = powers;
    // Another worktree of the repository may be the workspace of another process.
    const alone = [confinement.root, ...(linked === undefined ? [] : [linked.repository])].map((path) => `${path}\0apply`);
    return {
      areas: this.areas,
      maxBytes: budgets.outputBytes,
      redact: (text) => redactedStart(text, MAX_COMMAND, redact),
      quarantine: this.#quarantine,
      confinement: whole,
      linked,
      repository: this.#repository,
      processes,
      attributes,
      guards,
      elsewhere: powers.elsewhere,
      alone: (work) =>
        powers.locks.hold(alone, signal, async () => {
          // A process that was killed while this one waited for it.
          await journal.recover({ signal, onNote });
          return await work();
        }),
      holdCommands: this.holdCommands,
      journal,
      exchange: async (steps) => {
        const workspace = target();
        if (workspace === undefined) throw new TypeError('These changes are only looked at.');
        await workspace.exchange(steps);
      },
      powers: () => journal.powers(),
      ignored: async (paths) => {
        const workspace = target();
        return workspace === undefined ? undefined : await ignoredPaths(powers.git(), workspace, paths, signal);
      },
      signal,
    };
  }
}

/** The error for a command of a dry run that would not run on a copy: what it does could not be dropped. */
const notOnCopy = ({ tool }: RunningCall): SynapseError =>
  new SynapseError('unavailable', `A dry run of ${tool.name} runs its command on a copy of the workspace, and this one cannot. It was not run.`, {
    hint: 'Leave out what needs the workspace itself, such as live.',
  });

/** Notes whether what a command changes in the workspace itself can be undone. */
function noteUndo(state: RunningCall['state'], { mode = 'live' }: ProcessRequest): void {
  const { undo } = RUN_MODES[mode];
  if (undo !== 'nothing to undo') state.undo = undo;
}

/** Maximum number of programs in the record of a command. */
const MAX_PROGRAMS = 8;

/** The programs that a command line names, with what identifies their content without reading it. */
function namedPrograms({ decision }: RunningCall): CommandRecord['programs'] {
  const names = new Set(decision.accesses.flatMap(({ access }) => (access.kind === 'exec' ? (access.exec.name ?? []) : [])));
  const folders = (process.env['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/'));
  return [...names].slice(0, MAX_PROGRAMS).flatMap((name) => {
    const places = name.includes('/') ? (name.startsWith('/') ? [name] : []) : folders.map((folder) => join(folder, name));
    for (const path of places) {
      // PATH may name folders that are closed to this user: nothing exists in them.
      const stat = existsSync(path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
      if (stat?.isFile() === true) return [{ name, path, stamp: `${stat.ino} ${stat.size} ${stat.mtimeMs}` }];
    }
    return [];
  });
}

/** The note about a folder of which neither version is whole. */
const partialListing = (path: string): string =>
  `${path} is listed and searched as a person built it. What commands built there is kept apart: run_command sees it (ls, grep), and read_file reads it.`;

/**
 * The files that an approved command reads by name. The approver saw these names, so the sandbox shows the files although it
 * hides others that need approval. Files below a named folder stay hidden: the approver did not see their names.
 */
function approvedReads({ accesses }: Decision): ReadonlySet<string> {
  const paths = accesses.flatMap(({ access }) =>
    (access.kind === 'read' || access.kind === 'possiblePath') && !access.tree && access.location.inside ? [access.location.path] : [],
  );
  return new Set(paths);
}

/** The hosts that an approved command names. A script that it starts may name others, which rules still ask about. */
const approvedHosts = ({ accesses }: Decision): ReadonlySet<string> =>
  new Set(accesses.flatMap(({ access }) => (access.kind === 'net' ? (access.host ?? []) : [])));
