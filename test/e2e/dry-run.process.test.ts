import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makePlace, runCli } from './run-cli.ts';

const write = ['call', 'write_file', JSON.stringify({ path: 'a.txt', content: 'two\n' }), '--dry-run'];

it('shows what a call would do, and asks for nothing', async () => {
  const place = await makePlace({ 'a.txt': 'one\n' });
  const { code, out } = await runCli(place, write);
  expect(code).toBe(0);
  expect(out).toMatch(/^Dry run: nothing was changed\.\nFor real it needs approval: writes a\.txt: [^]*-one\n\+two\nIt would answer:\n/u);
  expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('one\n');
  expect((await runCli(place, ['log'])).out).toContain('dry run');
  expect((await runCli(place, ['changes'])).out).toBe('');
});

it('is one object for programs', async () => {
  const place = await makePlace({ 'a.txt': 'one\n' });
  const { out } = await runCli(place, [...write, '--json']);
  expect(JSON.parse(out)).toMatchObject({
    ok: true,
    meta: {
      dryRun: {
        verdict: 'ask',
        effects: ['writes a.txt'],
        changes: [{ kind: 'changed', path: 'a.txt', diff: expect.stringContaining('+two') as string }],
      },
    },
  });
});

it('runs no command where it cannot run on a copy', async () => {
  const place = await makePlace();
  const { code, err } = await runCli(place, ['call', 'run_command', JSON.stringify({ command: 'echo x > ran' }), '--dry-run', '--sandbox', 'none']);
  expect(code).not.toBe(0);
  expect(err).toContain('It was not run.');
  expect(readdirSync(place.folder)).toEqual([]);
});
