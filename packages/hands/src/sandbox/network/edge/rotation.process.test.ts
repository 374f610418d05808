import { SynapseError } from '@synapse/protocol';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { EdgeBench, get, HOST, RULED, secret, VALUE } from './fixtures/edge-bench.ts';

const NEXT = 'ghp_9aXbYcZdWeVfUgThSiRjQkPlOmNn8765432';

let bench: EdgeBench;
beforeAll(async () => {
  bench = await EdgeBench.open();
});
afterAll(async () => await bench[Symbol.asyncDispose]());
beforeEach(() => {
  bench.secrets = async () => [secret];
  bench.respond = (request, response) => void response.end(`You sent ${request.headers.authorization ?? 'nothing'}.`);
});

const sent = (before: number): string => bench.reached(before).join('\n');

it('a secret that is replaced while a command runs counts for its next request', async () => {
  const before = bench.seen.length;
  expect(await bench.send(get())).toMatch(/You sent Bearer \*+\./u);
  expect(sent(before)).toContain(`Bearer ${VALUE}`);
  const after = bench.seen.length;
  bench.secrets = async () => [{ ...secret, value: NEXT }];
  expect(await bench.send(get())).toMatch(/You sent Bearer \*+\./u);
  expect(sent(after)).toContain(`Bearer ${NEXT}`);
  // What a host got before, it may still show.
  bench.respond = (_, response) => void response.end(`Known are ${VALUE} and ${NEXT}.`);
  expect(await bench.send(get())).toMatch(/Known are \*+ and \*+\./u);
});

it('a secret that is removed while a command runs goes into no further request', async () => {
  bench.secrets = async () => [];
  const before = bench.seen.length;
  expect(await bench.send(get())).toContain('You sent nothing.');
  expect(sent(before)).not.toContain('ghp_');
  bench.respond = (_, response) => void response.end(`Known is ${VALUE}.`);
  expect(await bench.send(get())).toMatch(/Known is \*+\./u);
});

it('a secret that loses a host goes into no further request to it', async () => {
  bench.secrets = async () => [{ ...secret, places: secret.places.filter(({ host }) => host !== HOST) }];
  const before = bench.seen.length;
  expect(await bench.send(get())).toContain('You sent nothing.');
  expect(sent(before)).not.toContain('ghp_');
});

it('secrets that cannot be read any more are no reason to send a request without or with them', async () => {
  bench.secrets = async () => {
    throw new SynapseError('denied', 'Other users can read secrets.json.');
  };
  const before = bench.seen.length;
  expect(await bench.send(get())).toContain('The secret of this host cannot be read.');
  expect(bench.reached(before)).toEqual([]);
  expect(bench.told.at(-1)?.failure).toBe('the secret of this host cannot be read: Other users can read secrets.json.');
});

it('a secret that gets a further host does not come back from that either', async () => {
  bench.secrets = async () => [{ ...secret, places: [...secret.places, { scheme: 'https', host: RULED, port: 443, as: { kind: 'bearer' } }] }];
  expect(await bench.send(get())).toMatch(/You sent Bearer \*+\./u);
  const before = bench.seen.length;
  expect(await bench.send(get('/repos/a', RULED), RULED)).toMatch(/You sent Bearer \*+\./u);
  expect(sent(before)).toContain(`Bearer ${VALUE}`);
});
