import { join } from 'node:path';
import { SynapseError, type Permission } from '@synapse/protocol';
import { coveredCommands } from './dry-run/covered-commands.ts';
import { NO_LOCKS, openRehearsal, type Rehearsal } from './dry-run/rehearsal.ts';
import { Git } from './git/git.ts';
import { Journal } from './journal/journal.ts';
import { changedFiles } from './journal/changed-files.ts';
import type { Limits } from './limits.ts';
import { diagnosticsFor } from './lsp/diagnostics.ts';
import type { LanguageServers } from './lsp/language-servers.ts';
import { approvedReads } from './pipeline/approved-reads.ts';
import type { Authority } from './pipeline/ask.ts';
import { decide } from './policy/decide.ts';
import { placeGuards, type PlaceGuards } from './policy/call-guards.ts';
import type { BoundCall, CallOptions } from './pipeline/call.ts';
import type { EventListener } from './pipeline/record.ts';
import type { Processes } from './process/processes.ts';
import type { CommandProcesses } from './sandbox/command-processes.ts';
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
  readonly commands: Pick<CommandProcesses, 'run' | 'canCopy' | 'runOnCopy'>;
  /** Whether what commands change is kept for an undo, where that can be. */
  readonly undoCommands: boolean;
  /** How {@link commands}, and git, are confined. */
  readonly sandbox: SandboxChoice;
  readonly languageServers: LanguageServers;
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
  readonly closing: AbortSignal;
  readonly emit: EventListener;
  readonly audit: CallAudit;
  readonly tracing: Tracing;
  readonly #limits: Limits;
  readonly #workspaceParts: WorkspaceParts;
  readonly #commands: RuntimeParts['commands'];
  readonly #undoCommands: boolean;
  readonly #copies: string;
  readonly #search: Search;
  readonly #git: Git;
  readonly #languageServers: LanguageServers;

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
    const id = workspaceId(parts.confinement.root);
    this.#copies = join(parts.stateFolder, 'copies');
    const locks = new FileLocks(join(parts.stateFolder, 'locks'));
    this.spills = new SpillStore(join(parts.stateFolder, 'spills', id));
    this.journal = new Journal({ folder: join(parts.stateFolder, 'journal', id), confinement: parts.confinement, locks });
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
      isSameEntry: (expected, found) => this.journal.successors.isSame(expected, found),
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

  #processes(call: BoundCall, workspace: Workspace, guards: PlaceGuards): Processes {
    const { facts, signal } = call;
    const approved = { approvedReads: approvedReads(call.decision) };
    const plain: Processes = {
      run: (request) => {
        facts.undo = 'not covered';
        return this.#commands.run({ ...request, ...approved });
      },
    };
    if (!this.#undoCommands) return plain;
    return coveredCommands({
      plain,
      canCopy: () => this.#commands.canCopy(this.#copies),
      runOnCopy: (request) => this.#commands.runOnCopy({ ...request, ...approved }, this.#copies, true),
      confinement: this.confinement,
      guards,
      limits: this.journal.limits,
      workspace,
      facts,
      signal,
    });
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
