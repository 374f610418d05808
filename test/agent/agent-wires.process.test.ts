import { openModel, runAgent, type AgentEvent } from '@synapse/brain';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { expect, it } from 'vitest';
import { startWireServer } from '../providers/wire-server.ts';
import { openAgentPlace } from './agent-place.ts';

const Seen = z.array(z.object({ id: z.string(), text: z.string(), isError: z.boolean(), images: z.number() }));

it.each([
  ['openai/scripted', '/v1', 'OPENAI_API_KEY'],
  ['scripted', '/v1', 'SYNAPSE_API_KEY'],
  ['anthropic/scripted', '/v1', 'ANTHROPIC_API_KEY'],
  ['google/scripted', '/v1beta', 'GEMINI_API_KEY'],
])('works through two rounds of calls over the wire of %s', async (model, path, key) => {
  await using place = await openAgentPlace();
  await using server = await startWireServer();
  const events: AgentEvent[] = [];
  const result = await runAgent({
    hands: place.hands,
    model: await openModel(model, { baseUrl: `${server.url}${path}`, environment: { [key]: 'none' } }),
    system: 'You read files.',
    task: 'Read the files.',
    onEvent: (event) => events.push(event),
  });
  expect([result.reason, server.refusals]).toEqual([undefined, []]);
  expect(result.status).toBe('done');
  const seen = Seen.parse(JSON.parse(result.text));
  // The line about a file is before its text.
  expect(seen.map(({ text }) => text.replace(/^\[lines [^\n]*\]\n/u, '').slice(0, 5))).toEqual([
    'alpha',
    'beta\n',
    expect.any(String),
    expect.any(String),
    expect.any(String),
  ]);
  expect(seen.map(({ isError }) => isError)).toEqual([false, false, false, true, false]);
  expect(await readFile(join(place.folder, 'd.txt'), 'utf8')).toBe('gamma\n');
  expect(result.spending).toMatchObject({ calls: 5, turns: 3 });
  const kinds = events.map(({ type }) => type);
  expect(kinds[0]).toBe('session');
  expect(kinds.at(-1)).toBe('done');
  expect(kinds.filter((kind) => kind === 'call-start')).toHaveLength(5);
  const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
  expect(text.endsWith(result.text)).toBe(true);
});
