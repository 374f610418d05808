import { expect, it } from 'vitest';
import * as z from 'zod';
import type { Approver } from '../approval/approver.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { defineTool } from '../tool/tool.ts';

/** A tool that says when it prepares, an approver that says when it is asked, and what was said. */
function watched() {
  const said: string[] = [];
  const tool = defineTool({
    name: 'slow',
    description: 'Needs something that takes long.',
    effects: 'exec',
    input: z.strictObject({ n: z.int() }),
    prepare: () => void said.push('prepared'),
    execute: async () => {
      said.push('ran');
      return 'done';
    },
  });
  const approver: Approver = {
    name: 'test',
    async ask() {
      said.push('asked');
      return { verdict: 'allow', scope: 'once' };
    },
  };
  return { said, tool, approver };
}

it('prepares a call once, before the question about it', async () => {
  const { said, tool, approver } = watched();
  await using place = await temporaryHands({}, { allow: [], tools: [tool], approver });
  expect(await place.hands.call('slow', { n: 1 })).toMatchObject({ ok: true });
  expect(said).toEqual(['prepared', 'asked', 'ran']);
});

it('prepares nothing for a call that is invalid, or only explained', async () => {
  const { said, tool } = watched();
  await using place = await temporaryHands({}, { tools: [tool] });
  expect(await place.hands.call('slow', JSON.parse('{}'))).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
  expect(await place.hands.explain('slow', { n: 1 })).toMatchObject({ verdict: 'ask' });
  expect(said).toEqual([]);
});
