import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callInput } from './call-input.ts';

it.each([
  [true, 'Ctrl+D'],
  [false, ''],
])('says at a terminal alone that it waits for the input: %j', async (isTTY, told) => {
  let text = '';
  const err = { isTerminal: isTTY, columns: 80, write: (part: string) => void (text += part), show: () => {} };
  const stdin = Object.assign(Readable.from(['{"path":', '"a"}']), { isTTY }) as unknown as NodeJS.ReadStream;
  expect(await callInput(['-'], { stdin, err, signal: new AbortController().signal })).toEqual({ input: { path: 'a' } });
  expect(text === '' ? '' : text).toContain(told);
  expect(text).toContain(told);
  expect(text === '').toBe(!isTTY);
});

const err = { isTerminal: false, columns: 80, write: () => {}, show: () => {} };
const io = { stdin: Readable.from([]) as unknown as NodeJS.ReadStream, err, signal: new AbortController().signal };

it.each([
  [[], { input: {} }],
  [['{"path":"a=b"}'], { input: { path: 'a=b' } }],
  [['path=a'], { fields: [{ key: 'path', kind: 'text', value: 'a' }] }],
  [['-i=1'], { fields: [{ key: '-i', kind: 'text', value: '1' }] }],
])('%j', async (given, read) => {
  expect(await callInput(given, io)).toEqual(read);
});

it.each([
  [['{"path":"a"}', 'limit=1'], 'Both key=value and a JSON object were given.'],
  [['limit=1', ' [1]'], 'Both key=value and a JSON object were given.'],
  [['limit=1', '-'], 'Both key=value and - (JSON on stdin) were given.'],
  [['{"path":"a"}', '{"limit":1}'], 'More than one JSON object was given.'],
  [['-', '{"limit":1}'], 'More than one JSON object was given.'],
  [['path=a', 'b'], 'Not a field: b'],
  [['npm', 'test'], 'Not a field: npm'],
  [['{path:1}'], expect.stringContaining('line 1, column 2')],
  [['a.txt'], expect.stringContaining('The input is not JSON')],
  [['content=@none'], 'The file for content cannot be read: none'],
])('refuses %j', async (given, message) => {
  await expect(callInput(given, io)).rejects.toMatchObject({ code: 'invalid_arguments', message, hint: expect.any(String) as string });
});

it('reads the files that fields name, byte for byte', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'synapse-fields-'));
  try {
    const [text, binary] = [join(folder, 'a.txt'), join(folder, 'b')];
    await writeFile(text, '\ufeff1\r\n');
    await writeFile(binary, Buffer.from([0xff, 0xfe]));
    expect(await callInput([`content=@${text}`, `edits:=@${text}`], io)).toEqual({
      fields: [
        { key: 'content', kind: 'text', value: '\ufeff1\r\n' },
        { key: 'edits', kind: 'json', value: '\ufeff1\r\n' },
      ],
    });
    await expect(callInput([`content=@${binary}`], io)).rejects.toMatchObject({ hint: expect.stringContaining('not text in UTF-8') as string });
    await expect(callInput([`content=@${folder}`], io)).rejects.toMatchObject({ code: 'invalid_arguments' });
  } finally {
    await rm(folder, { recursive: true });
  }
});
