import { approverOf } from '../approval/approver-of.ts';
import { USUAL_SHELL } from '../process/command-shell.ts';
import { ProgressFeed } from '../process/progress-feed.ts';
import { SynapseError, type CallResult, type Progress } from '@synapse/protocol';
import type { CallOptions, RunningCall } from '../call/call.ts';
import { NO_LOCKS } from '../dry-run/dry-run-session.ts';
import { notify } from '../events/notify.ts';
import { changedFiles } from '../journal/changed-files.ts';
import type { Git } from '../git/git.ts';
import type { CallJobs } from '../jobs/call-jobs.ts';
import type { CodeServers } from '../lsp/code-servers.ts';
import { codeServersFor } from '../lsp/code-servers-for.ts';
import { diagnosticsFor, type Diagnostics } from '../lsp/diagnostics.ts';
import { OutputCollector, type CollectOptions } from '../output/output-collector.ts';
import type { CallRuntime } from '../pipeline/call-runtime.ts';
import { fillForm } from '../pipeline/fill-form.ts';
import { nestedOptions } from '../pipeline/nested-options.ts';
import { placeGuards } from '../policy/call-guards.ts';
import { hostGuard } from '../policy/host-guard.ts';
import type { Processes } from '../process/processes.ts';
import type { Search } from '../search/search.ts';
import type { ProgramCalls, ToolContext } from '../tool/tool-context.ts';
import type { Confinement } from '../workspace/confinement.ts';
import { webFor, type Web } from '../web/web.ts';
import { Workspace } from '../workspace/workspace.ts';
import type { PlaceGuards } from '../workspace/place-guards.ts';
import type { WorkspaceParts } from '../workspace/workspace-reader.ts';
import type { CommandPowers } from './command-powers.ts';
import type { Powers } from './open-powers.ts';
import type { ChangeJournal } from '../workspace/changes/capture.ts';

/** Interval in milliseconds at which a call's time-out restarts while a person is asked. */
const RENEW_MS = 1_000;

/** Dependencies of {@link callContexts}. */
export interface ContextParts
  extends
    Pick<WorkspaceParts, 'confinement' | 'rootNames' | 'spills' | 'readable' | 'buffers'>,
    Pick<CallRuntime, 'authorizer' | 'emit' | 'secretMask'> {
  /** Whether events have a listener. */
  readonly isObserved: () => boolean;
  /** Identifies the workspace to custom tools. */
  readonly projectId: string;
  readonly powers: Powers;
  readonly commands: CommandPowers;
  /** Runs a call that a tool makes. */
  readonly run: (name: string, input: unknown, options: CallOptions) => Promise<CallResult>;
  /** Makes the calls of a program. */
  readonly program: (call: RunningCall, workspace: Workspace) => ProgramCalls;
}

/** Makes the context of each call. */
export function callContexts(parts: ContextParts): (call: RunningCall, files?: Confinement) => ToolContext {
  return (call, files) => new CallContext(call, files === undefined ? parts : { ...parts, confinement: files });
}

/**
 * The context of one call. Its parts are created on first use. A class, because V8 keeps each object with getters of its own, and what
 * they refer to, until the next full collection. Functions are fields, because tools take the context apart.
 */
class CallContext implements ToolContext {
  readonly origin: ToolContext['origin'];
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  readonly limits: ToolContext['limits'];
  readonly foreseen: ToolContext['foreseen'];
  readonly #call: RunningCall;
  readonly #parts: ContextParts;
  readonly #guards: PlaceGuards;
  #processes: Processes | undefined;
  #jobs: CallJobs | undefined;
  #web: Web | undefined;
  #diagnostics: Diagnostics | undefined;
  #code: CodeServers | undefined;

  constructor(call: RunningCall, parts: ContextParts) {
    const { signal, limits, options, state, dryRunSession, tool, callId, permissions, decision } = call;
    const { powers, authorizer, spills, confinement, rootNames, readable } = parts;
    this.#call = call;
    this.#parts = parts;
    this.signal = signal;
    this.limits = limits;
    this.foreseen = call.foreseen?.plan;
    this.origin = {
      callId,
      projectId: parts.projectId,
      sessionId: options.sessionId,
      mode: options.mode,
      currentStepId: options.stepId,
    };
    this.#guards = placeGuards({ tool: tool.name, permissions, restores: tool.restores === true, decision }, authorizer.policy.current, rootNames);
    const locks = dryRunSession === undefined ? powers.locks : NO_LOCKS;
    let journal: ChangeJournal | undefined;
    this.workspace = new Workspace(
      {
        confinement,
        whole: powers.whole,
        rootNames,
        spills,
        readable,
        elsewhere: powers.elsewhere,
        locks,
        ...(dryRunSession === undefined ? { holdCommands: parts.commands.holdCommands } : {}),
        buffers: parts.buffers,
        masks: () => parts.secretMask()?.then((mask) => (text) => mask.text(text)),
      },
      {
        guards: this.#guards,
        signal,
        onResolved: (location) => void state.resolved.add(location),
        onNote: (note) => void state.notes.push(note),
        journal: () => (journal ??= dryRunSession?.journal ?? callJournal(call, parts)),
      },
    );
  }

