import { join } from 'node:path';
import { Git } from './git/git.ts';
import { Journal } from './journal/journal.ts';
import { changedFiles } from './journal/changed-files.ts';
import type { Limits } from './limits.ts';
import { diagnosticsFor } from './lsp/diagnostics.ts';
import type { LanguageServers } from './lsp/language-servers.ts';
import type { Authority } from './pipeline/authorize.ts';
import { decide } from './policy/decide.ts';
import { placeGuards } from './policy/call-guards.ts';
import type { BoundCall } from './pipeline/call.ts';
import type { EventListener } from './pipeline/record.ts';
import type { Processes } from './process/processes.ts';
import type { ToolRegistry } from './registry.ts';
import { Search } from './search/search.ts';
import type { CallAudit } from './store/audit/call-audit.ts';
import { workspaceId } from './store/workspace-id.ts';
import { OutputCollector } from './shape/output-collector.ts';
import type { ToolContext } from './tool-context.ts';
import { hostGuard } from './policy/host-guard.ts';
import { webFor } from './web/web.ts';
import type { Confinement } from './workspace/confinement.ts';
import { FileLocks } from './workspace/file-lock.ts';
import type { ReadableRoots } from './workspace/readable-roots.ts';
import { SpillStore } from './workspace/spill-store.ts';
import { Workspace, type WorkspaceParts } from './workspace/workspace.ts';

/** What {@link Runtime} is made of. */
export interface RuntimeParts {
  readonly registry: ToolRegistry;
  readonly confinement: Confinement;
  readonly rootNames: readonly string[];
  readonly authority: Authority;
  readonly limits: Limits;
  /** For programs of Synapse itself: ripgrep and git. */
  readonly processes: Processes;
  /** For what a model wants to run. */
  readonly commands: Processes;
  readonly languageServers: LanguageServers;
  /** Folders outside the workspace whose files may be read. */
  readonly readable: ReadableRoots;
  readonly stateFolder: string;
  /** Aborted when the hands close: every call that still runs is cancelled. */
  readonly closing: AbortSignal;
  readonly emit: EventListener;
  readonly audit: CallAudit;
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
  readonly #limits: Limits;
  readonly #workspaceParts: WorkspaceParts;
  readonly #commands: Processes;
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
    this.readable = parts.readable;
    this.#limits = parts.limits;
    this.#commands = parts.commands;
    this.#languageServers = parts.languageServers;
    const id = workspaceId(parts.confinement.root);
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
    this.#search = new Search(parts.processes);
    this.#git = new Git(parts.processes, join(parts.stateFolder, 'git'));
  }

  /** Whether calls may change files without a question, where no rule says otherwise of a place. */
  mayWrite(): boolean {
    return decide(this.authority.policy.current, { tool: 'write_file', permissions: [{ action: 'write', resource: 'any' }] }).verdict === 'allow';
  }

  /** The powers of one call. */
  context(call: BoundCall): ToolContext {
    const { signal, options, facts } = call;
    const limits = options.limits === undefined ? this.#limits : { ...this.#limits, ...options.limits };
    const guards = placeGuards(
      { tool: call.tool.name, permissions: call.permissions },
      this.authority.policy.current,
      this.#workspaceParts.rootNames,
    );
    const workspace = new Workspace(this.#workspaceParts, {
      guards,
      signal,
      onResolved: (location) => void facts.resolved.add(location),
      journal: this.journal.forCall({
        callId: call.callId,
        sessionId: options.sessionId,
        tool: call.tool.name,
        signal,
        onChange: (change) => void facts.changes.push(change),
        onTooLarge: (fact) => void facts.tooLargeToUndo.push(fact),
        onNote: (note) => void facts.notes.push(note),
      }),
    });
    return {
      workspace,
      processes: this.#commands,
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
        options.onProgress?.(progress);
        this.emit({ type: 'call-progress', callId: call.callId, tool: call.tool.name, ...progress });
      },
      collectOutput: (options) => new OutputCollector(limits, this.spills, options),
    };
  }
}
