import { expect, it } from 'vitest';
import { givenCommand } from './given-command.ts';

it.each<[readonly [string, ...string[]], readonly string[]]>([
  [['npm'], ['npm']],
  [
    ['npm', 'run', 'a b'],
    ['npm', 'run', 'a b'],
  ],
  [['npm test && npm run lint'], ['sh', '-c', 'npm test && npm run lint']],
  [['date>made.txt'], ['sh', '-c', 'date>made.txt']],
  [['/opt/my tools/check'], ['/opt/my tools/check']],
])('%j runs as %j', (words, argv) => {
  expect(givenCommand(words, (path) => path === '/opt/my tools/check')).toEqual(argv);
});
