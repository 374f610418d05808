import { expect, it } from 'vitest';
import { callHash } from './call-hash.ts';
import { deviceId } from './device.ts';
import { simIdentity } from './fixtures/sim-seal.ts';
import type { DataFrame } from './frames.ts';
import type { RemoteGrant } from './grant.ts';
import { handsStep } from './hands-core.ts';
import { newHands, type HandsState } from './hands-state.ts';
import type { LedgerRow } from './ledger.ts';

const brain = deviceId(simIdentity('b'));
const grant: RemoteGrant = { identity: simIdentity('b'), name: 'b', role: 'brain', tools: ['count'], approves: [], maxRunning: 1, expires: 1_000 };
const call = (id: string, tool: string, at: number): DataFrame => ({
  type: 'tool_call',
  id,
  tool,
  args: {},
  hash: callHash({ tool }),
  ledger: 'l',
  at,
});

/** A machine, what it recorded, and the calls that it ran. */
function openMachine() {
  const rows = new Map<string, LedgerRow>();
  const first = new Map<string, number | undefined>();
  const ran: string[] = [];
  let state: HandsState = newHands('h', { id: 'l', horizon: 0, get: (id) => rows.get(id) }, 16, {
    identity: simIdentity('m'),
    grants: new Map([[brain, grant]]),
  });
  const take = (event: Parameters<typeof handsStep>[1]): void => {
    const [next, effects] = handsStep(state, event);
    state = next;
    for (const effect of effects) {
      if (effect.type === 'run') ran.push(effect.id);
      if (effect.type !== 'commit') continue;
      if (!rows.has(effect.row.id)) first.set(effect.row.id, effect.row.madeAt);
      rows.set(effect.row.id, effect.row);
    }
  };
  return {
    ran,
    first,
    hear: (frame: DataFrame) => take({ type: 'unsealed', frame, from: brain, now: 0 }),
    widen: () => take({ type: 'grants', grants: new Map([[brain, { ...grant, tools: ['*'], maxRunning: 9 }]]), now: 0 }),
  };
}

it('what is recorded first of a call says when it was made, whether it runs, is refused or was cancelled', () => {
  const machine = openMachine();
  machine.hear(call('runs', 'count', 1_001));
  machine.hear(call('refused', 'other', 1_002));
  machine.hear({ type: 'cancel', tool_call_id: 'cancelled', ledger: 'l', at: 1_003 });
  expect(Object.fromEntries(machine.first)).toEqual({ runs: 1_001, refused: 1_002, cancelled: 1_003 });
});

it('a call that was refused does not run when a relay repeats it under a wider grant', () => {
  const machine = openMachine();
  machine.hear(call('first', 'other', 0));
  machine.widen();
  machine.hear(call('first', 'other', 0));
  machine.hear(call('second', 'other', 0));
  // The control: a new call runs.
  expect(machine.ran).toEqual(['second']);
});
