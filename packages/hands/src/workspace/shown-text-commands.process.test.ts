import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { fakeEditor } from '../testing/fake-editor.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

it.skipIf(findBubblewrap() === undefined)('an editor writes nothing while a command runs, which could put a link in its way', async () => {
  const editor = fakeEditor();
  await using at = await temporaryHands({ 'a.txt': 'one\n' }, { buffers: editor.buffers });
  editor.texts.set(at.at('a.txt'), 'typed\n');
  const job = await at.hands.call('run_command', { command: 'echo up; sleep 300', background: true, wait_pattern: 'up' });
  expect(job.ok).toBe(true);
  const edit = { path: 'a.txt', edits: [{ old_text: 'typed', new_text: 'edited' }] };
  expect(await at.hands.call('read_file', { path: 'a.txt' })).toMatchObject({ ok: true, data: { content: 'typed\n' } });
  const refused = await at.hands.call('edit_file', edit);
  expect(refused).toMatchObject({ ok: false, error: { code: 'conflict', retryable: true } });
  expect(JSON.stringify(refused)).toContain('a command runs');
  expect([editor.written, readFileSync(at.at('a.txt'), 'utf8')]).toEqual([[], 'one\n']);
  const listed = await at.hands.call('job', { action: 'list' });
  const id = listed.ok ? (listed.data.jobs[0]?.id ?? '') : '';
  expect(await at.hands.call('job', { action: 'stop', id })).toMatchObject({ ok: true });
  // What the job left is judged before it counts as ended.
  await expect.poll(async () => (await at.hands.call('edit_file', edit)).ok).toBe(true);
  expect(readFileSync(at.at('a.txt'), 'utf8')).toBe('edited\n');
});
