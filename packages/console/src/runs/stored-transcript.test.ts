import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SessionStore } from '@synapse/brain';
import { expect, it } from 'vitest';
import { storedTranscript } from './stored-transcript.ts';

it('tells a session that another process made, with the ids of its calls', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-transcript-'));
  try {
    using store = SessionStore.open(folder);
    const session = store.create({ workspace: '/w', model: 'm', task: 'Fix it' });
    const result = (toolCallId: string, value: string, type: 'text' | 'error-text' = 'text') =>
      ({ type: 'tool-result', toolCallId, toolName: 'read_file', output: { type, value } }) as const;
    session.add({ role: 'user', content: [{ type: 'text', text: 'Fix it' }] });
    for (const turn of [1, 2]) {
      session.add({
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: `turn ${turn}` },
          { type: 'tool-call', toolCallId: 'call_0', toolName: 'read_file', input: { path: `${turn}.txt` } },
        ],
      });
      session.startCall(`${session.id}:${turn}:0:call_0`, 'read_file');
      if (turn === 2) break;
      session.endCall(`${session.id}:${turn}:0:call_0`, '{}');
      session.add({ role: 'tool', content: [result('call_0', '\nError: File not found: 1.txt\nmore', 'error-text')] });
    }
    const told = storedTranscript(store, { id: session.id, status: 'running' }, 5).part(undefined);
    expect(told.revision).toBeGreaterThan(5);
    expect(told.entries).toEqual([
      { kind: 'text', n: 0, from: 'user', text: 'Fix it' },
      { kind: 'text', n: 1, from: 'thought', text: 'hm' },
      { kind: 'text', n: 2, from: 'model', text: 'turn 1' },
      {
        kind: 'call',
        n: 3,
        call: `${session.id}:1:0:call_0`,
        tool: 'read_file',
        args: '1.txt',
        status: 'failed',
        summary: 'Error: File not found: 1.txt',
      },
      { kind: 'text', n: 4, from: 'thought', text: 'hm' },
      { kind: 'text', n: 5, from: 'model', text: 'turn 2' },
      { kind: 'call', n: 6, call: `${session.id}:2:0:call_0`, tool: 'read_file', args: '2.txt', status: 'running' },
    ]);
    const ended = storedTranscript(store, { id: session.id, status: 'cancelled' }, 0).part(undefined);
    expect(ended.entries.at(-1)).toMatchObject({ status: 'interrupted' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
