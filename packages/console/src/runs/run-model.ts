import {
  buildSystemPrompt,
  openModel,
  runAgent,
  runProtocol,
  sessionEvidence,
  type RunAgentOptions,
  toolDescriptions,
  type AgentEvent,
  type AgentResult,
  type AgentSession,
  type ReasoningProtocol,
} from '@synapse/brain';
import type { ConsoleParams } from '@synapse/protocol/console';
import { argumentLine } from '@synapse/hands/internal';
import { attributedReport } from './attribution-view.ts';
import { RUN_STATUS } from './run-status.ts';
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
  readonly price: ConsoleParams<'runs.start'>['price'];
}

type EventOf<Type extends AgentEvent['type']> = Extract<AgentEvent, { type: Type }>;

/** Writes the calls of a model to the transcript. */
function tellCall(run: Run, event: EventOf<'call-start'> | EventOf<'call-end'>): void {
  const { view, transcript } = run;
  if (event.type === 'call-start') {
    transcript.add({ kind: 'call', call: event.callId, tool: event.tool, args: argumentLine(event.input), status: 'running' });
    run.update({ calls: view.calls + 1, steps: countCall(view.steps) });
    return;
  }
  const ok = event.ok && event.completion === 'ok';
  transcript.endCall(event.callId, { status: ok ? 'ok' : 'failed', summary: event.error ?? event.summary, ms: event.durationMs });
  run.update({});
}

/** Applies the events of the loop to a run. */
function listener(run: Run): (event: AgentEvent) => void {
  let stepSince = performance.now();
  const tokensBefore = run.view.tokens ?? 0;
  return (event) => {
    const { view, transcript } = run;
    if (event.type === 'text') transcript.stream('model', event.text);
    if (event.type === 'reasoning') transcript.stream('thought', event.text);
    if (event.type === 'text' || event.type === 'reasoning') run.update({}, true);
    // The turn begins anew, and its text with it.
    if (event.type === 'retry') {
      transcript.retract();
      run.update({ reason: `${event.reason} Trying again (${event.attempt}).` });
    }
    if (event.type === 'call-start' || event.type === 'call-end') tellCall(run, event);
    if (event.type === 'note') {
      transcript.add({ kind: 'note', text: event.text });
      run.update({});
    }
    if (event.type === 'usage') {
      const { inputTokens, outputTokens, costUsd } = event.total;
      const { reason: _, ...before } = view;
      run.update({ ...before, tokens: tokensBefore + inputTokens + outputTokens, ...(costUsd === undefined ? {} : { costUsd }) });
    }
    if (event.type === 'step') {
      const { title, index, total } = event;
      transcript.add({ kind: 'step', title, index, total });
      run.update({ steps: beginStep(view.steps, index, performance.now() - stepSince) });
      stepSince = performance.now();
    }
    if (event.type === 'done') run.update({ steps: endStep(view.steps, performance.now() - stepSince) });
  };
}

/** Runs a model and returns the result. */
export async function runModel(run: Run, work: ModelWork, signal: AbortSignal): Promise<AgentResult> {
  const { model: name, baseUrl, protocol, task, session, stateFolder, price } = work;
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
  if (task !== undefined) run.transcript.add({ kind: 'text', from: 'user', text: task });
  const evidence: RunAgentOptions['evidence'] = async ({ id, messages }) => await sessionEvidence(stateFolder, hands.workspace, id, messages);
  const shared = { hands, model, system, session, signal, price, evidence, onEvent: listener(run), takeMessages: () => run.takeMessages() };
  const result =
    protocol !== undefined && task === undefined
      ? await runProtocol({ ...shared, protocol })
      : await runAgent({ ...shared, ...(task === undefined ? {} : { task }), ...(protocol === undefined ? {} : { protocol }) });
  const status = RUN_STATUS[result.status];
  // Only a protocol ends with a report. The text of a task is in the transcript.
  const report =
    protocol === undefined || task !== undefined ? {} : await attributedReport(result.text, { stateFolder, root: hands.workspace, session });
  const { reason: _, ...before } = run.view;
  run.update({
    ...before,
    ...report,
    status,
    endedAt: Date.now(),
    canResume: status === 'paused' || status === 'stopped',
    ...(result.reason === undefined ? {} : { reason: result.reason }),
  });
  return result;
}
