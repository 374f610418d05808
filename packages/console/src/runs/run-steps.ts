import type { ReasoningProtocol } from '@synapse/brain';
import type { ConsoleRunStep } from '@synapse/protocol/console';

/** Returns the steps of a protocol before a run. */
export function waitingSteps(protocol: ReasoningProtocol | undefined): ConsoleRunStep[] {
  return (protocol?.steps ?? []).map(({ id, title }, index) => ({ id, title, index: index + 1, status: 'waiting' }));
}

/** Starts a step and ends the previous one. */
export function beginStep(steps: readonly ConsoleRunStep[], index: number, sinceMs: number): ConsoleRunStep[] {
  return endStep(steps, sinceMs).map((step) => (step.index === index ? { ...step, status: 'running' } : step));
}

/** Ends the running step after its duration. A model may return to a step, so durations add up. */
export function endStep(steps: readonly ConsoleRunStep[], sinceMs: number): ConsoleRunStep[] {
  return steps.map((step) => (step.status === 'running' ? { ...step, status: 'done', ms: (step.ms ?? 0) + sinceMs } : step));
}

/** Counts a call in the running step. */
export function countCall(steps: readonly ConsoleRunStep[]): ConsoleRunStep[] {
  return steps.map((step) => (step.status === 'running' ? { ...step, calls: (step.calls ?? 0) + 1 } : step));
}
