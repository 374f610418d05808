import { expect, it } from 'vitest';
import { parseYaml } from './parse-yaml.ts';

it('parses what people write', async () => {
  expect(await parseYaml('a: [x, "y ? z"]\nb:\n  - what?\n  - c: 1\n')).toEqual({ a: ['x', 'y ? z'], b: ['what?', { c: 1 }] });
});

it.each([
  ['explicit keys', '? '.repeat(10_000)],
  ['explicit keys on lines', '?\n'.repeat(10_000)],
  ['explicit keys in brackets', '[? '.repeat(10_000)],
  ['explicit keys in lists', '- ? '.repeat(5_000)],
  ['brackets', '['.repeat(30_000)],
  ['a long text', 'a: b\n'.repeat(10_000)],
  ['aliases of aliases', `a: &a [x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c,*c,*c]`],
])(
  'refuses %s, and soon',
  async (_name, text) => {
    await expect(parseYaml(text)).rejects.toThrow();
  },
  5_000,
);
