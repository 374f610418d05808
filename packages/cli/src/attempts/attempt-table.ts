import { count } from '@synapse/hands/internal';
import { columns } from '../output/columns.ts';
import type { Attempt, AttemptWork } from './attempt.ts';
import { changeSize, hasChanges } from './rank-attempts.ts';

const ENDINGS: Record<AttemptWork['status'], string> = {
  done: '',
  limit: 'stopped at a limit',
  loop: 'stopped in a loop',
  paused: 'paused',
  cancelled: 'interrupted',
  refused: 'refused',
  failed: 'failed',
  killed: 'killed',
};

function checked({ check }: Attempt): string {
  if (check === undefined) return '';
  return check.passed ? 'passed' : `failed: ${check.ending}`;
}

function changed(attempt: Attempt): string {
  if (!hasChanges(attempt)) return 'no changes';
  const { added, removed } = changeSize(attempt);
  const lines = added + removed === 0 ? '' : `  +${added} -${removed}`;
  return `${count(attempt.changes, 'change')}${lines}`;
}

/** Attempts as lines, in their order. Those with changes are numbered, for the question. Columns that say the same everywhere are left out. */
export function attemptTable(ranked: readonly Attempt[]): string {
  const hasModels = new Set(ranked.map(({ model }) => model)).size > 1;
  const hasChecks = ranked.some(({ check }) => check !== undefined);
  const hasCosts = ranked.some(({ costUsd }) => costUsd > 0);
  return columns(
    ranked.map((attempt, at) => [
      hasChanges(attempt) ? String(at + 1) : '',
      attempt.branch,
      ...(hasModels ? [attempt.model ?? ''] : []),
      ...(hasChecks ? [checked(attempt)] : []),
      changed(attempt),
      count(attempt.calls, 'call'),
      `${attempt.tokens} tokens`,
      ...(hasCosts ? [`$${attempt.costUsd.toFixed(4)}`] : []),
      `${(attempt.durationMs / 1000).toFixed(1)} s`,
      ENDINGS[attempt.status],
    ]),
  );
}

/** What all attempts have spent, in one line. */
export function totals(attempts: readonly Attempt[]): string {
  const sum = (of: (attempt: Attempt) => number): number => attempts.reduce((total, attempt) => total + of(attempt), 0);
  const cost = sum(({ costUsd }) => costUsd);
  const spent = [
    count(
      sum(({ calls }) => calls),
      'call',
    ),
    `${sum(({ tokens }) => tokens)} tokens`,
  ];
  return [count(attempts.length, 'attempt'), ...spent, ...(cost === 0 ? [] : [`$${cost.toFixed(4)}`])].join(' · ');
}
