import type { Approver } from '@synapse/hands';
import { createDevice, type StoredDevice } from '@synapse/protocol/remote';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { connectHands } from '../brain/connect-hands.ts';
import { counted } from '../fixtures/bench.ts';
import { fastPace } from '../fixtures/fast-pace.ts';
import { pairedBench } from '../fixtures/paired-bench.ts';
import { tappedSocket } from '../fixtures/tapped-socket.ts';

it('a paired brain calls, and what it says and hears cannot be read on the way', async () => {
  await using here = await pairedBench();
  const [device] = here.devices;
  const overheard: string[] = [];
  const tap = (text: string): readonly string[] => (overheard.push(text), [text]);
  await using brain = here.brain(device!, { openSocket: (url) => tappedSocket(url, tap) });
  expect(await brain.call('count', { text: 'secret-words' })).toMatchObject({ ok: true, output: 'secret-words' });
  const large = await brain.call('count', { text: 'large', size: 200_000 });
  expect(large.ok && large.data).toEqual({ text: 'large'.padEnd(200_000, 'ä') });
  expect(await brain.tools('json-schema')).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'read_file' })]));
  expect(overheard.join('\n')).not.toMatch(/secret-words|äää|read_file/u);
  // The control: what is said does pass here.
  expect(overheard.join('\n')).toContain('"tool":"count"');
});

it('a device without a grant, and a forged proof, get no connection', async () => {
  await using here = await pairedBench();
  const known = here.devices[0]!;
  await using first = here.brain(known);
  expect(await first.call('count', { text: 'a' })).toMatchObject({ ok: true });
  await using stranger = here.brain(await createDevice());
  expect(await stranger.call('count', { text: 'b' })).toMatchObject({
    ok: false,
    error: { code: 'denied', message: expect.stringContaining('may not use') as string },
  });
  const other = await createDevice();
  await using thief = here.brain({ ...other, identity: known.identity });
  expect(await thief.call('count', { text: 'c' })).toMatchObject({
    ok: false,
    error: { code: 'denied', message: expect.stringContaining('does not accept') as string },
  });
  await using unpaired = connectHands(here.relay.url, { session: 'desk' });
  expect(await unpaired.call('count', { text: 'd' })).toMatchObject({ ok: false });
  expect([...counted(here.bench.counter).keys()]).toEqual(['a']);
});

it('what is not in the grant is refused, by name, dialect and time', async () => {
  const [narrow, brief] = [{ tools: ['read_file', 'synapse-readonly:*'] }, { expires: Date.now() - 1 }];
  await using here = await pairedBench([narrow, brief]);
  writeFileSync(join(here.bench.folder, 'a.txt'), 'hello\n');
  const [device, briefly] = here.devices;
  await using brain = here.brain(device!);
  expect(await brain.call('read_file', { path: 'a.txt' })).toMatchObject({ ok: true });
  expect(await brain.dialect('synapse-readonly').call('read_file', { path: 'a.txt' })).toMatchObject({ output: 'hello\n' });
  expect(await brain.call('count', { text: 'x' })).toMatchObject({
    ok: false,
    error: { code: 'denied', message: expect.stringContaining('count') as string },
  });
  expect(await brain.dialect('synapse').call('run_command', { command: 'id' })).toMatchObject({
    isError: true,
    result: { error: { code: 'denied' } },
  });
  await using late = here.brain(briefly!);
  expect(await late.call('read_file', { path: 'a.txt' })).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('may not use') as string },
  });
});

it("the output of another device's call, and of one that never was, is refused with a sentence", async () => {
  await using here = await pairedBench([{}, {}, { role: 'approver' }]);
  const [own, ...others] = here.devices;
  await using brain = here.brain(own!);
  const callId = 'of-the-first';
  expect(await brain.call('count', { text: 'x' }, { callId })).toMatchObject({ ok: true });
  const read = (device: StoredDevice, id: string, from: number) => async (): Promise<string> => {
    await using other = here.brain(device);
    return await other.output(id, { from });
  };
  for (const from of [0, 7]) {
    const refused = [...others.map((device) => read(device, callId, from)), read(own!, 'never', from)];
    for (const [index, one] of refused.entries()) {
      const id = index < others.length ? callId : 'never';
      await expect(one()).rejects.toMatchObject({ code: 'not_found', message: `No call of this device has the id ${id}.` });
    }
  }
  // The control: its own device reads it. It printed nothing.
  expect(await brain.output(callId)).toBe('');
});

