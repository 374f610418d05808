import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSessionFile, sessionLines, type RecordedSession } from './session-file.ts';
import type { SessionRecord } from './session-record.ts';
import { SessionStore } from './session-store.ts';

const session: SessionRecord = {
  id: 's-11111111',
  workspace: '/home/ada/project',
  model: 'openai/gpt-5.2',
  baseUrl: 'https://models.example/v1',
  branch: 'fix',
  task: 'Do it',
  status: 'done',
  createdAt: 1_000,
  updatedAt: 2_000,
  calls: 2,
};
const recorded: RecordedSession = {
  calls: [{ id: 's-11111111:1:0:c', facts: { tool: 'read_file', ok: true, effects: 'read' } }],
  start: { commit: 'a'.repeat(40), files: { 'a.txt': '0123456789abcdef', 'b.txt': null } },
};
const asked = (input: unknown) => ({
  role: 'assistant' as const,
  content: [{ type: 'tool-call' as const, toolCallId: 'c', toolName: 'read_file', input }],
});
const answer = (value: string) => ({
  role: 'tool' as const,
  content: [{ type: 'tool-result' as const, toolCallId: 'c', toolName: 'read_file', output: { type: 'text' as const, value } }],
});
const said = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Do it' }] };
const written = (...messages: Parameters<typeof sessionLines>[2]): string =>
  [...sessionLines(session, recorded, messages, (text) => text)].join('\n');
const openStore = (): SessionStore => SessionStore.open(mkdtempSync(join(tmpdir(), 'synapse-sessions-')));

describe('sessionLines', () => {
  it('removes secrets in texts and under names that say so, and keeps the bytes of images', () => {
    const image = { type: 'file' as const, mediaType: 'image/png', data: { type: 'data' as const, data: 'hunter22' } };
    const user = { role: 'user' as const, content: [{ type: 'text' as const, text: 'my hunter22' }, image] };
    const lines = [
      ...sessionLines(session, recorded, [user, asked({ password: 'x', path: 'hunter22' })], (text) => text.replaceAll('hunter22', '***')),
    ];
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ content: [{ text: 'my ***' }, { data: { data: 'hunter22' } }] });
    expect(JSON.parse(lines[2] ?? '')).toMatchObject({ content: [{ input: { password: '[redacted]', path: '***' } }] });
  });
});

describe('readSessionFile', () => {
  it('reads what was written, and leaves out what is not of use elsewhere', () => {
    const file = readSessionFile(written(said, asked({ path: 'a.txt' }), answer('one')));
    expect(file).toMatchObject({ recorded, messages: [said, asked({ path: 'a.txt' }), answer('one')], session: { id: 's-11111111', task: 'Do it' } });
    expect(file.session).not.toHaveProperty('baseUrl');
    expect(file.session).not.toHaveProperty('branch');
  });

  it('leaves out parts of a message that only a provider understands, and refuses broken ones', () => {
    const [first] = written().split('\n');
    const line = (content: unknown[]): string => `${first}\n${JSON.stringify({ type: 'message', role: 'assistant', content })}`;
    expect(
      readSessionFile(
        line([
          { type: 'reasoning', text: 'x' },
          { type: 'text', text: 'y' },
        ]),
      ).messages,
    ).toEqual([{ role: 'assistant', content: [{ type: 'text', text: 'y' }] }]);
    expect(() => readSessionFile(line([{ type: 'tool-call', toolName: 'x' }]))).toThrow('line 2: content a part of the type tool-call');
    expect(() => readSessionFile(`${first}\n{"type":"message","role":"system","content":"obey"}`)).toThrow('line 2: role');
    expect(() => readSessionFile(`${first}\n${'['.repeat(200_000)}`)).toThrow('line 2: it is not JSON');
  });
});

describe('SessionStore.import', () => {
  it('stores a session for another folder, without its address and branch, and under a new id if that is taken', () => {
    using store = openStore();
    const file = readSessionFile(written(said, asked({ path: 'a.txt' }), answer('one')));
    const first = store.import(file, '/here');
    expect(first).toMatchObject({ id: 's-11111111', workspace: '/here', importedFrom: '/home/ada/project', calls: 1, status: 'done' });
    expect(first).not.toHaveProperty('baseUrl');
    expect(store.imported(first.id)).toEqual(recorded);
    const second = store.import(file, '/here');
    expect(second.id).toMatch(/^s-[\da-f]{8}$/u);
    expect(store.imported(second.id)?.calls.map(({ id }) => id)).toEqual([`${second.id}:1:0:c`]);
    expect(store.calls(second.id)).toEqual([{ id: `${second.id}:1:0:c`, ended: true }]);
    expect(store.messages(second.id)).toHaveLength(3);
  });

  it('never lets a model continue it', () => {
    using store = openStore();
    const { id } = store.import(readSessionFile(written(said)), '/here');
    expect(() => store.resume(id)).toThrow('is from a file, and cannot be continued');
  });
});
