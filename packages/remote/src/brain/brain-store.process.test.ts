import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { counted, remoteBench } from '../fixtures/bench.ts';
import { startProgram } from '../fixtures/dying-process.ts';
import { ConnectedHands } from '../hands/connected-hands.ts';
import { serveRelay } from '../relay/serve-relay.ts';
import { sessionUrl } from '../session-url.ts';
import type { BrainStore } from './brain-store.ts';
import { connectHands } from './connect-hands.ts';
import { fileStore } from './file-store.ts';

/** A store whose answers come later, as in a browser. */
function slowStore(texts = new Map<string, string>()): BrainStore & { readonly texts: Map<string, string> } {
  const later = async (work: () => void): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    work();
  };
  return {
    texts,
    load: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return new Map(texts);
    },
    put: async (id, text) => await later(() => texts.set(id, text)),
    delete: async (id) => await later(() => texts.delete(id)),
  };
}

async function place(gate?: Promise<void>) {
  await using stack = new AsyncDisposableStack();
  const bench = stack.use(await remoteBench(0, gate));
  const relay = stack.use(await serveRelay({ port: 0, file: join(bench.state, 'relay.sqlite') }));
  const machine = stack.use(new ConnectedHands(bench.hands, { url: sessionUrl(relay.url, 'desk'), name: 'desk', stateFolder: bench.state }));
  void machine.stopped;
  const owned = stack.move();
  return { ...bench, url: `${relay.url}#desk`, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

it('an agent that was killed goes on with its open calls, which run once', async () => {
  const gate = Promise.withResolvers<void>();
  await using at = await place(gate.promise);
  const file = join(at.state, 'calls', 'agent.sqlite');
  const agent = startProgram('kept-brain', at.url, file);
  await expect.poll(() => counted(at.counter).has('long')).toBe(true);
  agent.kill('SIGKILL');
  await once(agent, 'exit');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  {
    using store = fileStore(file);
    await using hands = connectHands(at.url, { store });
    const open = await hands.openCalls();
    expect(open).toMatchObject([{ callId: 'long', tool: 'count', arguments: { text: 'long' } }]);
    expect(await hands.resume('other')).toMatchObject({ ok: false, error: { code: 'not_found' } });
    // Another call with its id is refused, as before the restart.
    expect(await hands.call<string>('count', { text: 'another' }, { callId: 'long' })).toMatchObject({ ok: false, error: { code: 'conflict' } });
    const answer = hands.resume('long');
    gate.resolve();
    expect(await answer).toMatchObject({ ok: true, data: { text: 'long' } });
    expect(await hands.openCalls()).toEqual([]);
  }
  expect(counted(at.counter)).toEqual(new Map([['long', 1]]));
  using kept = fileStore(file);
  await using again = connectHands(at.url, { store: kept });
  expect(await again.openCalls()).toEqual([]);
});

it('a result that came while its caller was gone is kept until it is asked for', async () => {
  const gate = Promise.withResolvers<void>();
  await using at = await place(gate.promise);
  const store = slowStore();
  {
    await using hands = connectHands(at.url, { store });
    void hands.call<string>('count', { text: 'early' }, { callId: 'early' });
    await expect.poll(() => store.texts.has('early')).toBe(true);
  }
  gate.resolve();
  {
    await using hands = connectHands(at.url, { store });
    await expect.poll(() => store.texts.get('early')).toContain('"result":');
    expect(await hands.openCalls()).toMatchObject([{ callId: 'early' }]);
  }
  await using hands = connectHands(at.url, { store });
  expect(await hands.openCalls()).toMatchObject([{ callId: 'early' }]);
  expect(await hands.resume('early')).toMatchObject({ ok: true, data: { text: 'early' } });
  expect(store.texts.size).toBe(0);
  expect(counted(at.counter)).toEqual(new Map([['early', 1]]));
});

it.each([
  ['later', () => Promise.reject(new Error('the disk is full'))],
  [
    'at once',
    () => {
      throw new Error('the disk is full');
    },
  ],
])('sends nothing that it could not keep, and says so: what fails %s', async (_, put) => {
  await using at = await place();
  await using hands = connectHands(at.url, { store: { ...slowStore(), put } });
  const refused = { ok: false, error: { code: 'unavailable', message: 'The store of calls cannot be used: the disk is full' } };
  expect(await hands.call<string>('count', { text: 'a' })).toMatchObject(refused);
  expect(await hands.call<string>('count', { text: 'b' })).toMatchObject(refused);
  expect(counted(at.counter).size).toBe(0);
});

it('keeps why a call from before a restart was refused, until it is asked for', async () => {
  const gate = Promise.withResolvers<void>();
  await using at = await place(gate.promise);
  const [before, store] = [slowStore(), slowStore()];
  {
    await using hands = connectHands(at.url, { store: before });
    void hands.call<string>('count', { text: 'one' }, { callId: 'one' });
    void hands.call<string>('count', { text: 'other' }, { callId: 'other' });
    await expect.poll(() => counted(at.counter).size).toBe(2);
  }
  // The id of a call that the machine knows, and what another was given.
  store.texts.set('one', before.texts.get('other') ?? '');
  gate.resolve();
  {
    await using _hands = connectHands(at.url, { store });
    await expect.poll(() => store.texts.get('one')).toContain('"result":');
  }
  await using hands = connectHands(at.url, { store });
  expect(await hands.openCalls()).toMatchObject([{ callId: 'one' }]);
  expect(await hands.resume('one')).toMatchObject({ ok: false, error: { message: expect.stringContaining('was used for another call') as string } });
  expect(await hands.openCalls()).toEqual([]);
  expect(counted(at.counter)).toEqual(
    new Map([
      ['one', 1],
      ['other', 1],
    ]),
  );
});

it('does not begin with a kept call that cannot be read: it may have run', async () => {
  await using at = await place();
  await using hands = connectHands(at.url, { store: slowStore(new Map([['odd', '{"version":2}']])) });
  expect(await hands.call<string>('count', { text: 'a' })).toMatchObject({
    error: { code: 'unavailable', message: expect.stringContaining('The store of calls has one that cannot be read: "odd"') as string },
  });
});

it('keeps many calls at once, and nothing of them when they are done', async () => {
  await using at = await place();
  const file = join(at.state, 'agent.sqlite');
  {
    using store = fileStore(file);
    await using hands = connectHands(at.url, { store });
    const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => hands.call<string>('count', { text: `a secret ${index}` })));
    expect(answers.every(({ ok }) => ok)).toBe(true);
  }
  expect(counted(at.counter).size).toBe(100);
  using kept = fileStore(file);
  expect(kept.load()).toEqual(new Map());
  const files = readdirSync(at.state).filter((name) => name.startsWith('agent.sqlite'));
  expect(files.map((name) => statSync(join(at.state, name)).mode & 0o077)).toEqual(files.map(() => 0));
  expect(readFileSync(file).length).toBeGreaterThan(0);
});
