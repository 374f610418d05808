import { expect, it } from 'vitest';
import * as z from 'zod';
import { createTestHands } from '../testing/test-hands.ts';
import { defineTool } from './tool.ts';

const price = defineTool({
  name: 'price',
  description: 'Look up what an article costs, in euros.',
  effects: 'read',
  input: z.strictObject({ article: z.string() }),
  execute: async ({ article }) => `${article}: 3 euros`,
});

const sendMail = defineTool({
  name: 'send_mail',
  description: 'Send a mail.',
  effects: 'net',
  input: z.strictObject({ to: z.string() }),
  execute: async ({ to }) => ({ data: { to }, content: `sent to ${to}` }),
});

it('takes five fields', async () => {
  await using test = await createTestHands({ tools: [price] });
  const result = await test.hands.call('price', { article: 'tea' });
  expect(result).toMatchObject({ ok: true, output: 'tea: 3 euros', data: 'tea: 3 euros', meta: { summary: 'price(article)' } });
  expect(test.asked).toEqual([]);
  expect(price.title).toBe('Price');
});

it('asks about effects beyond reading, by the name of the tool', async () => {
  await using test = await createTestHands({ tools: [sendMail], allow: ['write'], answer: () => 'allow' });
  expect(await test.hands.call('send_mail', { to: 'a' })).toMatchObject({ ok: true, output: 'sent to a' });
  expect(test.asked.map(({ tool }) => tool)).toEqual(['send_mail']);

  expect(test.asked[0]?.proposals.map(({ rules }) => rules)).toEqual([['send_mail']]);
  await using allowed = await createTestHands({ tools: [sendMail], allow: [], policy: { allow: ['send_mail'] } });
  expect(await allowed.hands.call('send_mail', { to: 'a' })).toMatchObject({ ok: true });

  await using strict = await createTestHands({ tools: [sendMail], allow: [] });
  expect(await strict.hands.call('send_mail', { to: 'a' })).toMatchObject({ ok: false, error: { code: 'denied' } });
});

it('makes a schema that is given as a function when it is first used, and once', async () => {
  let made = 0;
  const lazy = defineTool({
    name: 'lazy',
    description: 'Repeat a word.',
    effects: 'read',
    input: () => {
      made += 1;
      return z.strictObject({ word: z.string() });
    },
    output: () => z.strictObject({ word: z.string() }),
    execute: async ({ word }) => ({ data: { word }, content: word }),
  });
  await using test = await createTestHands({ tools: [lazy] });
  expect(made).toBe(0);
  expect(await test.hands.call('lazy', { word: 'tea' })).toMatchObject({ ok: true, data: { word: 'tea' } });
  expect(await test.hands.call('lazy', { word: 1 } as never)).toMatchObject({ ok: false, error: { code: 'invalid_arguments' } });
  expect(made).toBe(1);
});
