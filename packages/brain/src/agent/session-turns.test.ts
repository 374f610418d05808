import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LanguageModelV4, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ToolCaller } from '@synapse/hands/providers';
import { expect, it } from 'vitest';
import { SessionStore } from '../sessions/session-store.ts';
import { temporarySession, type AgentSession } from './agent-session.ts';
import { compactSession } from './compact-session.ts';
import { streamingModel, USAGE } from './fixtures/streaming-model.ts';
import { runAgent } from './run-agent.ts';

const text = (delta: string): LanguageModelV4StreamPart => ({ type: 'text-delta', id: '1', delta });
/** A provider whose ids start again in each turn. */
const wanted = (path: string): LanguageModelV4StreamPart => ({
  type: 'tool-call',
  toolCallId: '1',
  toolName: 'look',
  input: JSON.stringify({ path }),
});

const modelOf = (...turns: LanguageModelV4StreamPart[]): LanguageModelV4 =>
  streamingModel(() => {
    const part = turns.shift() ?? text('Nothing is left.');
    const unified = part.type === 'tool-call' ? 'tool-calls' : 'stop';
    return [part, { type: 'finish', finishReason: { unified, raw: unified }, usage: USAGE }];
  });

function handsOf(seen: unknown[]): ToolCaller {
  return {
    tools: () => [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
    call: (_, input) => {
      seen.push(input);
      const meta = { callId: '1', tool: 'look', durationMs: 0, summary: 'look', completion: 'ok' as const };
      return Promise.resolve({ ok: true, output: 'seen', content: [], data: {}, meta });
    },
  };
}

const { signal } = new AbortController();

async function stored<Result>(use: (session: AgentSession, again: () => AgentSession) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-turns-'));
  try {
    using store = SessionStore.open(folder);
    const session = store.create({ workspace: folder, model: 'test', task: '' });
    return await use(session, () => store.resume(session.id));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compactsAndCalls(session: AgentSession, after: AgentSession): Promise<unknown[]> {
  const seen: unknown[] = [];
  const hands = handsOf(seen);
  // The second call is in the second turn, as it does again after the summary.
  const before = modelOf(text('Yes?'), wanted('old.txt'), text('Done.'));
  await runAgent({ hands, system: '', session, model: before, task: 'Hello.' });
  await runAgent({ hands, system: '', session, model: before, task: 'Look.' });
  await compactSession({ model: modelOf(text('Goal: look.')), session, signal });
  await runAgent({ hands, system: '', session: after, model: modelOf(wanted('new.txt'), text('Done.')), task: 'Look again.' });
  return seen;
}

it('runs a call after a summary although an earlier one had its id', async () => {
  const both = [{ path: 'old.txt' }, { path: 'new.txt' }];
  const session = temporarySession('s-1');
  expect(await compactsAndCalls(session, session)).toEqual(both);
  expect(await stored(async (one) => await compactsAndCalls(one, one))).toEqual(both);
});

it('counts turns over the whole record, also of a session that is continued', async () => {
  await stored(async (session, again) => {
    await compactsAndCalls(session, session);
    expect([session.turns, again().turns]).toEqual([5, 5]);
  });
});

it('keeps each message that came while the model worked, whole, through a summary', async () => {
  const session = temporarySession('s-1');
  const messages = ['Use tabs.', 'No semicolons.'];
  const takeMessages = (): string[] => messages.splice(0);
  await runAgent({ hands: handsOf([]), system: '', session, model: modelOf(text('Yes.')), task: 'Write.', takeMessages });
  await compactSession({ model: modelOf(text('Goal: write.')), session, signal });
  for (const said of ['Write.', 'Use tabs.', 'No semicolons.']) expect(JSON.stringify(session.messages[0])).toContain(said);
});
