import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makePlace, runCli } from './run-cli.ts';

it('shows the workspace as it was before and after a call', async () => {
  const place = await makePlace({ 'a.txt': 'one\n' });
  await mkdir(join(place.folder, 'd'));
  await writeFile(join(place.folder, 'd/b.txt'), 'b\n');
  const write = async (path: string, content: string): Promise<string> => {
    const { out } = await runCli(place, ['call', 'write_file', JSON.stringify({ path, content }), '--yes', '--json']);
    return (JSON.parse(out) as { meta: { callId: string } }).meta.callId;
  };
  const first = await write('a.txt', 'two\n');
  await write('new.txt', 'n\n');
  await appendFile(join(place.folder, 'd/b.txt'), 'by a person\n');

  expect(await runCli(place, ['at', first.slice(0, 8), 'a.txt'])).toMatchObject({ code: 0, out: 'one\n', err: '' });
  expect((await runCli(place, ['at', first, 'a.txt', '--after'])).out).toBe('two\n');
  expect((await runCli(place, ['at', first])).out).toBe('d/\na.txt  4B\n');
  const diff = await runCli(place, ['at', first, '--diff']);
  expect(diff.out).toContain('changed a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n');
  expect(diff.out).toContain('created new.txt');
  expect((await runCli(place, ['at', first, 'a.txt', '--diff'])).out).not.toContain('new.txt');
  expect(JSON.parse((await runCli(place, ['at', first, 'a.txt', '--json'])).out)).toMatchObject({ call: first, side: 'before', content: 'one\n' });
  // It is not known what a person changed.
  const changed = await runCli(place, ['at', first, 'd/b.txt']);
  expect(changed).toMatchObject({ code: 0, out: 'b\nby a person\n' });
  expect(changed.err).toContain('was changed since by something else than a call');
  expect((await runCli(place, ['at', first, 'd'])).out).toContain('changed since by something else: as it is now');
  // Nothing was changed to show it.
  expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('two\n');

  const refused: ReadonlyArray<readonly [words: string[], code: number]> = [
    [['none'], 5],
    [[first, 'missing'], 5],
    [[first, '../x'], 3],
    [[first, 'a.txt', '--befor'], 2],
  ];
  for (const [words, code] of refused) expect(await runCli(place, ['at', ...words]), words.join(' ')).toMatchObject({ code, out: '' });
});
