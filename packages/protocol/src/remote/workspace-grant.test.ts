import { expect, it } from 'vitest';
import { callHash } from './call-hash.ts';
import { createDevice, deviceId, openDevice } from './device.ts';
import { simIdentity } from './fixtures/sim-seal.ts';
import type { DataFrames } from './frames.ts';
import type { RemoteGrant } from './grant.ts';
import { handsStep } from './hands-core.ts';
import { newHands, type HandsEffect, type HandsEvent, type HandsState } from './hands-state.ts';
import type { LedgerRow } from './ledger.ts';
import { outputOf } from './own-results.ts';
import { SealedLine } from './sealed-line.ts';
import { joinGrants, relayGrant, type Grants, type MachineGrant } from './workspace-grant.ts';

const brain = deviceId(simIdentity('b'));
const approver = deviceId(simIdentity('a'));
const base: RemoteGrant = { identity: simIdentity('b'), name: 'b', role: 'brain', tools: ['*'], approves: [], maxRunning: 1, expires: 1_000 };

const joined = (home: string | undefined, places: Record<string, Partial<RemoteGrant>>): MachineGrant => {
  const made = joinGrants(new Map(Object.entries(places).map(([name, change]) => [name, { ...base, ...change }])), home);
  if (made === undefined) throw new Error('no grant');
  return made;
};

/** A machine that serves several workspaces, and the calls of a device. */
function openMachine(grants: Grants) {
  const rows = new Map<string, LedgerRow>();
  const ledger = { id: 'l', horizon: 0, get: (id: string) => rows.get(id) };
  let state: HandsState = newHands('h', ledger, 16, { identity: simIdentity('m'), grants });
  const deeds: string[] = [];
  const said: string[] = [];
  const note = (effect: HandsEffect): void => {
    if (effect.type === 'commit') rows.set(effect.row.id, effect.row);
    if (effect.type === 'commit' && effect.body !== undefined) said.push(outputOf(effect.body));
    if (effect.type === 'run') deeds.push(`run ${effect.id} in ${effect.call.workspace ?? 'none'}`);
    if (effect.type === 'abort') deeds.push(`abort ${effect.id}`);
    if (effect.type === 'seal' && effect.frame.type === 'approval_request')
      deeds.push(`ask ${effect.to === brain ? 'brain' : 'approver'} ${String(effect.frame.may_decide)} ${effect.frame.workspace ?? 'none'}`);
    if (effect.type === 'answer') deeds.push(`answer ${effect.id}`);
  };
  const take = (event: HandsEvent): void => {
    const [next, effects] = handsStep(state, event);
    state = next;
    for (const effect of effects) note(effect);
  };
  const call = (id: string, workspace?: string, tool = 'read_file', hash = callHash({ tool, workspace })): void => {
    const named = workspace === undefined ? {} : { workspace };
    take({ type: 'unsealed', frame: { type: 'tool_call', id, tool, args: {}, hash, ledger: 'l', at: 0, ...named }, from: brain, now: 0 });
  };
  return { call, take, deeds, said, rows, grants: (changed: Grants) => take({ type: 'grants', grants: changed, now: 0 }) };
}

const both = (): Grants => new Map([[brain, joined('api', { api: {}, web: {} })]]);

it('a call works in the workspace that it names, or else in the one that the device was paired with', () => {
  const machine = openMachine(both());
  machine.call('1');
  machine.call('2', 'web');
  // Each workspace has its own limit.
  machine.call('3', 'api');
  expect(machine.deeds).toEqual(['run 1 in api', 'run 2 in web']);
  machine.take({ type: 'finished', id: '1', result: { status: 'success', body: '{}', bytes: 0, sha256: '' }, now: 0 });
  expect(machine.deeds.slice(2)).toEqual(['run 3 in api']);
});

