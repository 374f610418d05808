import { expect, it } from 'vitest';
import type { PermissionQuestion } from '../permission-question.ts';
import type { Shown } from '../shown.ts';
import { editorFace } from './editor-face.ts';

const CALL = { callId: 'c', status: 'pending', title: 'T', name: 'run_command', kind: 'execute', locations: [], rawInput: {} } as const;
const OPTIONS = [{ optionId: 'once', name: 'Allow', kind: 'allow_once' }] as const;
const QUESTION: PermissionQuestion = { title: 'T', text: 'Everything', call: { ...CALL, locations: [] }, options: [...OPTIONS], answers: new Map() };

type Client = Parameters<typeof editorFace>[0];
interface Asked {
  readonly method: string;
  readonly params: unknown;
  readonly options: unknown;
}

/** An editor that gives an answer, and keeps what it was sent and asked. */
function face(answer: () => Promise<unknown> = () => Promise.resolve({ outcome: 'selected', optionId: 'once' })) {
  const sent: unknown[] = [];
  const asked: Asked[] = [];
  const client = {
    request: async (method: string, params: unknown, options: unknown) => {
      asked.push({ method, params, options });
      return { outcome: await answer() };
    },
    notify: async (method: string, params: unknown) => void sent.push([method, params]),
  } as unknown as Client;
  return { sent, asked, client, face: editorFace(client, undefined) };
}

const { signal } = new AbortController();

it('shows a call under its session', async () => {
  const { sent, face: at } = face();
  await at.show('s', { kind: 'call-start', call: { ...CALL, locations: [], status: 'in_progress' } });
  expect(sent).toEqual([
    [
      'session/update',
      { sessionId: 's', update: expect.objectContaining({ sessionUpdate: 'tool_call', toolCallId: 'c', status: 'in_progress' }) as object },
    ],
  ]);
});

it('sends nothing for what version 1 cannot show', async () => {
  const { sent, face: at } = face();
  const block = { type: 'text', text: 'x' } as const;
  const notShown: readonly Shown[] = [
    { kind: 'prompt', messageId: 'm', content: [block] },
    { kind: 'activity', activity: { state: 'running' } },
  ];
  for (const shown of notShown) await at.show('s', shown);
  expect(sent).toEqual([]);
});

it('asks with the call, everything there is to say of it, and the options; the signal withdraws the question', async () => {
  const { asked, face: at } = face();
  expect(await at.ask('s', QUESTION, signal)).toBe('once');
  expect(asked).toMatchObject([
    {
      method: 'session/request_permission',
      params: {
        sessionId: 's',
        toolCall: { toolCallId: 'c', status: 'pending', title: 'T', content: [{ type: 'content', content: { type: 'text', text: 'Everything' } }] },
        options: OPTIONS,
      },
      options: { stopWaitingOnCancel: true },
    },
  ]);
  expect(asked.map(({ options }) => (options as { cancellationSignal: unknown }).cancellationSignal)).toEqual([signal]);
});

it.each([{ outcome: 'cancelled' }, { outcome: '_later', optionId: 'once' }, { outcome: 'selected' }])('reads %o as no choice', async (outcome) => {
  const { face: at } = face(() => Promise.resolve(outcome));
  expect(await at.ask('s', QUESTION, signal)).toBeUndefined();
});

it('fails where the editor does', async () => {
  const { face: at } = face(() => Promise.reject(new Error('gone')));
  await expect(at.ask('s', QUESTION, signal)).rejects.toThrow('gone');
});

it('has the unsaved texts of an editor that tells them, and of no other', async () => {
  const { client, face: at } = face();
  expect(at.buffers('s', (path) => path)).toBeUndefined();
  expect(editorFace(client, { readTextFile: true, writeTextFile: true }).buffers('s', (path) => path)).toBeDefined();
});
