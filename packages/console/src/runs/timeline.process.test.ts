import { defaultsOf, queryAudit } from '@synapse/hands/internal';
import { expect, it } from 'vitest';
import { consolePlace } from '../fixtures/console-place.ts';
import { timelineOf } from './timeline.ts';

it('tells the calls of a session in order, with their answers, times and changes, and long ones in parts', async () => {
  await using place = await consolePlace({ 'a.txt': 'one\n' });
  await using hands = await place.hands();
  const options = { sessionId: 's-1' };
  const startedAt = Date.now();
  await hands.call('read_file', { path: 'a.txt' }, options);
  await hands.call('edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] }, options);
  await hands.call('read_file', { path: 'none.txt' }, options);
  await hands.call('read_file', { path: 'a.txt' }, { sessionId: 's-2' });
  const defaults = new Map(hands.tools('json-schema').map(({ name, inputSchema }) => [name, defaultsOf(inputSchema)]));
  const timeline = (session: string, before?: number) =>
    timelineOf(queryAudit(place.stateFolder, place.project, { session }), (tool) => defaults.get(tool), before);
  const { calls, more } = timeline('s-1');
  expect(more).toBe(false);
  expect(calls).toMatchObject([
    { tool: 'read_file', args: 'a.txt', status: 'ok', summary: expect.stringContaining('a.txt') as string, changes: [], changed: 0 },
    { tool: 'edit_file', status: 'ok', changes: [{ kind: 'write', path: 'a.txt' }], changed: 1 },
    { tool: 'read_file', status: 'failed', code: 'not_found', summary: expect.stringContaining('not_found') as string },
  ]);
  for (const { time, ms = -1 } of calls) expect([time >= startedAt - 1, ms >= 0]).toEqual([true, true]);
  expect(timeline('s-1', calls[2]?.n).calls.map(({ tool }) => tool)).toEqual(['read_file', 'edit_file']);
  expect(timeline('unknown')).toEqual({ calls: [], more: false });

  for (let index = 0; index < 200; index += 1) await hands.call('file_info', { path: 'a.txt' }, options);
  const newest = timeline('s-1');
  expect([newest.calls.length, newest.more, newest.calls[0]?.tool]).toEqual([200, true, 'file_info']);
  expect(timeline('s-1', newest.calls[0]?.n).calls.map(({ tool }) => tool)).toEqual(['read_file', 'edit_file', 'read_file']);
});