it.each(['secret', '/home/me/secret', '../secret', 'api/../secret', 'API', ' api', 'api ', '', '__proto__', 'constructor', 'a\u0301pi', 'api\0'])(
  'a workspace that a device may not use answers as one that does not exist: %j',
  (name) => {
    // Another device may use each of them.
    const other = { ...joined('secret', Object.fromEntries([name, 'secret'].map((one) => [one, {}]))), identity: simIdentity('a') };
    const machine = openMachine(new Map([...both(), [approver, other]]));
    machine.call('1', name);
    const alone = openMachine(both());
    alone.call('1', name);
    expect([machine.deeds, machine.said]).toEqual([[], alone.said]);
    expect(machine.said).toEqual([`Error: No workspace of this device is called ${JSON.stringify(name)}. It may use: api, web.`]);
    // What was refused does not run under a later grant.
    machine.grants(new Map([[brain, joined('api', { api: {}, [name]: {} })]]));
    machine.call('1', name);
    expect(machine.deeds).toEqual([]);
  },
);

it('each workspace has its own tools and its own last day', () => {
  const machine = openMachine(new Map([[brain, joined('api', { api: { tools: ['read_*'] }, web: { expires: 0 } })]]));
  machine.call('1', 'api', 'run_command');
  machine.call('2', 'web');
  machine.call('3', 'old');
  expect(machine.deeds).toEqual([]);
  expect(machine.said).toEqual([
    'Error: The grant of this device does not include run_command.',
    'Error: The grant of this device has expired. Pair it again, unless a clock is wrong: synapse pair.',
    'Error: No workspace of this device is called "old". It may use: api.',
  ]);
});

it('a call that names none is refused where the workspace of the pairing is gone, instead of working in another one', () => {
  for (const home of ['api', undefined]) {
    const machine = openMachine(new Map([[brain, joined(home, { web: {} })]]));
    machine.call('1');
    expect([machine.deeds, machine.said]).toEqual([[], ['Error: Name a workspace. It may use: web.']]);
  }
});

it('a call ends when its workspace is taken from the grant, and those of others go on', () => {
  const machine = openMachine(both());
  machine.call('1');
  machine.call('2', 'web');
  machine.call('3');
  machine.grants(new Map([[brain, joined('web', { web: {} })]]));
  // The one that waits named none, and was accepted for api: it does not move to another workspace.
  expect(machine.deeds).toEqual(['run 1 in api', 'run 2 in web', 'abort 1']);
  expect(machine.said).toEqual(['Error: No workspace of this device is called "api". It may use: web.']);
  machine.grants(new Map());
  expect(machine.deeds.slice(3)).toEqual(['abort 1', 'abort 2']);
});

it('the workspace is part of what a call is: the same id in another one is another call, and a hash without it does not fit', () => {
  const machine = openMachine(both());
  machine.call('1', 'web', 'read_file', callHash({ tool: 'read_file' }));
  machine.call('2', 'web');
  machine.call('2', 'api');
  machine.call('2');
  expect(machine.deeds).toEqual(['run 2 in web']);
});

it('an approver answers for the workspaces in which it is one', () => {
  const judge = (places: Record<string, Partial<RemoteGrant>>): MachineGrant => ({ ...joined(undefined, places), identity: simIdentity('a') });
  const grants: Grants = new Map([...both(), [approver, judge({ web: { role: 'approver' }, api: {} })]]);
  const machine = openMachine(grants);
  const asked = (tool_call_id: string): DataFrames['approval_request'] => ({
    type: 'approval_request',
    approval_id: `q${tool_call_id}`,
    tool_call_id,
    args_hash: 'h',
    tool: 'read_file',
    reason: '',
    effects: [],
    expires_at: 0,
  });
  machine.call('1', 'api');
  machine.call('2', 'web');
  for (const id of ['1', '2']) machine.take({ type: 'ask', request: asked(id), mayBrainAnswer: false, now: 0 });
  for (const id of ['1', '2']) {
    const frame = { type: 'approval_decision' as const, approval_id: `q${id}`, tool_call_id: id, args_hash: 'h', option: 'allow_once' as const };
    machine.take({ type: 'unsealed', frame, from: approver, now: 0 });
  }
  expect(machine.deeds.slice(2)).toEqual(['ask brain false api', 'ask brain false web', 'ask approver true web', 'answer 2']);
});

