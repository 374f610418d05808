import { expect, it } from 'vitest';
import { callHash } from './call-hash.ts';
import { deviceId } from './device.ts';
import { simIdentity } from './fixtures/sim-seal.ts';
import type { RemoteGrant } from './grant.ts';
import { handsStep } from './hands-core.ts';
import { newHands, type HandsEffect, type HandsEvent, type HandsState } from './hands-state.ts';
import type { LedgerRow } from './ledger.ts';

const brain = deviceId(simIdentity('b'));
const grant: RemoteGrant = { identity: simIdentity('b'), name: 'b', role: 'brain', tools: ['*'], approves: [], maxRunning: 1, expires: 1_000 };

/** A machine at which a device made two calls, of which the second waits for the first. */
function openMachine() {
  const rows = new Map<string, LedgerRow>();
  const ledger = { id: 'l', horizon: 0, get: (id: string) => rows.get(id) };
  let state: HandsState = newHands('h', ledger, 16, { identity: simIdentity('m'), grants: new Map([[brain, grant]]) });
  const deeds: string[] = [];
  const take = (event: HandsEvent): void => {
    const [next, effects] = handsStep(state, event);
    state = next;
    for (const effect of effects) note(effect);
  };
  const note = (effect: HandsEffect): void => {
    if (effect.type === 'commit') rows.set(effect.row.id, effect.row);
    if (effect.type === 'run' || effect.type === 'abort') deeds.push(`${effect.type} ${effect.id}`);
    if (effect.type === 'commit' && effect.row.result !== undefined) deeds.push(`${effect.row.result.status} ${effect.row.id}`);
  };
  const call = (id: string, tool: string) => ({ type: 'tool_call' as const, id, tool, args: {}, hash: callHash({ tool }), ledger: 'l', at: 0 });
  for (const frame of [call('first', 'read_file'), call('second', 'run_command')]) take({ type: 'unsealed', frame, from: brain, now: 0 });
  const finish = (now: number): void => take({ type: 'finished', id: 'first', result: { status: 'success', body: '', bytes: 0, sha256: '' }, now });
  return {
    grants: (changes: readonly Partial<RemoteGrant>[], now = 0) =>
      take({ type: 'grants', grants: new Map(changes.map((change) => [brain, { ...grant, ...change }])), now }),
    tick: (now: number) => take({ type: 'tick', now }),
    finish,
    deeds,
    rows: () => [...rows.values()],
    /** What a machine does that finds these rows when it starts. */
    boot: (changes: Partial<RemoteGrant>, now = 0): string[] => {
      state = newHands('h2', ledger, 16, { identity: simIdentity('m'), grants: new Map([[brain, { ...grant, ...changes }]]) });
      deeds.length = 0;
      take({ type: 'boot', rows: [...rows.values()].filter((row) => row.state !== 'done'), now });
      return deeds;
    },
  };
}

it('the control: a call that waits runs after the one before it', () => {
  const machine = openMachine();
  machine.grants([{ maxRunning: 1 }]);
  machine.tick(999);
  machine.finish(999);
  expect(machine.deeds).toEqual(['run first', 'success first', 'run second']);
});

it('a call that waits does not run if its tool was taken from the grant, and one that runs ends', () => {
  const machine = openMachine();
  machine.grants([{ tools: ['read_*'] }]);
  machine.finish(0);
  expect(machine.deeds).toEqual(['run first', 'denied second', 'success first']);
  const other = openMachine();
  other.grants([{ tools: ['run_command'] }]);
  expect(other.deeds).toEqual(['run first', 'abort first']);
});

it('when a grant expires, its calls end, and none begins', () => {
  const machine = openMachine();
  machine.finish(1_000);
  expect(machine.deeds).toEqual(['run first', 'success first', 'denied second']);
  const other = openMachine();
  other.tick(1_000);
  expect(other.deeds).toEqual(['run first', 'abort first', 'denied second']);
});

it('when a device is revoked, its calls end', () => {
  const machine = openMachine();
  machine.grants([]);
  expect(machine.deeds).toEqual(['run first', 'abort first', 'denied second']);
});

it.each([
  [{}, 0, ['interrupted first', 'run second']],
  [{ tools: ['read_*'] }, 0, ['interrupted first', 'denied second']],
  [{}, 1_000, ['interrupted first', 'denied second']],
])('a machine that starts again with the grant %j at %d: %j', (change, now, deeds) => {
  expect(openMachine().boot(change, now)).toEqual(deeds);
});
