import type { ConsoleCall } from '@synapse/protocol/console';
import { expect, it } from 'vitest';
import { filterCalls, NO_FILTER, type CallFilter } from './filter-calls.ts';

const row = (n: number, more: Partial<ConsoleCall>): ConsoleCall => ({ n, id: `c${n}`, tool: 'read_file', args: '', time: 0, status: 'ok', ...more });
const rows = [
  row(1, { args: 'README.md', session: 's1' }),
  row(2, { tool: 'run_command', args: 'npm test', status: 'failed' }),
  row(3, { status: 'running' }),
  row(4, { verdict: 'denied', status: 'failed', code: 'outside_workspace' }),
];

it.each<[Partial<CallFilter>, number[]]>([
  [{}, [1, 2, 3, 4]],
  [{ text: 'readme' }, [1]],
  [{ text: 'NPM run_' }, [2]],
  [{ text: 'outside' }, [4]],
  [{ status: 'failed' }, [2, 4]],
  [{ status: 'running' }, [3]],
  [{ status: 'denied' }, [4]],
  [{ tool: 'run_command' }, [2]],
  [{ session: 's1' }, [1]],
  [{ text: 'nothing' }, []],
])('%j', (filter, expected) => {
  expect(filterCalls(rows, { ...NO_FILTER, ...filter }).map(({ n }) => n)).toEqual(expected);
});

it('gives the very same list where nothing is filtered', () => {
  expect(filterCalls(rows, NO_FILTER)).toBe(rows);
});
