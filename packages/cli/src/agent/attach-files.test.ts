import type { CallResult, ErrorCode } from '@synapse/protocol';
import { expect, it } from 'vitest';
import { attachFiles } from './attach-files.ts';

const meta = { callId: '1', tool: 'read_file', durationMs: 0, summary: '', completion: 'ok' as const };
const text = (path: string): CallResult => ({ ok: true, output: `<${path}>`, content: [{ type: 'text', text: path }], data: { path }, meta });
const image = (path: string): CallResult => ({
  ...text(path),
  ok: true,
  output: '',
  data: { path },
  content: [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }],
});
const failed = (code: ErrorCode): CallResult => ({ ok: false, error: { code, message: 'Reason.', retryable: false }, meta });

const FILES: Readonly<Record<string, CallResult | undefined>> = {
  'a.txt': text('a.txt'),
  './src/../a.txt': text('a.txt'),
  '/home/ada/project/a.txt': text('a.txt'),
  'a b.txt': text('a b.txt'),
  'shot.png': image('shot.png'),
  'secret.env': failed('denied'),
  '../x': failed('outside_workspace'),
  src: failed('wrong_type'),
  // Tools take one with a similar name.
  'a.tx': text('a.txt'),
};

const place = (images = true) => ({
  images,
  call: async (name: string, input: unknown): Promise<CallResult> => {
    const { path } = input as { path: string };
    return name === 'list_directory' ? text(path) : (FILES[path] ?? failed('not_found'));
  },
});

it.each<[message: string, attached: string[], notes: string[]]>([
  ['no file', [], []],
  ['see @a.txt', ['<a.txt>'], []],
  ['(@a.txt) is not read', [], []],
  ['see @a.txt, and @a.txt.', ['<a.txt>'], []],
  ['@a.txt', ['<a.txt>'], []],
  ['@./src/../a.txt @/home/ada/project/a.txt', ['<a.txt>', '<a.txt>'], []],
  ['see @"a b.txt"!', ['<a b.txt>'], []],
  ['the folder @src', ['<src>'], []],
  ['mail a@a.txt', [], []],
  ['hello @alice', [], ['No file alice: sent as text.']],
  ['similar: @a.tx', [], ['No file a.tx: sent as text.']],
])('%s', async (message, attached, notes) => {
  const { content, notes: said } = await attachFiles(message, place());
  const parts = typeof content === 'string' ? [] : content.slice(1);
  expect(parts.map((part) => (part.type === 'text' ? part.text.split('\n')[1] : part.type)).map((part) => part?.replace('./src/../', ''))).toEqual(
    attached,
  );
  expect(said).toEqual(notes);
});

it('attaches images as such, where the model takes them', async () => {
  const { content } = await attachFiles('What is @shot.png?', place());
  expect(content).toMatchObject([{ type: 'text' }, { type: 'text' }, { type: 'file', mediaType: 'image/png', data: { data: 'AAAA' } }]);
  await expect(attachFiles('What is @shot.png?', place(false))).rejects.toThrow('this model does not support images');
});

it.each([
  ['see @secret.env', 'denied', 'Reason.'],
  ['see @a.txt and @../x', 'outside_workspace', 'Reason.'],
])('does not send: %s', async (message, code, reason) => {
  await expect(attachFiles(message, place())).rejects.toMatchObject({ code, message: expect.stringContaining(reason) });
});

it('bounds how many are attached, and needs those of an option', async () => {
  const many = Array.from({ length: 21 }, (_, index) => `@f${index}`).join(' ');
  await expect(attachFiles(many, place())).rejects.toMatchObject({ code: 'too_large' });
  await expect(attachFiles('Look.', place(), ['gone.png'])).rejects.toMatchObject({ code: 'not_found' });
  expect((await attachFiles('Look.', place(), ['shot.png'])).content).toHaveLength(3);
});
