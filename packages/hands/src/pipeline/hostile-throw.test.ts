import { SynapseError } from '@synapse/protocol';
import { expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { defineTool } from '../tool/tool.ts';
import { PROBE } from '../testing/probe-tool.ts';

function throwing(make: () => unknown) {
  return defineTool({
    ...PROBE,
    name: 'bad',
    execute: async () => {
      throw make();
    },
  });
}

const trap = (): never => {
  throw new Error('hostile');
};

function revoked(): object {
  const { proxy, revoke } = Proxy.revocable(new SynapseError('denied', 'x'), {});
  revoke();
  return proxy;
}

it.each<[string, () => unknown, string]>([
  ['nothing', () => undefined, 'internal'],
  ['a text', () => 'text', 'internal'],
  ['an object without a prototype', () => Object.create(null), 'internal'],
  ['a thenable', () => ({ then: trap }), 'internal'],
  [
    'an object whose getters throw',
    () => Object.defineProperties({}, { message: { get: trap }, stack: { get: trap }, toString: { get: trap } }),
    'internal',
  ],
  ['an error whose getters throw', () => Object.defineProperties(new Error('x'), { message: { get: trap }, stack: { get: trap } }), 'internal'],
  ['a coded error whose message throws', () => Object.defineProperty(new SynapseError('denied', 'x'), 'message', { get: trap }), 'internal'],
  ['a coded error with an unknown code', () => Object.assign(new SynapseError('denied', 'x'), { code: 'mine' }), 'internal'],
  ['a coded error whose details throw', () => new SynapseError('denied', 'x', { details: { rule: Object.create(null), toJSON: trap } }), 'denied'],
  [
    'a proxy whose every trap throws',
    () => new Proxy(new SynapseError('denied', 'x'), { get: trap, has: trap, getPrototypeOf: trap, getOwnPropertyDescriptor: trap, ownKeys: trap }),
    'internal',
  ],
  ['a proxy of a coded error', () => new Proxy(new SynapseError('denied', 'x'), {}), 'denied'],
  ['a revoked proxy', revoked, 'internal'],
])('a call resolves when its tool throws %s', async (_, make, code) => {
  await using place = await temporaryHands({}, { tools: [throwing(make)] });
  expect(await place.hands.call('bad', {})).toMatchObject({ ok: false, error: { code, message: expect.any(String) as string } });
  // The hands work on.
  expect(await place.hands.call('list_directory', {})).toMatchObject({ ok: true });
});

it.each(['fails', 'is out of time'])('a call says what its tool could not take back, also if it %s', async (how) => {
  const tool = defineTool({
    ...PROBE,
    name: 'bad',
    async execute(_, { signal }) {
      await using _changes = {
        async [Symbol.asyncDispose]() {
          throw new SynapseError('conflict', 'What it had changed could not be taken back.');
        },
      };
      const { promise, reject } = Promise.withResolvers<never>();
      if (how === 'fails') reject(new Error('it failed'));
      else signal.addEventListener('abort', () => reject(signal.reason));
      return await promise;
    },
  });
  await using place = await temporaryHands({}, { tools: [tool] });
  const stop = new AbortController();
  const calling = place.hands.call('bad', {}, { signal: stop.signal });
  setImmediate(() => stop.abort());
  expect(await calling).toMatchObject({ ok: false, error: { code: 'conflict', message: 'What it had changed could not be taken back.' } });
});
