import type { ConsoleCall } from '@synapse/protocol/console';
import { expect, it } from 'vitest';
import { findAll } from './find-all.ts';

const call = (n: number): ConsoleCall => ({ n, id: `c${n}`, tool: 'read_file', args: `src/${n}.ts`, time: 0, status: 'ok' });
const searched = {
  calls: Array.from({ length: 100 }, (_, n) => call(n)),
  runs: [],
  tools: [{ name: 'read_file', title: 'Read a file', description: '', effects: 'read', inputSchema: {} }],
  changes: [{ session: 's-1', title: 'Make it tiny', calls: 1, time: 0, paths: ['README.md', 'src/7.ts'] }],
};

it('finds tools, changed files and the newest calls', () => {
  expect(findAll('read', searched).map(({ group, title }) => `${group} ${title}`)).toEqual([
    'Tools read_file',
    'Changed files README.md',
    ...Array.from({ length: 8 }, () => 'Calls read_file'),
  ]);
  expect(findAll('READ 99.ts', searched)).toEqual([{ group: 'Calls', title: 'read_file', detail: 'src/99.ts', href: '#/calls/c99' }]);
  expect(findAll('readme', searched)[0]).toMatchObject({ href: '#/changes/s-1', detail: 'Make it tiny' });
});

it('finds nothing for no words', () => {
  expect(findAll('  ', searched)).toEqual([]);
});
