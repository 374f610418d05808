import { join } from 'node:path';
import { SynapseError, type Permission } from '@synapse/protocol';
import { NO_LOCKS, openRehearsal, type Rehearsal } from './dry-run/rehearsal.ts';
import { Git } from './git/git.ts';
import { ignoredPaths } from './git/ignored-paths.ts';
import { Journal } from './journal/journal.ts';
import { areasOf } from './journal/kept-areas.ts';
import { changedFiles } from './journal/changed-files.ts';
import type { CallJobs } from './jobs/call-jobs.ts';
import type { Jobs } from './jobs/jobs.ts';
import { noJobs } from './jobs/no-jobs.ts';
import type { Limits } from './limits.ts';
import { diagnosticsFor } from './lsp/diagnostics.ts';
import type { LanguageServers } from './lsp/language-servers.ts';
import { approvedReads } from './pipeline/approved-reads.ts';
import { routedCommands } from './pipeline/routed-commands.ts';
import type { Authority } from './pipeline/ask.ts';
import { decide } from './policy/decide.ts';
import { placeGuards, type PlaceGuards } from './policy/call-guards.ts';
import type { BoundCall, CallOptions } from './pipeline/call.ts';
import type { EventListener } from './pipeline/record.ts';
import type { ProcessRequest, Processes } from './process/processes.ts';
import type { CommandProcesses } from './sandbox/command-processes.ts';
import { quarantineFolder } from './quarantine/quarantine.ts';
import type { ToolRegistry } from './registry.ts';
import type { SandboxChoice } from './sandbox/command-processes.ts';
import { notify } from './notify.ts';
import { Search } from './search/search.ts';
import type { CallAudit } from './store/audit/call-audit.ts';
import { workspaceId } from './store/workspace-id.ts';
import { OutputCollector } from './shape/output-collector.ts';
import type { ToolContext } from './tool-context.ts';
import type { Tracing } from './tracing/traced-call.ts';
import { hostGuard } from './policy/host-guard.ts';
import { webFor } from './web/web.ts';
import type { Confinement } from './workspace/confinement.ts';
import { FileLocks } from './workspace/file-lock.ts';
import type { ReadableRoots } from './workspace/readable-roots.ts';
import { SpillStore } from './workspace/spill-store.ts';
import { resolveTarget } from './workspace/target.ts';
import { parseWorkspacePath } from './workspace/workspace-path.ts';
import { openTransaction, type TransactionParts } from './transaction/open-transaction.ts';
import { PendingStore } from './transaction/pending-store.ts';
import { deviceProblem, removeAbandoned } from './transaction/transaction-area.ts';
import type { Transaction } from './transaction/transaction.ts';
import { applyAll, transactionalCommands } from './transaction/transactional-commands.ts';
import { Workspace, type WorkspaceParts } from './workspace/workspace.ts';
import type { FolderIndex } from './workspace-index/folder-index.ts';

/** What {@link Runtime} is made of. */
export interface RuntimeParts {
  readonly registry: ToolRegistry;
  readonly confinement: Confinement;
  /** Knows when something in the workspace changed. */
  readonly folders: FolderIndex;
  readonly rootNames: readonly string[];
  readonly authority: Authority;
  readonly limits: Limits;
  /** For programs of Synapse itself: ripgrep and git. */
  readonly processes: Processes;
  /** For what a model wants to run. */
  readonly commands: Pick<CommandProcesses, 'run' | 'canCopy' | 'runOnCopy' | 'substituting'>;
  /** Whether what commands change is kept for an undo, where that can be. */
  readonly undoCommands: boolean;
  /** How {@link commands}, and git, are confined. */
  readonly sandbox: SandboxChoice;
  readonly languageServers: LanguageServers;
  readonly jobs: Jobs;
  /** Folders outside the workspace whose files may be read. */
  readonly readable: ReadableRoots;
  readonly stateFolder: string;
  /** Aborted when the hands close: every call that still runs is cancelled. */
  readonly closing: AbortSignal;
  readonly emit: EventListener;
  readonly audit: CallAudit;
  readonly tracing: Tracing;
}

/** What lives as long as the hands: the powers that calls are given their share of. */
export class Runtime {
  readonly registry: ToolRegistry;
  readonly confinement: Confinement;
  readonly rootNames: readonly string[];
  readonly authority: Authority;
  readonly spills: SpillStore;
  readonly readable: ReadableRoots;
  readonly journal: Journal;
  /** Changes of commands that wait for a person. */
  readonly pending: PendingStore;
  readonly closing: AbortSignal;
  readonly emit: EventListener;
  readonly audit: CallAudit;
  readonly tracing: Tracing;
  readonly #limits: Limits;
  readonly #workspaceParts: WorkspaceParts;
  readonly #commands: RuntimeParts['commands'];
  readonly #undoCommands: boolean;
  readonly #copies: string;
  readonly #areas: string;
  readonly #quarantine: string;
  readonly #processesOfOwn: Processes;
  #problem: Promise<string | undefined> | undefined;
  readonly #search: Search;
  readonly #git: Git;
  readonly #languageServers: LanguageServers;
  readonly #jobs: Jobs;

