import type { PersonForm } from '@synapse/protocol';
import { expect, it } from 'vitest';
import { FormQueue } from './form-queue.ts';

const ORIGIN = { project: '/p', from: 'synapse mcp' };
const LONG = new AbortController().signal;
const form = (parts: Partial<PersonForm> = {}): PersonForm => ({
  server: 'shop',
  tool: 'mcp:shop:buy',
  message: 'Which?',
  schema: { type: 'object', properties: { count: { type: 'integer', minimum: 1, maximum: 9 } }, required: ['count'] },
  ...parts,
});

/** A queue that counts how often it changed. */
function queue(): { readonly forms: FormQueue; readonly changes: () => number } {
  let changed = 0;
  return { forms: new FormQueue(() => void (changed += 1)), changes: () => changed };
}

it('waits until every field is right, and is answered once', async () => {
  const { forms, changes } = queue();
  const filled = forms.show(form(), ORIGIN, LONG);
  const [shown] = forms.list();
  const id = shown?.id ?? '';
  expect(shown).toMatchObject({ ...ORIGIN, server: 'shop', fields: [{ name: 'count', kind: 'integer', expects: 'a whole number, 1 to 9' }] });
  expect(forms.answer({ id, action: 'accept', content: { count: 10 } })).toEqual({ problems: { count: 'a whole number, 1 to 9' } });
  expect(forms.answer({ id, action: 'accept' })).toEqual({ problems: { count: 'a whole number, 1 to 9' } });
  expect(forms.list()).toHaveLength(1);
  expect(forms.answer({ id, action: 'accept', content: { count: 3, stranger: 'x' } })).toEqual({ message: 'Sent.' });
  expect(await filled).toEqual({ action: 'accept', content: { count: 3 } });
  expect(() => forms.answer({ id, action: 'decline' })).toThrow('answered or withdrawn');
  expect([forms.list(), changes()]).toEqual([[], 2]);
});

it('is withdrawn with its call', async () => {
  const { forms } = queue();
  const controller = new AbortController();
  const filled = forms.show(form(), ORIGIN, controller.signal);
  controller.abort();
  expect(await filled).toEqual({ action: 'cancel' });
  expect(forms.list()).toEqual([]);
});

it.each<[string, Partial<PersonForm>]>([
  ['a script as its page', { url: 'javascript:alert(1)' }],
  ['a page that hides its host', { url: 'https://bank.example@evil.example/' }],
  ['no page', { url: 'pay here' }],
  ['a page and fields at once', { url: 'https://example.com/' }],
  ['a text that no person would read', { message: 'x'.repeat(4_001) }],
  ['fields that no person could fill in', { schema: { type: 'object', properties: { a: { type: 'object' } } } }],
])('shows no form with %s', async (_, parts) => {
  const { forms } = queue();
  expect(await forms.show(form(parts), ORIGIN, LONG)).toEqual({ action: 'cancel' });
});

it('shows what would hide or pass for ours', () => {
  const { forms } = queue();
  void forms.show(form({ server: 'a\nb\u202e', tool: 'mcp:a:\u200bb', message: '\u001b[2Jone\r\ntwo\u200b' }), ORIGIN, LONG);
  expect(forms.list()).toMatchObject([{ server: 'a⏎b<U+202E>', tool: 'mcp:a:<U+200B>b', message: ['<U+001B>[2Jone', 'two<U+200B>'] }]);
});

it('takes no more than a person could answer', async () => {
  const { forms } = queue();
  for (let count = 0; count < 50; count += 1) void forms.show(form(), ORIGIN, LONG);
  expect(await forms.show(form(), ORIGIN, LONG)).toEqual({ action: 'cancel' });
});
