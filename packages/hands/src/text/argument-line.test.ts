import { expect, it } from 'vitest';
import { argumentLine, defaultsOf } from './argument-line.ts';

it.each<[unknown, string]>([
  [{ path: 'a.txt' }, 'a.txt'],
  [{ command: 'npm test\n&& ls', live: true }, 'npm test && ls live=true'],
  [{ content: { text: 'long', bytes: 9, sha256: 'x' } }, 'long'],
  [{ stat: true, bodies: false }, 'stat=true bodies=false'],
  [{ calls: [14, 13], paths: ['a'] }, '["a"] calls=[14,13]'],
  [{ encoding: 'utf8', path: 'a.txt' }, 'a.txt encoding=utf8'],
  [{}, ''],
  [undefined, ''],
  [[1], '[1]'],
])('%j in one line', (input, line) => {
  expect(argumentLine(input)).toBe(line);
});

it('leaves defaults out', () => {
  const defaults = defaultsOf({ properties: { cwd: { default: '.' }, live: { type: 'boolean', default: false }, command: {} } });
  expect(argumentLine({ command: 'ls', cwd: '.', live: false }, defaults)).toBe('ls');
  expect(argumentLine({ command: 'ls', cwd: 'src', live: true }, defaults)).toBe('ls cwd=src live=true');
  expect(defaultsOf({})).toEqual(new Map());
});