  constructor(parts: RuntimeParts) {
    this.registry = parts.registry;
    this.confinement = parts.confinement;
    this.rootNames = parts.rootNames;
    this.authority = parts.authority;
    this.closing = parts.closing;
    this.emit = parts.emit;
    this.audit = parts.audit;
    this.tracing = parts.tracing;
    this.readable = parts.readable;
    this.#limits = parts.limits;
    this.#commands = parts.commands;
    this.#undoCommands = parts.undoCommands;
    this.#languageServers = parts.languageServers;
    this.#jobs = parts.jobs;
    const id = workspaceId(parts.confinement.root);
    this.#copies = join(parts.stateFolder, 'copies');
    this.#areas = join(parts.stateFolder, 'transactions', id);
    this.#quarantine = quarantineFolder(parts.stateFolder, parts.confinement.root);
    this.#processesOfOwn = parts.processes;
    const locks = new FileLocks(join(parts.stateFolder, 'locks'));
    this.spills = new SpillStore(join(parts.stateFolder, 'spills', id));
    this.journal = new Journal({ folder: join(parts.stateFolder, 'journal', id), areas: this.#areas, confinement: parts.confinement, locks });
    this.pending = new PendingStore(this.#areas);
    this.#workspaceParts = {
      confinement: parts.confinement,
      rootNames: parts.rootNames,
      locks,
      spills: this.spills,
      readable: parts.readable,
    };
    this.#search = new Search(parts.processes, parts.folders);
    this.#git = new Git(parts.processes, join(parts.stateFolder, 'git'), parts.sandbox, parts.folders);
  }

  /** Whether calls may change files without a question, where no rule says otherwise of a place. */
  mayWrite(): boolean {
    return decide(this.authority.policy.current, { tool: 'write_file', permissions: [{ action: 'write', resource: 'any' }] }).verdict === 'allow';
  }

  /** The bounds on what one answer may show. */
  limitsOf({ limits }: Pick<CallOptions, 'limits'>): Limits {
    return limits === undefined ? this.#limits : { ...this.#limits, ...limits };
  }

  /** Whether what a call changes may be more than the journal keeps, by a quick look at the places it names. */
  mayTakeAwayMuch(permissions: readonly Permission[]): boolean {
    const { fileBytes, changeBytes } = this.journal.limits;
    let total = 0;
    return permissions.some(({ action, resource }) => {
      if (action !== 'write') return false;
      try {
        using target = resolveTarget(this.confinement, parseWorkspacePath(resource, this.rootNames));
        if (target.stat === undefined) return false;
        const bytes = Number(target.stat.size);
        total += bytes;
        return target.stat.isDirectory() || bytes > fileBytes || total > changeBytes;
      } catch {
        // What cannot be found cannot be taken away; the call itself will tell what is wrong.
        return false;
      }
    });
  }

  /** Stands in for the journal and the processes of a call. */
  openRehearsal(call: BoundCall, { measure = false } = {}): { readonly rehearsal: Rehearsal; readonly guards: PlaceGuards } {
    const guards = this.#guards(call);
    const rehearsal = openRehearsal({
      confinement: this.confinement,
      kept: (sum) => this.journal.blobs.read(sum),
      successors: {
        isSame: (expected, found) => this.journal.successors.isSame(expected, found),
        isPutBack: (stat) => this.journal.successors.isPutBack(stat),
      },
      areas: this.#areas,
      guards,
      limits: this.journal.limits,
      signal: call.signal,
      measure,
      runOnCopy: (request) => this.#commands.runOnCopy(request, this.#copies),
    });
    return { rehearsal, guards };
  }

  #guards(call: BoundCall): PlaceGuards {
    return placeGuards({ tool: call.tool.name, permissions: call.permissions }, this.authority.policy.current, this.rootNames);
  }

  /** Runs commands on the workspace itself. */
  #live({ facts, decision }: BoundCall): Processes {
    const approved = { approvedReads: approvedReads(decision) };
    return {
      run: (request) => {
        facts.undo = 'not covered';
        return this.#commands.run({ ...request, ...approved });
      },
    };
  }

