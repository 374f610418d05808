import { expect, it } from 'vitest';
import { Transcript } from './transcript.ts';

const call = (id: string) => ({ kind: 'call', call: id, tool: 'read_file', args: 'a.txt', status: 'running' }) as const;

it('joins streamed text, and a call ends it', () => {
  const transcript = new Transcript();
  transcript.stream('model', 'Let me ');
  transcript.stream('model', 'look.');
  expect(transcript.part(undefined).entries).toEqual([{ kind: 'text', n: 0, from: 'model', text: 'Let me look.', state: 'streaming' }]);
  transcript.add(call('a'));
  transcript.endCall('a', { status: 'ok', ms: 3 });
  expect(transcript.part(undefined).entries).toEqual([
    { kind: 'text', n: 0, from: 'model', text: 'Let me look.' },
    { ...call('a'), n: 1, status: 'ok', ms: 3 },
  ]);
});

it('sends only what changed after a revision', () => {
  const transcript = new Transcript(7);
  transcript.add(call('a'));
  transcript.add(call('b'));
  const { revision } = transcript.part(undefined);
  expect(transcript.part(undefined, revision).entries).toEqual([]);
  transcript.endCall('a', { status: 'failed' });
  expect(transcript.part(undefined, revision).entries.map(({ n }) => n)).toEqual([0]);
});

it('takes back the text of a turn that starts again', () => {
  const transcript = new Transcript();
  transcript.stream('model', 'half an ans');
  transcript.retract();
  transcript.stream('model', 'an answer');
  expect(transcript.part(undefined).entries.map((entry) => (entry.kind === 'text' || entry.kind === 'note' ? entry.text : ''))).toEqual([
    'The answer broke off.',
    'an answer',
  ]);
});

it('marks queued messages as read, and what never ended as interrupted', () => {
  const transcript = new Transcript();
  const n = transcript.add({ kind: 'text', from: 'user', text: 'stop that', state: 'queued' });
  transcript.taken([n]);
  transcript.add(call('a'));
  transcript.close();
  expect(transcript.part(undefined).entries).toEqual([
    { kind: 'text', n: 0, from: 'user', text: 'stop that' },
    { ...call('a'), n: 1, status: 'interrupted' },
  ]);
});

it('gives parts of a long transcript, and keeps a bounded number of entries and characters', () => {
  const transcript = new Transcript();
  for (let index = 0; index < 50_000; index += 1) transcript.add({ kind: 'note', text: `${index}` });
  const newest = transcript.part(undefined);
  expect(newest).toMatchObject({ to: 50_000, from: 49_800, last: 50_000 });
  expect(newest.first).toBeGreaterThan(29_000);
  expect(transcript.part(newest.from).entries.at(-1)).toEqual({ kind: 'note', n: 49_799, text: '49799' });
  expect(transcript.part(0).entries).toEqual([]);
  for (let index = 0; index < 300; index += 1) transcript.add({ kind: 'text', from: 'model', text: 'x'.repeat(100_000) });
  const { entries, first, last } = transcript.part(undefined);
  expect(last - first).toBeLessThan(300);
  expect(entries.at(-1)).toMatchObject({ cut: 40_000 });
});

it('cuts streamed text at the limit, and counts what it left out', () => {
  const transcript = new Transcript();
  for (let index = 0; index < 70; index += 1) transcript.stream('model', 'x'.repeat(1_000));
  expect(transcript.part(undefined).entries[0]).toMatchObject({ cut: 10_000 });
});
