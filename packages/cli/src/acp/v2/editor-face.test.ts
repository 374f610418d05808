import { expect, it } from 'vitest';
import type { PermissionQuestion } from '../permission-question.ts';
import type { Shown } from '../shown.ts';
import { editorFace } from './editor-face.ts';

const CALL = { callId: 'c', status: 'pending', title: 'T', name: 'run_command', kind: 'execute', locations: [], rawInput: {} } as const;
const QUESTION: PermissionQuestion = { title: 'T', text: 'Everything', call: { ...CALL, locations: [] }, options: [], answers: new Map() };
const start: Shown = { kind: 'call-start', call: { ...CALL, locations: [], status: 'in_progress' } };
const end: Shown = { kind: 'call-update', call: { callId: 'c', status: 'failed' } };

/** An editor that gives an answer, and keeps what it was sent. */
function face(answer: () => Promise<unknown> = () => Promise.resolve({ outcome: 'selected', optionId: 'once' })) {
  const sent: unknown[] = [];
  const asked: unknown[] = [];
  const client = {
    request: async (_: string, params: unknown) => {
      asked.push(params);
      return { outcome: await answer() };
    },
    notify: async (_: string, { update }: { update: { status?: string } }) => void sent.push(update.status),
  } as unknown as Parameters<typeof editorFace>[0];
  return { sent, asked, face: editorFace(client) };
}

const { signal } = new AbortController();

it('shows the call of a question as pending, and then as running', async () => {
  const { sent, asked, face: at } = face();
  await at.show('s', start);
  expect(await at.ask('s', QUESTION, signal)).toBe('once');
  expect(asked).toMatchObject([
    { title: 'T', description: 'Everything', subject: { type: 'tool_call', toolCall: { toolCallId: 'c', status: 'pending' } } },
  ]);
  await at.show('s', end);
  expect(sent).toEqual(['in_progress', 'in_progress', 'failed']);
});

it('shows no call that ended while the question was withdrawn', async () => {
  const { sent, face: at } = face(async () => {
    await at.show('s', end);
    throw new Error('withdrawn');
  });
  await at.show('s', start);
  await expect(at.ask('s', QUESTION, signal)).rejects.toThrow('withdrawn');
  expect(sent).toEqual(['in_progress', 'failed']);
});

it('asks about a part of a call without showing it as a call', async () => {
  const { sent, asked, face: at } = face();
  expect(await at.ask('s', QUESTION, signal)).toBe('once');
  expect(asked).toEqual([{ sessionId: 's', title: 'T', description: 'Everything', options: [] }]);
  expect(sent).toEqual([]);
});

it.each([{ outcome: 'cancelled' }, { outcome: '_later' }, { outcome: 'selected' }, 7, undefined])('reads %o as no choice', async (outcome) => {
  const { face: at } = face(() => Promise.resolve(outcome));
  expect(await at.ask('s', QUESTION, signal)).toBeUndefined();
});
