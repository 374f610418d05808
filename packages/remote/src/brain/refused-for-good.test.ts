import { CLOSE_CODES, createDevice } from '@synapse/protocol/remote';
import { expect, it } from 'vitest';
import { fastPace } from '../fixtures/fast-pace.ts';
import type { BrowserSocket } from './brain-options.ts';
import { connectHands } from './connect-hands.ts';

/** A line that opens at once and ends with a code, before anything is sent on it. */
function endingLine(code: number): BrowserSocket {
  const heard = new Map<string, (event: never) => void>();
  queueMicrotask(() => {
    heard.get('open')?.(undefined as never);
    heard.get('close')?.({ code } as never);
  });
  return { send: () => {}, close: () => {}, addEventListener: (type: string, listener: (event: never) => void) => void heard.set(type, listener) };
}

const fatal = Object.entries(CLOSE_CODES).flatMap(([name, meaning]) => (meaning.next === 'fatal' ? [[name, meaning] as const] : []));

it.each(fatal)('after the relay refused an agent for good (%s), each later call and read gets that reason', async (_, { code, error, text }) => {
  await using hands = connectHands('ws://127.0.0.1:1', { session: 'desk', openSocket: () => endingLine(code), pace: fastPace(100) });
  const { promise: stopped, resolve } = Promise.withResolvers<Awaited<ReturnType<typeof hands.call>>>();
  // While the line says so, and after it.
  hands.subscribe((event) => event.type === 'line' && event.status === 'stopped' && resolve(hands.call('read_file', { path: 'a' })));
  const refused = { ok: false, error: { code: error, message: expect.stringContaining(text) as string } };
  expect(await stopped).toMatchObject(refused);
  expect(await hands.call('read_file', { path: 'a' })).toMatchObject(refused);
  await expect(hands.output('a')).rejects.toMatchObject(refused.error);
  await expect(hands.about()).rejects.toMatchObject(refused.error);
  // To close it changes nothing about the reason.
  await hands[Symbol.asyncDispose]();
  expect(await hands.call('read_file', { path: 'a' })).toMatchObject(refused);
});

it('after keys that cannot be used, each later call gets that reason', async () => {
  const device = await createDevice();
  const credentials = { device: { ...device, sign: 'AAAA' }, machine: device.identity };
  await using hands = connectHands('ws://127.0.0.1:1', { session: 'desk', openSocket: () => endingLine(1000), credentials });
  const refused = { ok: false, error: { message: expect.stringContaining('The credentials cannot be used: ') as string } };
  expect(await hands.call('read_file', { path: 'a' })).toMatchObject(refused);
  expect(await hands.call('read_file', { path: 'a' })).toMatchObject(refused);
});

it('after its owner closed it, a call says so', async () => {
  const hands = connectHands('ws://127.0.0.1:1', { session: 'desk', openSocket: () => endingLine(1000) });
  await hands[Symbol.asyncDispose]();
  expect(await hands.call('read_file', { path: 'a' })).toMatchObject({ error: { code: 'unavailable', message: 'The connection was closed.' } });
});
