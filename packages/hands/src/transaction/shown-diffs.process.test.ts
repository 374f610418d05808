import { expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

it.skipIf((await findBubblewrap()) === undefined)('changes by commands are shown as diffs, from before the first to after the last', async () => {
  await using place = await temporaryHands({ 'a.txt': 'one\n', 'gone.txt': 'gone\n' }, { sandbox: 'required' });
  const run = (command: string, callId: string) => place.hands.call('run_command', { command }, { callId });
  expect(await run('echo two > a.txt', 'first')).toMatchObject({ ok: true, meta: { ran: 'copy' } });
  expect(await run('echo three > a.txt; rm gone.txt; echo new > new.txt', 'second')).toMatchObject({ ok: true });
  const diffs = async (call?: string): Promise<unknown> =>
    Object.fromEntries(
      (await place.hands.changes(call === undefined ? {} : { call })).map(({ path, diff, note }) => [path, diff?.split('\n').slice(3, -1) ?? note]),
    );
  expect(await diffs()).toEqual({ 'a.txt': ['-one', '+three'], 'gone.txt': ['-gone'], 'new.txt': ['+new'] });
  expect(await diffs('second')).toEqual({ 'a.txt': ['-two', '+three'], 'gone.txt': ['-gone'], 'new.txt': ['+new'] });
  // What the first one left was replaced since, and is what the second one keeps.
  expect(await diffs('first')).toEqual({ 'a.txt': 'a file, 4B → 4B, not kept' });
});
