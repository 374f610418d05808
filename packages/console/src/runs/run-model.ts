import {
  buildSystemPrompt,
  openModel,
  runAgent,
  runProtocol,
  toolDescriptions,
  type AgentEvent,
  type AgentResult,
  type AgentSession,
  type AgentStatus,
  type ReasoningProtocol,
} from '@synapse/brain';
import type { ConsoleRun } from '@synapse/protocol/console';
import { attributedReport } from './attribution-view.ts';
import { beginStep, countCall, endStep } from './run-steps.ts';
import type { Run } from './run.ts';

/** The work of a model. */
export interface ModelWork {
  readonly model: string | undefined;
  readonly baseUrl: string | undefined;
  readonly protocol: ReasoningProtocol | undefined;
  /** Undefined for a protocol, and for a resumed session. */
  readonly task: string | undefined;
  readonly session: AgentSession;
  readonly stateFolder: string;
}

const STATUS: Record<AgentStatus, ConsoleRun['status']> = {
  done: 'done',
  limit: 'incomplete',
  loop: 'incomplete',
  paused: 'paused',
  cancelled: 'stopped',
  refused: 'failed',
  failed: 'failed',
};

/** Applies the events of the loop to a run. */
function listener(run: Run): (event: AgentEvent) => void {
  let stepSince = performance.now();
  return (event) => {
    const { view } = run;
    if (event.type === 'text') run.update({ text: view.text + event.text }, true);
    // The turn begins anew, and its text with it.
    if (event.type === 'retry') run.update({ text: '', reason: `${event.reason} Trying again (${event.attempt}).` });
    if (event.type === 'call-start') run.update({ calls: view.calls + 1, steps: countCall(view.steps), text: '' });
    if (event.type === 'usage') run.update({ tokens: event.total.inputTokens + event.total.outputTokens });
    if (event.type === 'step') {
      run.update({ steps: beginStep(view.steps, event.index, performance.now() - stepSince) });
      stepSince = performance.now();
    }
    if (event.type === 'done') run.update({ steps: endStep(view.steps, performance.now() - stepSince) });
  };
}

/** Runs a model and returns the result. */
export async function runModel(run: Run, work: ModelWork, signal: AbortSignal): Promise<AgentResult> {
  const { model: name, baseUrl, protocol, task, session, stateFolder } = work;
  const { hands } = run;
  const model = await openModel(name, { baseUrl });
  const system = await buildSystemPrompt({
    workspace: hands.workspace,
    model: name ?? '',
    toolDescriptions: toolDescriptions(hands),
    operatorPrompt: 'optional',
    constraints: hands.constraints({ canAsk: true }),
    ...(protocol === undefined ? {} : { protocol }),
  });
  const shared = { hands, model, system, session, signal, onEvent: listener(run) };
  const result =
    protocol !== undefined && task === undefined
      ? await runProtocol({ ...shared, protocol })
      : await runAgent({ ...shared, ...(task === undefined ? {} : { task }), ...(protocol === undefined ? {} : { protocol }) });
  const status = STATUS[result.status];
  const attributed = await attributedReport(result.text === '' ? run.view.text : result.text, {
    stateFolder,
    root: hands.workspace,
    session,
  });
  const { reason: _, ...before } = run.view;
  run.update({
    ...before,
    ...attributed,
    status,
    endedAt: Date.now(),
    canResume: status === 'paused' || status === 'stopped',
    ...(result.reason === undefined ? {} : { reason: result.reason }),
  });
  return result;
}
