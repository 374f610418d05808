import { runOffline, type StepEvent } from '@synapse/brain';
import { attributedReport } from './attribution-view.ts';
import { beginStep, endStep } from './run-steps.ts';
import type { Run } from './run.ts';

/** Runs a built-in protocol without a model. */
export async function runWithoutModel(run: Run, protocol: string, stateFolder: string, signal: AbortSignal): Promise<void> {
  const { session } = run.view;
  const onStep = ({ phase, index, ms, calls }: StepEvent): void => {
    if (phase === 'start') {
      run.update({ steps: beginStep(run.view.steps, index, 0) });
      return;
    }
    const steps = endStep(run.view.steps, ms ?? 0).map((step) => (step.index === index ? { ...step, calls: calls ?? 0 } : step));
    run.update({ steps, calls: run.view.calls + (calls ?? 0) });
  };
  const { report, complete } = await runOffline(run.hands, protocol, { signal, sessionId: session, onStep });
  const attributed = await attributedReport(report, { stateFolder, root: run.hands.workspace, session: { id: session, messages: [] } });
  const status = signal.aborted ? 'stopped' : complete ? 'done' : 'incomplete';
  run.update({ ...attributed, status, endedAt: Date.now() });
}
