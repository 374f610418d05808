import { expect, it } from 'vitest';
import * as z from 'zod';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { defineTool } from '../tool/tool.ts';

const whoCalls = defineTool({
  name: 'who_calls',
  description: 'Says where its call comes from.',
  effects: 'read',
  input: z.strictObject({ mode: z.string().optional() }),
  output: z.unknown(),
  execute: async (_, { origin }) => ({ data: origin, content: 'seen' }),
});

it('gives a tool the origin of its call, which no argument changes', async () => {
  await using place = await temporaryHands({}, { tools: [whoCalls] });
  const options = { callId: 'c', sessionId: 's', mode: 'ronin-flash', stepId: 'step-02-read-metadata' };
  const first = await place.hands.call('who_calls', { mode: 'forged' }, options);
  expect(first).toMatchObject({
    ok: true,
    data: {
      callId: 'c',
      projectId: expect.stringMatching(/^[0-9a-f]{16}$/u),
      sessionId: 's',
      mode: 'ronin-flash',
      currentStepId: 'step-02-read-metadata',
    },
  });
  const untyped: string = 'who_calls';
  expect(await place.hands.call(untyped, { projectId: 'other' }, options)).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
});
