import { approverOf } from '../approval/approver-of.ts';
import { usualShell } from '../process/command-shell.ts';
import { SynapseError } from '@synapse/protocol';
import type { RunningCall } from '../call/call.ts';
import { NO_LOCKS } from '../dry-run/dry-run-session.ts';
import { notify } from '../events/notify.ts';
import { changedFiles } from '../journal/changed-files.ts';
import { diagnosticsFor } from '../lsp/diagnostics.ts';
import { OutputCollector } from '../output/output-collector.ts';
import type { CallRuntime } from '../pipeline/call-runtime.ts';
import { fillForm } from '../pipeline/fill-form.ts';
import { hostGuard } from '../policy/host-guard.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { webFor } from '../web/web.ts';
import type { PlaceGuards } from '../workspace/place-guards.ts';
import { Workspace } from '../workspace/workspace.ts';
import type { WorkspaceParts } from '../workspace/workspace-reader.ts';
import { once } from './lazy.ts';
import type { CommandPowers } from './command-powers.ts';
import type { Powers } from './open-powers.ts';
import type { ChangeJournal } from '../workspace/changes/capture.ts';

/** Interval in milliseconds at which a call's time-out restarts while a person is asked. */
const RENEW_MS = 1_000;

/** Dependencies of {@link callContext}. */
export interface ContextParts
  extends Pick<WorkspaceParts, 'confinement' | 'rootNames' | 'spills' | 'readable'>, Pick<CallRuntime, 'limitsOf' | 'authorizer' | 'emit'> {
  /** Identifies the workspace to custom tools. */
  readonly projectId: string;
  readonly powers: Powers;
  readonly commands: CommandPowers;
  /** Checks the resolved paths of a call. */
  guards(call: RunningCall): PlaceGuards;
}

/** The context of one call. Its parts are created on first use. */
export function callContext(call: RunningCall, runtime: ContextParts): ToolContext {
  const { signal, options, state, dryRunSession, tool, callId } = call;
  const { powers, commands, authorizer, spills, confinement, rootNames, readable } = runtime;
  const limits = runtime.limitsOf(options, tool);
  const guards = runtime.guards(call);
  const places = {
    confinement,
    rootNames,
    spills,
    readable,
    elsewhere: powers.elsewhere,
    locks: dryRunSession === undefined ? powers.locks : NO_LOCKS,
  };
  const journal = once(() => dryRunSession?.journal ?? callJournal(call, runtime));
  const workspace = new Workspace(places, {
    guards,
    signal,
    onResolved: (location) => void state.resolved.add(location),
    get journal() {
      return journal();
    },
  });
  const processes = once(() => dryRunSession?.processes ?? commands.processes(call, workspace, guards));
  const jobs = once(() => commands.jobs(call));
  const web = once(() => webFor(() => hostGuard({ tool: tool.name, permissions: call.permissions }, authorizer.policy.current), signal));
  const diagnostics = once(() =>
    diagnosticsFor({
      servers: powers.languageServers.get(),
      workspace,
      search: powers.search(),
      changedFiles: () => changedFiles(powers.journal, options.sessionId),
      signal,
    }),
  );
  return {
    origin: {
      callId,
      projectId: runtime.projectId,
      sessionId: options.sessionId,
      mode: options.mode,
      currentStepId: options.stepId,
    },
    workspace,
    get processes() {
      return processes();
    },
    get jobs() {
      return jobs();
    },
    get search() {
      return powers.search();
    },
    get git() {
      return powers.git();
    },
    get web() {
      return web();
    },
    get diagnostics() {
      return diagnostics();
    },
    signal,
    limits,
    get shell() {
      return options.shell ?? usualShell();
    },
    progress(progress) {
      call.renew();
      if (options.onProgress !== undefined) notify(options.onProgress, progress);
      runtime.emit({ type: 'call-progress', callId, tool: tool.name, ...progress });
    },
    async fillForm(form) {
      // A person may take longer than the server's time-out.
      const waiting = setInterval(() => call.renew(), RENEW_MS);
      try {
        return await fillForm(approverOf(options.approver, authorizer.approver), form, signal);
      } finally {
        clearInterval(waiting);
      }
    },
    keep(bytes) {
      const spill = spills.create();
      spill.write(bytes);
      spill.close();
      return spill.handle;
    },
    collectOutput: (collecting) => new OutputCollector(limits, spills, collecting),
  };
}

/** The journal of a call's changes. */
function callJournal({ callId, options, tool, signal, state, allowsIrreversible }: RunningCall, { powers }: ContextParts): ChangeJournal {
  return powers.journal.forCall({
    callId,
    sessionId: options.sessionId,
    tool: tool.name,
    signal,
    onChange: (change) => void state.changes.push(change),
    onTooLarge: (fact) => {
      if (!allowsIrreversible(fact)) throw unforeseen(fact.path);
      state.tooLargeToUndo.push(fact);
    },
    onNote: (note) => void state.notes.push(note),
  });
}

/** The error if content grew too large for the journal after the question, or if its irreversible change was not approved. */
function unforeseen(path: string): SynapseError {
  return new SynapseError(
    'approval_required',
    `${path} is more than the undo journal keeps, and losing it for good was not approved; nothing was changed.`,
    {
      hint: 'Repeat the call, so that a person can be asked, or have them allow it: --yes (CLI), --allow write (MCP server) or a rule.',
    },
  );
}
