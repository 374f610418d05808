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
