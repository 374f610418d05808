import { execFileSync } from 'node:child_process';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makePlace, runCli } from './run-cli.ts';

it('tells who wrote each line', async () => {
  const place = await makePlace({ 'a.txt': 'one\ntwo\n' });
  const edit = { path: 'a.txt', edits: [{ old_text: 'two', new_text: '2' }] };
  const called = await runCli(place, ['call', 'edit_file', JSON.stringify(edit), '--yes', '--json']);
  const { meta } = JSON.parse(called.out) as { meta: { callId: string } };
  await appendFile(join(place.folder, 'a.txt'), 'three\n');
  const blamed = await runCli(place, ['blame', 'a.txt', '--json']);
  expect(JSON.parse(blamed.out)).toMatchObject({
    lines: [
      { line: 1, text: 'one', by: 'before' },
      { line: 2, text: '2', by: 'hands', tool: 'edit_file', call: meta.callId },
      { line: 3, text: 'three', by: 'person-or-other' },
    ],
  });
  expect((await runCli(place, ['blame', 'a.txt:2'])).out).toBe(`2  edit_file ${meta.callId.slice(0, 8)}  2\n`);
  expect(await runCli(place, ['blame', 'missing.txt'])).toMatchObject({ code: 5, out: '' });
  expect(await runCli(place, ['blame', '../x'])).toMatchObject({ code: 3, out: '' });
});

it('sums up who wrote the lines of a range of commits, also where the files were changed since', async () => {
  const place = await makePlace({ 'a.txt': 'one\n' });
  const git = (...words: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=P', '-c', 'user.email=p@example.com', ...words], { cwd: place.folder });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  git('commit', '-qm', 'first');
  git('checkout', '-qb', 'topic');
  const write = async (content: string): Promise<void> =>
    void (await runCli(place, ['call', 'write_file', JSON.stringify({ path: 'a.txt', content }), '--yes']));
  await write('one\ntwo\nthree\n');
  await appendFile(join(place.folder, 'a.txt'), 'by a person\n');
  git('commit', '-qam', 'second');
  await runCli(place, ['call', 'run_command', JSON.stringify({ command: 'test -f a.txt' }), '--yes']);
  const expected = {
    lines: 3,
    files: 1,
    by: { hands: 2, 'person-or-other': 1, before: 0, unknown: 0 },
    agents: [{ session: null, lines: 2, calls: 1 }],
  };
  const summary = async (...words: string[]): Promise<unknown> => JSON.parse((await runCli(place, ['blame', '--summary', ...words, '--json'])).out);
  expect(await summary('main..')).toMatchObject({ ...expected, tests: [{ command: 'test -f a.txt', exit_code: 0 }] });
  expect(await summary()).toMatchObject(expected);
  await write('zero\none\n2\n');
  expect(await summary('main..topic')).toMatchObject({ ...expected, tests: [] });
  const shown = await runCli(place, ['blame', '--summary', 'main..']);
  expect(shown.out).toBe('calls without a session      2  67 %  1 call\na person or another program  1  33 %\n');
  expect((await runCli(place, ['blame', '--summary', 'none..'])).code).toBe(5);
  expect((await runCli(place, ['blame'])).code).toBe(2);
});
