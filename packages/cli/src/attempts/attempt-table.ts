import { count } from '@synapse/hands/internal';
import { columns, width } from '../output/columns.ts';
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

interface Column {
  readonly cell: (attempt: Attempt, at: number) => string;
  /** Columns that can be left out where there is no room; the highest is the first to go. */
  readonly rare?: number;
}

/**
 * Attempts as lines, in their order. Those with changes are numbered, for the question. Columns that say the same everywhere are left out.
 *
 * @param room the width of the terminal; undefined for whole lines
 */
export function attemptTable(ranked: readonly Attempt[], room = Infinity): string {
  const hasModels = new Set(ranked.map(({ model }) => model)).size > 1;
  const all: readonly Column[] = [
    { cell: (attempt, at) => (hasChanges(attempt) ? String(at + 1) : '') },
    { cell: ({ branch }) => branch },
    ...(hasModels ? [{ cell: ({ model }: Attempt) => model ?? '' }] : []),
    ...(ranked.some(({ check }) => check !== undefined) ? [{ cell: checked }] : []),
    { cell: changed },
    { cell: ({ calls }) => count(calls, 'call'), rare: 2 },
    { cell: ({ tokens }) => `${tokens} tokens`, rare: 3 },
    ...(ranked.some(({ costUsd }) => costUsd > 0) ? [{ cell: ({ costUsd }: Attempt) => `$${costUsd.toFixed(4)}`, rare: 1 }] : []),
    { cell: ({ durationMs }) => `${(durationMs / 1000).toFixed(1)} s`, rare: 4 },
    { cell: ({ status }) => ENDINGS[status] },
  ];
  const drawn = (rarest: number): string =>
    columns(ranked.map((attempt, at) => all.filter(({ rare = 0 }) => rare <= rarest).map(({ cell }) => cell(attempt, at))));
  const tables = [4, 3, 2, 1, 0].map(drawn);
  const fits = (table: string): boolean => table.split('\n').every((line) => width(line) <= room);
  return tables.find(fits) ?? tables.at(-1) ?? '';
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
