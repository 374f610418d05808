import { ATTEMPT_VARIABLE } from '../branch/branch-variable.ts';
import { planAttempts, type WantedAttempts } from './plan-attempts.ts';

/** The run that this process makes an attempt for. */
export interface OwnAttempt {
  readonly id: string;
  /** From 1. */
  readonly index: number;
  /** Whether it runs the check, after another process has worked. */
  readonly checks: boolean;
}

/** The attempt that this process is; undefined if it is none. */
export function ownAttempt(environment: NodeJS.ProcessEnv = process.env): OwnAttempt | undefined {
  const { id, index, checks } = /^(?<id>[0-9a-f]+):(?<index>\d+)(?<checks>:check)?$/u.exec(environment[ATTEMPT_VARIABLE] ?? '')?.groups ?? {};
  return id === undefined || index === undefined ? undefined : { id, index: Number(index), checks: checks !== undefined };
}

/** Aborted when the process at the other end of stdin has ended, or closes it. */
export function whenLeft(stdin: NodeJS.ReadableStream): AbortSignal {
  const left = new AbortController();
  stdin.on('close', () => left.abort());
  stdin.on('end', () => left.abort());
  stdin.resume();
  return left.signal;
}

/**
 * The options of a run for the attempt that this process is. In its branch, it may change files without a question: a person is asked before
 * they are applied.
 */
export function attemptOptions<Options extends WantedAttempts & { readonly allow: readonly string[] }>(options: Options, { id, index }: OwnAttempt) {
  const model = planAttempts(options, id)[index - 1]?.model;
  return { ...options, model, allow: [...options.allow, 'write'], json: false, jsonl: true, budget: id };
}
