import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readFrameText } from './appended-text.ts';
import { openRelayEnds } from './fixtures/relay-ends.ts';
import { withSum } from './frame-sum.ts';
import { frameText } from './frame-text.ts';
import { parseText, type DataFrame } from './frames.ts';

const auth = { key: 'k', to: 't', inst: 'i', n: 1 };
const hash = '0'.repeat(64);

/** Frames with a text, and the name of the field that has it. */
const framesWith = (text: string): DataFrame[] => [
  { type: 'tool_result', tool_call_id: 'c', status: 'success', bytes: 1, sha256: hash, body: text },
  { type: 'chunk', brain: 'b', of: 'result', name: 'c', from: 0, data: text, next: 1, total: 2, last: true },
  { type: 'tool_progress', tool_call_id: 'c', off: 0, data: text, message: 'm\n' },
  { type: 'tool_call', id: 'c', tool: 't', args: null, hash, ledger: 'l', at: 1, auth: { ...auth, box: text } },
  { type: 'chunk', brain: 'b', of: 'result', name: 'c', from: 0, data: '', next: 1, total: 2, auth: { ...auth, box: text } },
  { type: 'error', code: 'denied', message: text },
];

const wire = (json: string): string => withSum('n', `{"seq":1,"ack":0,${json.slice(1)}`);

it('a frame is read as it was written, with its text as a part of the JSON or after it', () => {
  const texts = fc.oneof(fc.string({ unit: 'binary', maxLength: 50 }), fc.string({ unit: 'binary-ascii', maxLength: 50 }));
  fc.assert(
    fc.property(texts, fc.integer({ min: 0, max: 600 }), fc.boolean(), (piece, times, appends) => {
      for (const frame of framesWith(piece.repeat(times)))
        expect(parseText(wire(frameText(frame, appends)))).toEqual({ kind: 'data', seq: 1, ack: 0, frame });
    }),
  );
});

it('a long text is appended as it is, where the other side can read that; half a character is not', () => {
  const long = '\t"quoted"\n'.repeat(2_000);
  const isAppended = (text: string) => framesWith(text).map((frame) => frameText(frame, true).endsWith(`\n${text}`));
  expect(isAppended(long)).toEqual([true, true, true, true, true, false]);
  expect(isAppended('short\n')).toEqual([false, false, false, false, false, false]);
  // On the wire it would become another character.
  expect(isAppended(`${long}\ud800`)).toEqual([false, false, false, false, false, false]);
  for (const frame of framesWith(long)) expect(JSON.parse(frameText(frame, false))).toEqual(frame);
});

it.each([
  ['a field that cannot be appended', '{"type":"error","code":"denied","message":"","appended":"message"}\nx'],
  ['the prototype', '{"type":"chunk","appended":"__proto__"}\nx'],
  ['a seal without a place', '{"type":"cancel","tool_call_id":"c","ledger":"l","appended":"box"}\nx'],
  ['no field', '{"type":"cancel","tool_call_id":"c","ledger":"l"}\nx'],
  ['no frame', '[]\nx'],
  ['no JSON', '{"type":"cancel"\nx'],
])('what is appended as %s is malformed', (_, text) => {
  expect(parseText(wire(text)).kind).toBe('malformed');
});

it('a text cannot bring a number or a type of its own', () => {
  const frame: DataFrame = {
    type: 'chunk',
    brain: 'b',
    of: 'result',
    name: 'c',
    from: 0,
    data: '","seq":9,"type":"peer"}\n'.repeat(1_000),
    next: 1,
    total: 2,
  };
  expect(parseText(wire(frameText(frame, true)))).toEqual({ kind: 'data', seq: 1, ack: 0, frame });
});

it('a side without the protocol may break the lines of its JSON', () => {
  expect(readFrameText('{\n  "type": "tool_call"\n}')).toEqual({ type: 'tool_call' });
  expect(readFrameText('{\n')).toBeUndefined();
});

it('a relay passes a text on in the form that each side can read', () => {
  const credit = { frames: 64, bytes: 1_048_576 };
  const body = '"\n'.repeat(10_000);
  const passedOn = (appends: readonly string[]): readonly string[] => {
    const relay = openRelayEnds(credit, undefined, appends);
    relay.brain({ type: 'tool_call', id: 'c', tool: 't', args: {}, hash, ledger: 'l', at: 0 });
    const sent = relay.machine({ type: 'tool_result', tool_call_id: 'c', status: 'success', bytes: 1, sha256: hash, body });
    return sent.flatMap((effect) => (effect.type === 'send' ? [effect.text] : []));
  };
  const [plain, appended] = [passedOn(['hands']), passedOn(['brain'])].map(([text = '']) => text);
  expect([plain?.includes('\n'), appended?.endsWith(`\n${body}`)]).toEqual([false, true]);
  for (const text of [plain, appended]) expect(parseText(text ?? '')).toMatchObject({ frame: { type: 'tool_result', body } });
});
