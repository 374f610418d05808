import { count } from '@synapse/hands/internal';
import { endText, retryText } from '../agent/event-texts.ts';
import type { CommandIo } from '../command/command.ts';
import { inLine } from '../output/visible-text.ts';
import type { Attempt, PlannedAttempt } from './attempt.ts';
import type { AttemptWatcher } from './work-attempt.ts';

/** What is shown of attempts while they work: lines with their numbers, or each event as JSON. */
export interface AttemptProgress extends AttemptWatcher {
  checks(planned: PlannedAttempt): void;
  ended(attempt: Attempt): void;
}

interface Shown {
  readonly json: boolean;
  readonly jsonl: boolean;
  /** Number of attempts. */
  readonly number: number;
}

/** Shows the attempts of a run. */
export function showProgress({ json, jsonl, number }: Shown, { out, err }: Pick<CommandIo, 'out' | 'err'>): AttemptProgress {
  const isQuiet = json || jsonl;
  let working = number;
  let calls = 0;
  const tell = ({ index }: PlannedAttempt, text: string, style: 'dim' | 'yellow' = 'dim'): void => {
    if (isQuiet) return;
    err.show('');
    err.write(`[${index}] ${text}\n`, style);
    if (working > 0) err.show(`${working} of ${count(number, 'attempt')} at work · ${count(calls, 'call')}`);
  };
  if (!isQuiet) err.show(`Starting ${count(number, 'attempt')}`);
  return {
    event(planned, { object, event }) {
      if (jsonl) out.write(`${JSON.stringify({ branch: planned.branch, ...object })}\n`);
      if (event?.type === 'session')
        tell(planned, `Session ${event.sessionId} in ${planned.branch}${planned.model === undefined ? '' : ` · ${inLine(planned.model)}`}`);
      if (event?.type === 'call-start') calls += 1;
      if (event?.type === 'retry')
        tell(planned, retryText({ type: 'retry', reason: event.reason, attempt: event.attempt, waitMs: event.waitMs }), 'yellow');
      if (event?.type !== 'call-end') return;
      const { callId, tool, ok, completion, summary, durationMs, error } = event;
      const ended = { type: 'call-end', callId, tool, ok, completion, summary, durationMs } as const;
      const { text, style } = endText(error === undefined ? ended : { ...ended, error });
      tell(planned, text, style);
    },
    notice: (planned, line) => tell(planned, inLine(line), 'yellow'),
    checks: (planned) => tell(planned, 'Checking'),
    ended(attempt) {
      working -= 1;
      const { status, reason, check } = attempt;
      if (status !== 'done') tell(attempt, `Ended: ${inLine(reason ?? status)}`, 'yellow');
      if (check !== undefined)
        tell(
          attempt,
          check.passed ? '✓ Check passed' : `✗ Check failed: ${[check.ending, lastLine(check.output)].filter((part) => part !== '').join(': ')}`,
          check.passed ? 'dim' : 'yellow',
        );
      if (working === 0) err.show('');
    },
  };
}

/** Characters of the output of a check in one line. */
const MAX_SAID = 200;

function lastLine(output: string): string {
  return inLine(output.trimEnd().split('\n').at(-1)?.slice(0, MAX_SAID).toWellFormed() ?? '');
}