  get processes(): Processes {
    const { commands } = this.#parts;
    return (this.#processes ??= commands.recorded(
      this.#call,
      this.#call.dryRunSession?.processes ?? commands.processes(this.#call, this.workspace, this.#guards),
    ));
  }

  get jobs(): CallJobs {
    return (this.#jobs ??= this.#parts.commands.jobs(this.#call));
  }

  get search(): Search {
    return this.#parts.powers.search();
  }

  get git(): Git {
    return this.#parts.powers.git();
  }

  get web(): Web {
    const { tool, permissions } = this.#call;
    return (this.#web ??= webFor(() => hostGuard({ tool: tool.name, permissions }, this.#parts.authorizer.policy.current), this.signal));
  }

  get diagnostics(): Diagnostics {
    const { powers } = this.#parts;
    return (this.#diagnostics ??= diagnosticsFor({
      servers: powers.languageServers.get(),
      workspace: this.workspace,
      search: powers.search(),
      changedFiles: () => changedFiles(powers.journal, this.#call.options.sessionId),
      signal: this.signal,
    }));
  }

  get code(): CodeServers {
    const { powers } = this.#parts;
    return (this.#code ??= codeServersFor({ servers: powers.languageServers.get(), workspace: this.workspace, search: powers.search() }));
  }

  get program(): ProgramCalls {
    return this.#parts.program(this.#call, this.workspace);
  }

  get shell(): ToolContext['shell'] {
    return this.#call.options.shell ?? USUAL_SHELL;
  }

  readonly call: ToolContext['call'] = (name, input, own) => this.#parts.run(name, input, nestedOptions(this.#call, own));

  readonly progress = (progress: Progress): void => {
    if (progress.output !== undefined) this.#tellOutput()?.(progress.output);
    this.#tell(progress);
  };

  readonly liveOutput = (): ReturnType<ToolContext['liveOutput']> => {
    let feed: ProgressFeed | undefined;
    return {
      add: (stream, text) => {
        const { options } = this.#call;
        // Somebody may begin to watch while the command runs.
        const isWatched = options.onOutput !== undefined || options.onProgress !== undefined || this.#parts.isObserved();
        if (isWatched) feed ??= new ProgressFeed((progress) => this.#tell(progress), this.#tellOutput());
        if (feed !== undefined) feed.add(stream, text);
        else if (text !== '') this.#call.renew();
      },
      [Symbol.dispose]: () => feed?.[Symbol.dispose](),
    };
  };

  readonly fillForm: ToolContext['fillForm'] = async (form) => {
    // A person may take longer than the server's time-out.
    const waiting = setInterval(() => this.#call.renew(), RENEW_MS);
    try {
      const { approver, shown } = this.#parts.authorizer;
      return await fillForm(approverOf(this.#call.options.approver, approver), form, this.signal, shown);
    } finally {
      clearInterval(waiting);
    }
  };

  readonly keep = (bytes: Uint8Array): string => {
    const spill = this.#parts.spills.create();
    spill.write(bytes);
    spill.close();
    return spill.handle;
  };

  readonly collectOutput = (collecting?: CollectOptions): OutputCollector => new OutputCollector(this.limits, this.#parts.spills, collecting);

  #tell(progress: Progress): void {
    const { options, callId, tool } = this.#call;
    this.#call.renew();
    if (options.onProgress !== undefined) notify(options.onProgress, progress);
    this.#parts.emit({ type: 'call-progress', callId, tool: tool.name, ...progress });
  }

  /** Receives all output, where somebody wants it. */
  #tellOutput(): ((output: string) => void) | undefined {
    const { onOutput } = this.#call.options;
    return onOutput === undefined ? undefined : (output) => notify(onOutput, output);
  }
}

/** The journal of a call's changes. */
function callJournal({ callId, options, tool, signal, state, allowsIrreversible }: RunningCall, { powers }: ContextParts): ChangeJournal {
  return powers.journal.forCall({
    callId: options.changesOf ?? callId,
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
      hint: 'Repeat the call, so that a person can be asked, or have them allow it: --allow write, or a rule.',
    },
  );
}
