import type { Hands } from '@synapse/hands';
import type { ReasoningProtocol } from '../protocols/reasoning-protocol.ts';
import type { Attribution } from '../report/attribution.ts';
import { openCallLog, type Ask, type CallLog } from './call-log.ts';

/** Reports that a step started or ended. */
export interface StepEvent {
  readonly id: string;
  readonly title: string;
  readonly phase: 'start' | 'end';
  /** From 1. */
  readonly index: number;
  readonly total: number;
  /** Duration in milliseconds; set at the end. */
  readonly ms?: number;
  /** Number of calls; set at the end. */
  readonly calls?: number;
}

/** Options of an analysis without a model. */
export interface OfflineOptions {
  /** Ends the run soon; the report covers what was seen so far. */
  readonly signal?: AbortSignal;
  readonly sessionId?: string;
  readonly onStep?: (event: StepEvent) => void;
  /** A folder of the workspace to analyze, with its part of the history. Paths in the report are relative to it. Default: all. */
  readonly folder?: string;
}

/** The result of a run. */
export interface OfflineReport {
  /** Markdown with YAML front matter; parse it with `parseReport`. */
  readonly report: string;
  readonly attribution: Attribution;
  readonly steps: readonly { readonly id: string; readonly title: string; readonly ms: number; readonly calls: number }[];
  /** `false` if a step is incomplete: the run was aborted, or an essential call failed or timed out. */
  readonly complete: boolean;
}

/** Runs the steps of a protocol without a model. */
export interface StepRunner {
  readonly callLog: CallLog;
  /** Runs a step of the protocol, by its id. */
  step<Result>(id: string, work: (ask: Ask) => Result | Promise<Result>): Promise<Result>;
  /** Whether every step so far is complete. */
  complete(): boolean;
  readonly steps: OfflineReport['steps'];
}

/** Prepares to run a protocol without a model. */
export function openSteps(hands: Pick<Hands, 'call'>, { steps: guide }: ReasoningProtocol, options: OfflineOptions): StepRunner {
  const callLog = openCallLog(hands, options);
  const steps: { id: string; title: string; ms: number; calls: number }[] = [];
  let complete = true;
  return {
    callLog,
    steps,
    complete: () => complete && options.signal?.aborted !== true,
    async step(id, work) {
      const index = guide.findIndex((step) => step.id === id) + 1;
      const title = guide[index - 1]?.title ?? id;
      const log = callLog.step(id);
      const startedAt = performance.now();
      options.onStep?.({ id, title, phase: 'start', index, total: guide.length });
      const result = await work(log.ask);
      const done = { ms: performance.now() - startedAt, calls: log.calls() };
      complete &&= log.complete();
      steps.push({ id, title, ...done });
      options.onStep?.({ id, title, phase: 'end', index, total: guide.length, ...done });
      return result;
    },
  };
}
