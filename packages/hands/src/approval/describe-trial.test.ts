import { expect, it } from 'vitest';
import { describeTrial } from './describe-trial.ts';

it("shows git's own files last, and keeps all of them", () => {
  const paths = ['.git/index', 'a/.git/HEAD', 'README.md', '.gitignore', '.git', 'src/a.ts'];
  const changes = paths.map((path) => ({ path, kind: 'changed' }) as const);
  const effect = { changes, more: 0, omitted: [], cautions: [] };
  const shown = describeTrial({ fingerprint: '', effect, output: '', completion: 'ok' }).changes.map(({ text }) => text.split(' ').at(-1));
  expect(shown).toEqual(['README.md', '.gitignore', 'src/a.ts', '.git/index', 'a/.git/HEAD', '.git']);
});
