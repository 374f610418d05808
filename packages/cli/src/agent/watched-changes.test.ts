import type { Hands } from '@synapse/hands';
import type { ToolCaller } from '@synapse/hands/providers';
import { SynapseError } from '@synapse/protocol';
import { expect, it } from 'vitest';
import { WatchedChanges } from './watched-changes.ts';

const meta = { callId: 'c', tool: 'edit_file', durationMs: 0, summary: '', completion: 'ok' as const };
const tools: ToolCaller = {
  tools: () => [],
  call: async () => ({ ok: true, output: '', content: [], data: {}, meta }),
};

function watch(changes: Hands['changes']) {
  return new WatchedChanges({ changes }, tools);
}

it('compares no more files than are shown, and stops with the step', async () => {
  const asked: unknown[] = [];
  const { signal } = new AbortController();
  const watched = watch(async (...given) => {
    asked.push(given);
    return [{ kind: 'changed', path: 'a', current: true }];
  });
  await watched.tools.call('edit_file', {}, { callId: 'c', signal });
  expect(asked).toEqual([[{ call: 'c' }, { diffs: 12, signal }]]);
  expect([watched.take('c'), watched.take('c')]).toEqual([[{ kind: 'changed', path: 'a', current: true }], []]);
});

it('shows nothing of a step that was stopped', async () => {
  const watched = watch(async () => {
    throw new SynapseError('cancelled', 'Interrupted.');
  });
  expect(await watched.tools.call('edit_file', {}, { callId: 'c' })).toMatchObject({ ok: true });
  expect(watched.take('c')).toEqual([]);
});