it('a revoked device is cut off while connected, and what it had running ends', async () => {
  await using here = await pairedBench([{}, {}], 20_000);
  const [device, other] = here.devices;
  await using brain = here.brain(device!);
  await using bystander = here.brain(other!);
  const running = brain.call('count', { text: 'slow' });
  await expect.poll(() => counted(here.bench.counter).get('slow')).toBe(1);
  here.paired.revoke(({ identity }) => identity === device?.identity);
  const cut = { code: 'denied', message: expect.stringContaining('may not use') as string, hint: expect.stringContaining('may have run') as string };
  expect(await running).toMatchObject({ ok: false, error: cut });
  expect(await brain.call('count', { text: 'again' })).toMatchObject({ ok: false });
  expect(counted(here.bench.counter).get('again')).toBeUndefined();
  expect(await bystander.call('file_info', { path: '.' })).toMatchObject({ ok: true });
});

it('devices have no jobs in common, and those of a device end with its access, when it is revoked or expires', { timeout: 30_000 }, async () => {
  await using here = await pairedBench([{}, {}, {}]);
  const sessions = new Map<string, string | undefined>();
  here.bench.hands.subscribe((event) => event.type === 'call-end' && sessions.set(event.meta.summary, event.meta.sessionId));
  const named: Array<string | undefined> = [];
  for (const device of here.devices) {
    await using brain = here.brain(device);
    expect(await brain.call('count', { text: 'x' })).toMatchObject({ ok: true });
    named.push(sessions.get('count'));
  }
  expect(new Set(named).size).toBe(3);
  const ended = vi.spyOn(here.bench.hands, 'endSession');
  here.paired.revoke(({ identity }) => identity === here.devices[0]?.identity);
  await expect.poll(() => ended.mock.calls.flat()).toContain(named[0]);
  const late = here.paired.list().find(({ identity }) => identity === here.devices[2]?.identity);
  if (late !== undefined) here.paired.add({ ...late, expires: Date.now() });
  await expect.poll(() => ended.mock.calls.flat()).toContain(named[2]);
  expect(ended.mock.calls.flat()).not.toContain(named[1]);
});

it('a machine that is removed from the relay is cut off', { timeout: 30_000 }, async () => {
  await using here = await pairedBench();
  await using brain = here.brain(here.devices[0]!);
  expect(await brain.call('count', { text: 'a' })).toMatchObject({ ok: true });
  here.records.remove(() => true);
  await here.connected.stopped;
  expect(here.said.at(-1)).toContain('does not accept this key');
});

it.each([
  ['a call in the name of the brain', (text: string) => [text.replace('"args":null', '"args":{"text":"forged"}')]],
  ['another tool for the same arguments', (text: string) => [text.replace('"tool":"count"', '"tool":"write_file"')]],
  ['a call without a seal', (text: string) => [text.replace(/,"auth":\{[^}]*\}/u, '')]],
])('a relay cannot forge %s', async (_, forge) => {
  await using here = await pairedBench([{}, {}]);
  const [device, other] = here.devices;
  // The relay is honest; whatever sits between the brain and it plays the hostile one.
  const tap = (text: string, way: 'up' | 'down'): readonly string[] => (way === 'up' && text.includes('"tool_call"') ? forge(text) : [text]);
  await using brain = here.brain(device!, { openSocket: (url) => tappedSocket(url, tap) });
  const abort = new AbortController();
  const forged = brain.call('count', { text: 'real' }, { signal: abort.signal });
  await using honest = here.brain(other!);
  expect(await honest.call('count', { text: 'honest' })).toMatchObject({ ok: true });
  abort.abort();
  await forged;
  expect([...counted(here.bench.counter).keys()]).toEqual(['honest']);
});

