import type { CallAudit } from '../audit/call-audit.ts';
import { changedFiles } from '../journal/changed-files.ts';
import { once } from '../events/timing.ts';
import { openDryRun } from '../dry-run/dry-run-session.ts';
import { codeServersFor, lookFor } from '../lsp/code-servers-for.ts';
import { diagnosticsFor } from '../lsp/diagnostics.ts';
import type { Limits } from '../output/limits.ts';
import type { Authorizer } from '../pipeline/check-permissions.ts';
import type { CallRuntime } from '../pipeline/call-runtime.ts';
import { runNested } from '../pipeline/pipeline.ts';
import type { EventListener } from '../pipeline/record.ts';
import { placeGuards } from '../policy/call-guards.ts';
import { decide } from '../policy/decide.ts';
import { workspaceId } from '../state/state-folder.ts';
import type { Tracing } from '../tracing/traced-call.ts';
import type { Confinement } from '../workspace/confinement.ts';
import type { FileBuffers } from '../workspace/file-buffers.ts';
import type { ReadableRoots } from '../workspace/readable-roots.ts';
import { resolveTarget } from '../workspace/target.ts';
import { parseWorkspacePath } from '../workspace/workspace-path.ts';
import { callContexts, type ContextParts } from './call-context.ts';
import type { CommandPowers } from './command-powers.ts';
import type { Powers } from './open-powers.ts';
import type { ToolRegistry } from './registry.ts';

/** Dependencies of {@link createRuntime}. */
export interface RuntimeParts {
  readonly registry: ToolRegistry;
  readonly confinement: Confinement;
  readonly rootNames: readonly string[];
  readonly authorizer: Authorizer;
  /** Limits of an answer, which override those of a tool. */
  readonly limits: Partial<Limits>;
  readonly powers: Powers;
  readonly commands: CommandPowers;
  /** Folders outside the workspace whose files may be read. */
  readonly readable: ReadableRoots;
  /** Unsaved texts of an editor. */
  readonly buffers: FileBuffers | undefined;
  /** Aborted when the hands close: every call that still runs is cancelled. */
  readonly closing: AbortSignal;
  readonly emit: EventListener;
  /** Whether events have a listener. */
  readonly isObserved: () => boolean;
  /** Whether changes are followed by what they did to diagnostics. */
  readonly editDiagnostics: boolean;
  readonly audit: CallAudit;
  readonly keepTexts: CallRuntime['keepTexts'];
  readonly secretMask: CallRuntime['secretMask'];
  /** Whether commits get notes with their receipts. */
  readonly notesCommits: boolean;
  readonly stateFolder: string;
  readonly tracing: Tracing;
  /** Makes the calls of a program. */
  readonly program: ContextParts['program'];
}

/** The services for the stages of calls; lives as long as the hands. */
export interface Runtime extends CallRuntime, RuntimeParts {
  readonly registry: ToolRegistry;
  /** Whether calls may change files without a question, unless a rule about a path says otherwise. */
  mayWrite(): boolean;
}

/** Whether writing to paths may replace more than the journal keeps. */
function mayTakeAwayMuch({ confinement, rootNames, powers }: RuntimeParts, permissions: Parameters<Runtime['mayTakeAwayMuch']>[0]): boolean {
  const { fileBytes, changeBytes } = powers.journal.limits;
  let total = 0;
  return permissions.some(({ action, resource }) => {
    if (action !== 'write') return false;
    try {
      using target = resolveTarget(confinement, parseWorkspacePath(resource, rootNames));
      if (target.stat === undefined) return false;
      const bytes = Number(target.stat.size);
      total += bytes;
      return target.stat.isDirectory() || bytes > fileBytes || total > changeBytes;
    } catch {
      // A missing file cannot be overwritten. The call itself reports the error.
      return false;
    }
  });
}

/** Creates the services from the parts that the composition root opened. */
export function createRuntime(parts: RuntimeParts): Runtime {
  const { confinement, rootNames, authorizer, powers, commands } = parts;
  const { spills } = powers;
  // Loaded with the first change while a language server runs.
  const edits = once(() => import('../lsp/edit-diagnostics.ts').then(({ EditDiagnostics }) => new EditDiagnostics()));
  const runtime: Runtime = {
    ...parts,
    spills,
    mayWrite: () =>
      decide(authorizer.policy.current, { tool: 'write_file', permissions: [{ action: 'write', resource: 'any' }] }).verdict === 'allow',
    mayTakeAwayMuch: (permissions) => mayTakeAwayMuch(parts, permissions),
    openDryRun(call, { measure = false } = {}) {
      const { journal } = powers;
      const guards = placeGuards(
        { tool: call.tool.name, permissions: call.permissions, restores: call.tool.restores === true, decision: call.decision },
        authorizer.policy.current,
        rootNames,
      );
      const dryRunSession = openDryRun({
        confinement: powers.whole,
        kept: (sum) => journal.blobs.read(sum),
        inodeMap: {
          isSame: (expected, found) => journal.inodeMap.isSame(expected, found),
          isPutBack: (stat) => journal.inodeMap.isPutBack(stat),
          foundAt: (stat) => journal.inodeMap.foundAt(stat),
        },
        areas: commands.areas,
        limits: journal.limits,
        measure,
        runOnCopy: (request, session) => commands.tryCommand(request, session, guards, call.signal),
      });
      return { dryRunSession, guards };
    },
    noteCommit: parts.notesCommits
      ? async (call) => {
          const { noteCommit } = await import('../pipeline/note-commits.ts');
          await noteCommit(call, {
            confinement,
            stateFolder: parts.stateFolder,
            run: (name, input, options) => runNested(runtime, name, input, options),
          });
        }
      : undefined,
    readingView: ({ state }) => commands.readingView((note) => void state.notes.push(note)),
    tellDiagnostics({ state, options }, { workspace }) {
      const servers = powers.languageServers.made;
      if (!parts.editDiagnostics || servers === undefined || state.changes.length === 0) return undefined;
      return edits().then(async (known) => {
        const changed = (): readonly string[] => changedFiles(powers.journal, options.sessionId);
        const search = powers.search();
        state.notes.push(
          ...(await known.after(state.changes, (signal) => diagnosticsFor({ servers, workspace, search, changedFiles: changed, signal }))),
        );
      });
    },
    foreseeDiagnostics({ executed, effect }) {
      const [servers, session] = [powers.languageServers.made, executed.dryRunSession];
      if (!parts.editDiagnostics || servers === undefined || session === undefined || effect.steps.length === 0) return undefined;
      return import('../lsp/foresee-diagnostics.ts').then(async ({ foreseeDiagnostics, plannedTexts }) => {
        const { workspace } = runtime.context(executed);
        const code = codeServersFor({ servers, workspace, search: powers.search() });
        const look = (signal: AbortSignal) => lookFor({ workspace, search: powers.search() }, signal);
        const planned = plannedTexts(effect.steps, session.powers());
        executed.state.notes.push(...(await foreseeDiagnostics(planned, { servers, code, look, root: workspace.root })));
      });
    },
    context: callContexts({
      ...parts,
      spills,
      projectId: workspaceId(confinement.root),
      run: (name, input, options) => runNested(runtime, name, input, options),
    }),
  };
  return runtime;
}