  #jobsOf(call: BoundCall): CallJobs {
    const { options, facts, rehearsal, callId, tool } = call;
    if (rehearsal !== undefined) return noJobs('A dry run ends with its call');
    if (options.foreground === true) return noJobs('This interface waits for each command and does not come back for a job');
    return this.#jobs.forCall({ callId, sessionId: options.sessionId, tool: tool.name, live: this.#live(call), notes: facts.notes });
  }

  #processes(call: BoundCall, workspace: Workspace, guards: PlaceGuards): Processes {
    const { facts, decision } = call;
    const approved = { approvedReads: approvedReads(decision) };
    const { route } = decision;
    const problem = (): Promise<string | undefined> => this.#transactionProblem();
    const open = async (request: ProcessRequest): Promise<Transaction> =>
      await openTransaction(this.#transactionParts(workspace, guards, call.signal), await this.#commands.substituting(), { ...request, ...approved });
    if (route !== undefined) {
      const inPlace: Processes = { run: (request) => this.#commands.run({ ...request, ...approved }) };
      const ignored = (paths: readonly string[]): Promise<ReadonlySet<string>> => ignoredPaths(this.#git, workspace, paths, call.signal);
      return routedCommands(call, route, { plain: inPlace, problem, open, settling: { authority: this.authority, ignored } });
    }
    const live = this.#live(call);
    if (!this.#undoCommands) return live;
    return transactionalCommands({ live, problem, open, settle: applyAll, facts });
  }

  /** Whether commands run as transactions. */
  async transacts(): Promise<boolean> {
    return this.#undoCommands && (await this.#transactionProblem()) === undefined;
  }

  /** Why commands cannot run as transactions here; undefined where they can. Found out once. */
  #transactionProblem(): Promise<string | undefined> {
    return (this.#problem ??= this.#findProblem());
  }

  async #findProblem(): Promise<string | undefined> {
    const problem = deviceProblem(this.#areas, this.confinement.root);
    if (problem !== undefined) return problem;
    if (!(await this.#commands.canCopy(this.#copies))) return 'commands cannot run on a copy here';
    // Beside the command: it may be much, and nothing waits for it.
    void removeAbandoned(this.#areas, (area) => this.journal.database.areas.isKept(area), this.closing).catch(() => {});
    return undefined;
  }

  /** What pending changes are looked at with, and applied where there is a workspace for that. They are a person's, so the rules judge them alone. */
  pendingParts(workspace: Workspace | undefined, signal: AbortSignal): TransactionParts {
    return this.#transactionParts(
      workspace,
      placeGuards({ tool: 'apply_changes', permissions: [] }, this.authority.policy.current, this.rootNames),
      signal,
    );
  }

  #transactionParts(workspace: Workspace | undefined, guards: PlaceGuards, signal: AbortSignal): TransactionParts {
    return {
      areas: this.#areas,
      quarantine: this.#quarantine,
      confinement: this.confinement,
      processes: this.#processesOfOwn,
      guards,
      exchange: async (steps) => {
        if (workspace === undefined) throw new TypeError('These changes are only looked at.');
        await workspace.exchange(steps);
        return [...areasOf(steps)].every((area) => this.journal.database.areas.isKept(area)) || 'it is more than the undo journal keeps';
      },
      powers: () => this.journal.powers(),
      limits: this.journal.limits,
      signal,
    };
  }

  /** The powers of one call. */
  context(call: BoundCall): ToolContext {
    const { signal, options, facts, rehearsal } = call;
    const limits = this.limitsOf(options);
    const guards = this.#guards(call);
    const workspace = new Workspace(rehearsal === undefined ? this.#workspaceParts : { ...this.#workspaceParts, locks: NO_LOCKS }, {
      guards,
      signal,
      onResolved: (location) => void facts.resolved.add(location),
      journal:
        rehearsal?.journal ??
        this.journal.forCall({
          callId: call.callId,
          sessionId: options.sessionId,
          tool: call.tool.name,
          signal,
          onChange: (change) => void facts.changes.push(change),
          onTooLarge: (fact) => {
            if (!call.mayLose(fact)) throw unforeseen(fact.path);
            facts.tooLargeToUndo.push(fact);
          },
          onNote: (note) => void facts.notes.push(note),
        }),
    });
    return {
      workspace,
      processes: rehearsal?.processes ?? this.#processes(call, workspace, guards),
      jobs: this.#jobsOf(call),
      search: this.#search,
      git: this.#git,
      web: webFor(() => hostGuard({ tool: call.tool.name, permissions: call.permissions }, this.authority.policy.current), signal),
      diagnostics: diagnosticsFor({
        servers: this.#languageServers,
        workspace,
        search: this.#search,
        changedFiles: () => changedFiles(this.journal, options.sessionId),
        signal,
      }),
      signal,
      limits,
      progress: (progress) => {
        call.renew();
        if (options.onProgress !== undefined) notify(options.onProgress, progress);
        this.emit({ type: 'call-progress', callId: call.callId, tool: call.tool.name, ...progress });
      },
      keep: (bytes) => {
        const spill = this.spills.create();
        spill.write(bytes);
        spill.close();
        return spill.handle;
      },
      collectOutput: (options) => new OutputCollector(limits, this.spills, options),
    };
  }
}

/** Something grew too large to be kept between the question and the change, or nobody was asked. */
function unforeseen(path: string): SynapseError {
  return new SynapseError(
    'approval_required',
    `${path} is more than the undo journal keeps, and nobody was asked about losing it for good; nothing was changed.`,
    {
      hint: 'Repeat the call, so that a person can be asked, or have them allow it: --yes (CLI), --allow write (MCP server) or a rule.',
    },
  );
}
