import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseText } from './frames.ts';
import { linkStep, newLink, startLink, type Link, type LinkEvent } from './link.ts';

/** A line of hands that just connected, and what it says. */
function openLine(identity?: string) {
  let { link }: { link: Link } = startLink(newLink({ role: 'hands', inst: 'h', ledger: 'l', ...(identity === undefined ? {} : { identity }) }));
  const take = (event: LinkEvent) => {
    const made = linkStep(link, event);
    link = made.link;
    return made;
  };
  take({ type: 'opened', conn: link.conn, now: 0 });
  return {
    hear: (text: string) => take({ type: 'text', conn: link.conn, text, now: 0 }),
    tick: (now: number) => take({ type: 'tick', now }).effects,
  };
}

const call = { type: 'tool_call', tool: 'read_file', id: '1', arguments: { path: 'a.txt' } };
const ID = 'Error: A call needs an id: a text of up to 160 characters, or a number.';
const TOOL = 'Error: A call needs the name of a tool, of up to 160 characters.';
const long = 'x'.repeat(161);
let deep: unknown = 'end';
for (let level = 0; level < 100; level += 1) deep = [deep];

it.each([
  ['no id', { ...call, id: undefined }, null, ID],
  ['null', { ...call, id: null }, null, ID],
  ['an object', { ...call, id: { n: 1 } }, { n: 1 }, ID],
  ['a long id', { ...call, id: long }, long, ID],
  ['a deep id', { ...call, id: deep }, null, 'Error: The arguments are nested too deep.'],
  ['no tool', { ...call, tool: undefined }, '1', TOOL],
  ['a tool that is no text', { ...call, tool: 5 }, '1', TOOL],
  ['deep arguments', { ...call, arguments: deep }, '1', 'Error: The arguments are nested too deep.'],
])('a plain call that cannot run is answered with the id it has: %s', (_, sent, id, output) => {
  const { effects, incoming } = openLine().hear(JSON.stringify(sent));
  expect(incoming).toEqual([]);
  const said = effects.flatMap((effect) => (effect.type === 'send' ? [JSON.parse(effect.text) as unknown] : []));
  expect(said).toEqual([{ type: 'tool_result', tool_call_id: id, status: 'error', output }]);
});

it.each([{ seq: 4 }, { seq: 'four' }, { ack: 'x' }, { must: 1 }, { auth: {} }])('a plain call may have fields of its own: %j', (extra) => {
  expect(openLine().hear(JSON.stringify({ ...call, ...extra })).incoming).toMatchObject([{ type: 'base_call', call }]);
});

it('a plain call is answered or runs, whatever its fields are', () => {
  fc.assert(
    fc.property(
      fc.record({ id: fc.jsonValue(), tool: fc.jsonValue(), seq: fc.jsonValue(), arguments: fc.jsonValue() }, { requiredKeys: [] }),
      (fields) => {
        const { effects, incoming } = openLine().hear(JSON.stringify({ ...fields, type: 'tool_call' }));
        expect(incoming.length + effects.filter(({ type }) => type === 'send').length).toBe(1);
        expect(effects.some(({ type }) => type === 'close')).toBe(false);
      },
    ),
  );
});

it('a plain call may be as long as a file is, up to one megabyte', () => {
  const sized = (size: number): string => JSON.stringify({ ...call, tool: 'write_file', arguments: { path: 'a', content: 'x'.repeat(size) } });
  expect(openLine().hear(sized(900_000)).incoming).toMatchObject([{ type: 'base_call' }]);
  expect(openLine().hear(sized(1_048_576)).effects).toMatchObject([{ type: 'close', code: 4413 }]);
});

it('paired hands answer no plain call, because a relay could send it', () => {
  const paired = openLine('keys');
  expect(paired.hear(JSON.stringify({ ...call, id: null }))).toMatchObject({ effects: [{ type: 'close', code: 4400 }], incoming: [] });
  expect(openLine('keys').hear('x'.repeat(262_145)).effects).toMatchObject([{ type: 'close', code: 4413 }]);
});

it('messages for other programs are ignored, and the machine says so once for each connection', () => {
  const line = openLine();
  const told = (text: string): unknown[] => [...line.hear(text).effects];
  expect(told('{"type":"log","seq":1}')).toMatchObject([{ type: 'status', text: expect.stringContaining('A message was ignored') }]);
  expect(['what', '[1]', '{"type":"log"}', '{"type":"log","seq":2}'].flatMap(told)).toEqual([]);
  expect(line.hear(JSON.stringify(call)).incoming).toHaveLength(1);
  expect(told('{"type":"log","seq":3}')).toEqual([]);
});

it('a connection on which nothing arrives says so once', () => {
  const line = openLine();
  expect(line.tick(9_000)).toEqual([]);
  expect(line.tick(11_000)).toMatchObject([{ type: 'status', status: 'base', text: 'Connected. The other side has not sent anything yet.' }]);
  expect(line.tick(12_000)).toEqual([]);
  expect(line.hear('what').effects).toHaveLength(1);
});

it('a frame of the protocol is no plain call, whether it is right or damaged', () => {
  const frame = { type: 'tool_call', seq: 1, tool: 'x', id: '1', args: {}, hash: 'a'.repeat(64), ledger: 'l', at: 1 };
  expect(openLine().hear(JSON.stringify(frame))).toMatchObject({ effects: [{ type: 'close', code: 4400 }], incoming: [] });
  for (const damaged of [
    { ...frame, seq: 0 },
    { ...frame, seq: undefined },
    { ...frame, at: -1 },
  ]) {
    expect(parseText(JSON.stringify(damaged)).kind).toBe('malformed');
    expect(openLine().hear(JSON.stringify(damaged)).incoming).toEqual([]);
  }
});
