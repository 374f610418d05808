import { expect, it } from 'vitest';
import { callHash } from './call-hash.ts';
import { deviceId } from './device.ts';
import { simIdentity } from './fixtures/sim-seal.ts';
import type { RemoteGrant } from './grant.ts';
import { handsStep } from './hands-core.ts';
import { newHands, startHands, type HandsEffect, type HandsEvent, type Pairing } from './hands-state.ts';
import type { LedgerRow } from './ledger.ts';

/** A machine that runs a call at a time. */
function openMachine(pairing?: Pairing) {
  const rows = new Map<string, LedgerRow>();
  let [state] = startHands(newHands('h', { id: 'l', horizon: 0, get: (id) => rows.get(id) }, 1, pairing));
  const take = (event: HandsEvent): readonly HandsEffect[] => {
    const [next, effects] = handsStep(state, event);
    state = next;
    for (const effect of effects) if (effect.type === 'commit') rows.set(effect.row.id, effect.row);
    return effects;
  };
  take({ type: 'opened', conn: state.link.conn, now: 0 });
  return {
    take,
    hear: (text: string) => take({ type: 'text', conn: state.link.conn, text, now: 0 }),
    /** Ends the call that runs. */
    finish: () => {
      const [id = ''] = [...state.live].find(([, { phase }]) => phase === 'running') ?? [];
      return take({ type: 'finished', id, result: { status: 'success', body: '{}', bytes: 2, sha256: '' }, now: 0 });
    },
  };
}

const textsOf = (effects: readonly HandsEffect[]): string[] => effects.flatMap((effect) => (effect.type === 'send' ? [effect.text] : []));
const plain = (id: number, content = ''): string => JSON.stringify({ type: 'tool_call', tool: 'write_file', id, arguments: { content } });

it.each([
  // The first one runs.
  ['many', '', 101],
  ['large', 'x'.repeat(1_000_000), 9],
])('plain calls that wait are limited, if they are %s: the next one is answered, and has room after a result', (_, content, room) => {
  const machine = openMachine();
  for (let id = 1; id <= room; id += 1) expect(textsOf(machine.hear(plain(id, content)))).toEqual([]);
  for (const id of [room + 1, room + 2]) {
    const [answer = ''] = textsOf(machine.hear(plain(id, content)));
    expect(JSON.parse(answer)).toEqual({
      type: 'tool_result',
      tool_call_id: id,
      status: 'error',
      output: 'Error: Too many calls wait: 100, or 8 MB of them. This one did not run. Send it again after a result.',
    });
  }
  machine.finish();
  expect(textsOf(machine.hear(plain(room + 1, content)))).toEqual([]);
});

it('a device that lets calls wait without end has to keep them, and takes no room of another', () => {
  const grants = new Map(
    ['b', 'c'].map((name): [string, RemoteGrant] => [
      deviceId(simIdentity(name)),
      { identity: simIdentity(name), name, role: 'brain', tools: ['*'], approves: [], maxRunning: 2, expires: 1_000 },
    ]),
  );
  const machine = openMachine({ identity: simIdentity('m'), grants });
  const call = (name: string, index: number): string[] => {
    const frame = { type: 'tool_call' as const, id: `${name}${index}`, tool: 'x', args: {}, hash: callHash({ tool: 'x' }), ledger: 'l', at: 0 };
    const effects = machine.take({ type: 'unsealed', frame, from: deviceId(simIdentity(name)), now: 0 });
    return effects.flatMap((effect) => (effect.type === 'seal' && effect.frame.type === 'error' ? [effect.frame.code] : []));
  };
  for (let index = 0; index < 64; index += 1) expect(call('b', index)).toEqual([]);
  expect(call('b', 64)).toEqual(['backlog_full']);
  // What was taken before is no new call.
  expect(call('b', 5)).toEqual([]);
  expect(call('c', 0)).toEqual([]);
  machine.finish();
  expect(call('b', 64)).toEqual([]);
});