it('an approver hears nothing of a workspace in which it was one, though another one keeps its line open', () => {
  const judge = (places: Record<string, Partial<RemoteGrant>>): MachineGrant => ({ ...joined(undefined, places), identity: simIdentity('a') });
  const machine = openMachine(new Map([...both(), [approver, judge({ web: { role: 'approver', expires: 500 }, api: { role: 'approver' } })]]));
  const request = { type: 'approval_request' as const, args_hash: 'h', tool: 'read_file', reason: 'secret-plan', effects: [], expires_at: 0 };
  const ask = (id: string, now: number): void =>
    machine.take({ type: 'ask', request: { ...request, approval_id: `q${id}`, tool_call_id: id }, mayBrainAnswer: false, now });
  const sync = (now: number): void => machine.take({ type: 'unsealed', frame: { type: 'sync', brain: 'x', calls: [] }, from: approver, now });
  machine.call('1', 'web');
  machine.call('2', 'api');
  ask('1', 600);
  ask('2', 600);
  expect(machine.deeds.slice(2)).toEqual(['ask brain false web', 'ask brain false api', 'ask approver true api']);
  sync(600);
  expect(machine.deeds.slice(5)).toEqual(['ask approver true api']);
  // The control: while it is one.
  sync(499);
  expect(machine.deeds.slice(6)).toEqual(['ask approver true web', 'ask approver true api']);
});

it('a relay gets what holds in any workspace, and no name of one', async () => {
  const grant = joined('secret-api', {
    'secret-api': { tools: ['a'], ports: 'own' },
    'secret-web': { tools: ['b'], expires: 2_000, role: 'approver' },
  });
  const told = relayGrant(grant);
  expect(told).toMatchObject({ role: 'brain', tools: ['a', 'b'], maxRunning: 2, ports: 'own', expires: 2_000 });
  const [one, two] = await Promise.all([createDevice(), createDevice()].map(async (made) => await openDevice(await made)));
  if (one === undefined || two === undefined) throw new Error('no devices');
  const line = new SealedLine(one, 'i', () => two.identity);
  const opens = new SealedLine(two, 'j', () => one.identity);
  const frames: Array<DataFrames['tool_call' | 'read' | 'chunk' | 'forward']> = [
    {
      type: 'tool_call',
      id: 'c',
      tool: 't',
      args: {},
      hash: callHash({ tool: 't', workspace: 'secret-api' }),
      ledger: 'l',
      at: 0,
      workspace: 'secret-api',
    },
    { type: 'read', brain: 'b', of: 'tools', name: 'about', from: 0, chunks: 1, workspace: 'secret-api' },
    { type: 'chunk', brain: 'b', of: 'tools', name: 'about', from: 0, data: 'x', next: 1, total: 1, workspace: 'secret-api' },
    { type: 'forward', brain: 'b', op: { op: 'open', forward: 0, job: 'j', workspace: 'secret-api' } },
  ];
  const sealed = await Promise.all(frames.map(async (frame) => await line.seal(frame, two.id)));
  expect(JSON.stringify([told, ...sealed])).not.toContain('secret');
  for (const [index, frame] of sealed.entries()) {
    if (frame === undefined) throw new Error('not sealed');
    expect((await opens.open(frame))?.frame).toEqual({ ...frames[index], auth: undefined });
    // A workspace that a relay adds breaks the seal.
    if (frame.type === 'tool_call' || frame.type === 'read') expect(await opens.open({ ...frame, workspace: 'secret-web' })).toBeUndefined();
  }
});
