import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { temporaryHands } from './testing/temporary-hands.ts';

it('closes once, however often and by how many it is closed', async () => {
  await using at = await temporaryHands({ 'a.txt': 'a\n' });
  const { hands } = at;
  const command = hands.call('run_command', { command: 'sleep 60' });
  await Promise.all([hands[Symbol.asyncDispose](), hands[Symbol.asyncDispose]()]);
  expect(await command).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  await hands[Symbol.asyncDispose]();
});

it.each<[string, string, object]>([
  ['reading', 'read_file', { path: 'a.txt' }],
  ['writing', 'write_file', { path: 'b.txt', content: '' }],
  ['a command', 'run_command', { command: 'true' }],
])('says of %s that the hands are closed, not that the folder is gone', async (_, tool, input) => {
  await using at = await temporaryHands({ 'a.txt': 'a\n' });
  await at.hands[Symbol.asyncDispose]();
  const closed = { code: 'unavailable', message: 'These hands are closed.' };
  expect(await at.hands.call(tool, input)).toMatchObject({ ok: false, error: closed });
  await expect(at.hands.explain(tool, input)).rejects.toMatchObject(closed);
});

it('opens nothing again once it is closed', async () => {
  await using at = await temporaryHands();
  const { hands } = at;
  await hands.call('write_file', { path: 'a.txt', content: 'a\n' });
  await hands[Symbol.asyncDispose]();
  const open = readdirSync('/proc/self/fd').length;
  for (const use of [() => hands.undo(), () => hands.planUndo(), () => hands.changes()]) {
    await expect(use()).rejects.toMatchObject({ code: 'unavailable', message: 'These hands are closed.' });
  }
  expect(readdirSync('/proc/self/fd')).toHaveLength(open);
});