it('a call that is replayed runs once, and a result that is changed is not believed', async () => {
  await using here = await pairedBench();
  const [device] = here.devices;
  const calls: string[] = [];
  const tap = (text: string, way: 'up' | 'down'): readonly string[] => {
    if (way === 'up' && text.includes('"tool_call"')) calls.push(text.slice(text.indexOf('"type"')));
    // A status that the machine did not give.
    return [way === 'down' ? text.replace('"status":"success"', '"status":"denied"') : text];
  };
  const abort = new AbortController();
  await using brain = here.brain(device!, { openSocket: (url) => tappedSocket(url, tap) });
  const changed = brain.call('count', { text: 'once' }, { callId: 'c1', signal: abort.signal });
  await expect.poll(() => counted(here.bench.counter).get('once')).toBe(1);
  let isSettled = false;
  void changed.then(() => (isSettled = true));
  // The same brain, without anybody between: it asks for the call that ran.
  await using again = here.brain(device!, {
    openSocket: (url) =>
      tappedSocket(url, (text, way) => (way === 'up' && text.includes('"tool_call"') ? [text.replace(/"type".*/u, calls[0] ?? '')] : [text])),
  });
  const replayed = again.call('count', { text: 'once' }, { callId: 'c1' });
  expect(await replayed).toMatchObject({ ok: true, output: 'once' });
  expect(isSettled).toBe(false);
  expect(counted(here.bench.counter).get('once')).toBe(1);
});

it('one brain learns nothing of the calls of another', async () => {
  await using here = await pairedBench([{}, {}]);
  await using one = here.brain(here.devices[0]!);
  await using two = here.brain(here.devices[1]!);
  expect(await one.call('count', { text: 'mine' }, { callId: 'c1' })).toMatchObject({ ok: true });
  expect(await two.call('count', { text: 'mine' }, { callId: 'c1' })).toMatchObject({ ok: false, error: { code: 'conflict' } });
});

/** A change of the first result that passes: an error in its place, as if the relay had refused the call. */
const refuseInstead = (code: string) => {
  let isDone = false;
  return (text: string, way: 'up' | 'down'): readonly string[] => {
    if (way === 'up' || isDone || !text.includes('"type":"tool_result"')) return [text];
    isDone = true;
    const { seq, ack, tool_call_id } = JSON.parse(text) as Record<string, unknown>;
    return [JSON.stringify({ seq, ack, type: 'error', code, message: 'Forged.', tool_call_id })];
  };
};

it.each(['denied', 'malformed'])('a call that ran counts as such, though the relay says that it was %s', async (code) => {
  await using here = await pairedBench();
  const tap = refuseInstead(code);
  await using brain = here.brain(here.devices[0]!, { openSocket: (url) => tappedSocket(url, tap), pace: fastPace(60) });
  expect(await brain.call('count', { text: 'ran' })).toMatchObject({ ok: true, output: 'ran' });
  expect([...counted(here.bench.counter)]).toEqual([['ran', 1]]);
});

it('a call that ran, though the relay says that its id was used: that it may have run is said', async () => {
  await using here = await pairedBench();
  const tap = refuseInstead('id_reuse');
  await using brain = here.brain(here.devices[0]!, { openSocket: (url) => tappedSocket(url, tap) });
  expect(await brain.call('count', { text: 'ran' })).toMatchObject({
    ok: false,
    error: { code: 'conflict', hint: expect.stringContaining('Only the machine knows') as string },
  });
  expect(counted(here.bench.counter).get('ran')).toBe(1);
});

