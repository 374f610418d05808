import { runOffline, type StepEvent } from '@synapse/brain';
import type { CallOptions, Hands } from '@synapse/hands';
import type { CallResult } from '@synapse/protocol';
import { randomUUID } from 'node:crypto';
import { argumentLine } from '@synapse/hands/internal';
import { attributedReport } from './attribution-view.ts';
import { beginStep, endStep } from './run-steps.ts';
import type { Run } from './run.ts';

/** Hands that write each call to the transcript of the run. */
function recorded(run: Run): Hands {
  const { hands } = run;
  const call = async (tool: string, input?: unknown, options?: CallOptions): Promise<CallResult> => {
    const callId = options?.callId ?? randomUUID();
    run.transcript.add({ kind: 'call', call: callId, tool, args: argumentLine(input), status: 'running' });
    const result: CallResult = await hands.call(tool, input, { ...options, callId });
    const { summary, durationMs: ms } = result.meta;
    run.transcript.endCall(callId, { status: result.ok ? 'ok' : 'failed', summary, ms });
    return result;
  };
  return { ...hands, call: call as Hands['call'] };
}

/** Runs a built-in protocol without a model. */
export async function runWithoutModel(run: Run, protocol: string, stateFolder: string, signal: AbortSignal): Promise<void> {
  const { session } = run.view;
  const onStep = ({ phase, index, ms, calls }: StepEvent): void => {
    if (phase === 'start') {
      const { steps } = run.view;
      run.transcript.add({ kind: 'step', title: steps[index - 1]?.title ?? '', index, total: steps.length });
      run.update({ steps: beginStep(steps, index, 0) });
      return;
    }
    const steps = endStep(run.view.steps, ms ?? 0).map((step) => (step.index === index ? { ...step, calls: calls ?? 0 } : step));
    run.update({ steps, calls: run.view.calls + (calls ?? 0) });
  };
  const { report, complete } = await runOffline(recorded(run), protocol, { signal, sessionId: session, onStep });
  const attributed = await attributedReport(report, { stateFolder, root: run.hands.workspace, session: { id: session, messages: [] } });
  const status = signal.aborted ? 'stopped' : complete ? 'done' : 'incomplete';
  run.update({ ...attributed, status, endedAt: Date.now() });
}
