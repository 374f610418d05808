import { approverOf } from '../approval/approver-of.ts';
import { USUAL_SHELL } from '../process/command-shell.ts';
import { ProgressFeed } from '../process/progress-feed.ts';
import { SynapseError, type Progress } from '@synapse/protocol';
import type { RunningCall } from '../call/call.ts';
import { NO_LOCKS } from '../dry-run/dry-run-session.ts';
import { notify } from '../events/notify.ts';
import { changedFiles } from '../journal/changed-files.ts';
import type { CallJobs } from '../jobs/call-jobs.ts';
import { diagnosticsFor, type Diagnostics } from '../lsp/diagnostics.ts';
import { OutputCollector } from '../output/output-collector.ts';
import type { CallRuntime } from '../pipeline/call-runtime.ts';
import { fillForm } from '../pipeline/fill-form.ts';
import { placeGuards } from '../policy/call-guards.ts';
import { hostGuard } from '../policy/host-guard.ts';
import type { Processes } from '../process/processes.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import { webFor, type Web } from '../web/web.ts';
import { Workspace } from '../workspace/workspace.ts';
import type { WorkspaceParts } from '../workspace/workspace-reader.ts';
import type { CommandPowers } from './command-powers.ts';
import type { Powers } from './open-powers.ts';
import type { ChangeJournal } from '../workspace/changes/capture.ts';

/** Interval in milliseconds at which a call's time-out restarts while a person is asked. */
const RENEW_MS = 1_000;

/** Dependencies of {@link callContext}. */
export interface ContextParts
  extends Pick<WorkspaceParts, 'confinement' | 'rootNames' | 'spills' | 'readable'>, Pick<CallRuntime, 'authorizer' | 'emit'> {
  /** Whether anybody listens to events. */
  readonly isObserved: () => boolean;
  /** Identifies the workspace to custom tools. */
  readonly projectId: string;
  readonly powers: Powers;
  readonly commands: CommandPowers;
}

/** Makes the context of each call. */
export function callContexts(parts: ContextParts): (call: RunningCall) => ToolContext {
  return (call) => callContext(call, parts);
}

/** The context of one call. Its parts are created on first use. */
function callContext(call: RunningCall, runtime: ContextParts): ToolContext {
  const { signal, limits, options, state, dryRunSession, tool, callId, permissions } = call;
  const { powers, commands, authorizer, spills, confinement, rootNames, readable } = runtime;
  const guards = placeGuards({ tool: tool.name, permissions }, authorizer.policy.current, rootNames);
  const places = {
    confinement,
    rootNames,
    spills,
    readable,
    elsewhere: powers.elsewhere,
    locks: dryRunSession === undefined ? powers.locks : NO_LOCKS,
  };
  let journal: ChangeJournal | undefined;
  const workspace = new Workspace(places, {
    guards,
    signal,
    onResolved: (location) => void state.resolved.add(location),
    get journal() {
      return (journal ??= dryRunSession?.journal ?? callJournal(call, runtime));
    },
  });
  let processes: Processes | undefined;
  let jobs: CallJobs | undefined;
  let web: Web | undefined;
  let diagnostics: Diagnostics | undefined;
  const tell = (progress: Progress): void => {
    call.renew();
    if (options.onProgress !== undefined) notify(options.onProgress, progress);
    runtime.emit({ type: 'call-progress', callId, tool: tool.name, ...progress });
  };
  const { onOutput } = options;
  const tellAll = onOutput === undefined ? undefined : (output: string): void => notify(onOutput, output);
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
      return (processes ??= dryRunSession?.processes ?? commands.processes(call, workspace, guards));
    },
    get jobs() {
      return (jobs ??= commands.jobs(call));
    },
    get search() {
      return powers.search();
    },
    get git() {
      return powers.git();
    },
    get web() {
      return (web ??= webFor(() => hostGuard({ tool: tool.name, permissions }, authorizer.policy.current), signal));
    },
    get diagnostics() {
      return (diagnostics ??= diagnosticsFor({
        servers: powers.languageServers.get(),
        workspace,
        search: powers.search(),
        changedFiles: () => changedFiles(powers.journal, options.sessionId),
        signal,
      }));
    },
    signal,
    limits,
    get shell() {
      return options.shell ?? USUAL_SHELL;
    },
    progress(progress) {
      if (progress.output !== undefined) tellAll?.(progress.output);
      tell(progress);
    },
    liveOutput() {
      let feed: ProgressFeed | undefined;
      return {
        add(stream, text) {
          // Somebody may begin to watch while the command runs.
          const isWatched = onOutput !== undefined || options.onProgress !== undefined || runtime.isObserved();
          if (isWatched) feed ??= new ProgressFeed(tell, tellAll);
          if (feed !== undefined) feed.add(stream, text);
          else if (text !== '') call.renew();
        },
        [Symbol.dispose]: () => feed?.[Symbol.dispose](),
      };
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