it("an approver's device answers for the call of a brain, which cannot answer for itself", async () => {
  await using here = await pairedBench([{}, { role: 'approver', tools: [] }]);
  const [device, other] = here.devices;
  await using brain = here.brain(device!);
  const asked: unknown[] = [];
  const write = (path: string) =>
    brain.call(
      'write_file',
      { path, content: 'x' },
      {
        onApproval: (request) => {
          asked.push(request.may_decide);
          brain.approve(request, 'allow_once');
        },
      },
    );
  const first = write('a.txt');
  await expect.poll(() => asked).toEqual([false]);
  // The question waited for the approver.
  await using approver = here.brain(other!);
  const tools: string[] = [];
  let option: 'allow_once' | 'reject' = 'allow_once';
  const end = approver.questions((request) => {
    tools.push(request.tool);
    approver.approve(request, option);
  });
  expect(await first).toMatchObject({ ok: true });
  option = 'reject';
  expect(await write('b.txt')).toMatchObject({ ok: false, error: { code: 'denied' } });
  expect(tools).toEqual(['write_file', 'write_file']);
  expect(readdirSync(here.bench.folder)).toEqual(['a.txt']);
  end();
  expect(await approver.call('file_info', { path: '.' })).toMatchObject({ ok: false, error: { code: 'denied' } });
});

it('a brain answers for its own call of a tool that the owner named, and of no other', async () => {
  await using here = await pairedBench([{ approves: ['write_file'] }, { role: 'approver', tools: [] }]);
  await using brain = here.brain(here.devices[0]!);
  const asked: unknown[] = [];
  const onApproval = (request: Parameters<typeof brain.approve>[0]): void => {
    asked.push([request.tool, request.may_decide]);
    brain.approve(request, 'allow_once');
  };
  expect(await brain.call('write_file', { path: 'a.txt', content: 'x' }, { onApproval })).toMatchObject({ ok: true });
  const abort = new AbortController();
  const removed = brain.call('delete_file', { path: 'a.txt' }, { onApproval, signal: abort.signal });
  await expect.poll(() => asked.length).toBe(2);
  // The answer to a later call shows that its own answer was heard, and did not count.
  expect(await brain.call('file_info', { path: 'a.txt' })).toMatchObject({ ok: true });
  abort.abort();
  expect(await removed).toMatchObject({ ok: false });
  expect(asked).toEqual([
    ['write_file', true],
    ['delete_file', false],
  ]);
  expect(readdirSync(here.bench.folder)).toEqual(['a.txt']);
});

it('a grant to approve names the tool that runs, whatever a dialect calls it', async () => {
  // The second device: names of the dialect, which are no tools here.
  await using here = await pairedBench([{ approves: ['write_file'] }, { approves: ['Write', 'claude-code:Write', 'delete_*'] }]);
  const asked: unknown[] = [];
  const write = async (device: (typeof here.devices)[0], file: string) => {
    await using brain = here.brain(device);
    const onApproval = (request: Parameters<typeof brain.approve>[0]): void => {
      asked.push([request.tool, request.may_decide]);
      brain.approve(request, 'allow_once');
    };
    const dialect = brain.dialect('claude-code');
    return await dialect.call('Write', { file_path: join(here.bench.folder, file), content: 'x' }, { onApproval });
  };
  expect(await write(here.devices[0]!, 'a.txt')).toMatchObject({ isError: false });
  // Without anybody who may answer, there is no question, and the call does not wait.
  expect(await write(here.devices[1]!, 'b.txt')).toMatchObject({ result: { ok: false, error: { code: 'approval_required' } } });
  expect(asked).toEqual([['write_file', true]]);
  expect(readdirSync(here.bench.folder)).toEqual(['a.txt']);
});

it('an approver who is away decides nothing, and the device that may answer is asked', async () => {
  const away: string[] = [];
  const window: Approver = { name: 'window', ask: ({ tool }) => (away.push(tool), Promise.resolve({ verdict: 'later' })) };
  await using here = await pairedBench([{ approves: ['write_file'] }], 0, { window });
  await using brain = here.brain(here.devices[0]!);
  const onApproval = (request: Parameters<typeof brain.approve>[0]): void => brain.approve(request, 'allow_once');
  expect(await brain.call('write_file', { path: 'a.txt', content: 'x' }, { onApproval })).toMatchObject({ ok: true });
  expect(await brain.call('delete_file', { path: 'a.txt' }, { onApproval })).toMatchObject({ ok: false, error: { code: 'approval_required' } });
  expect(away).toEqual(['write_file', 'delete_file']);
});
