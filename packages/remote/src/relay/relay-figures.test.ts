import { request } from 'node:http';
import { expect, it, vi } from 'vitest';
import { connectHands } from '../brain/connect-hands.ts';
import { remoteBench } from '../fixtures/bench.ts';
import { ConnectedHands } from '../hands/connected-hands.ts';
import { sessionUrl } from '../session-url.ts';
import { serveRelay } from './serve-relay.ts';

/** Asks a relay over HTTP, as a machine that calls it by a name. */
async function ask(url: string, path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  const { promise, resolve, reject } = Promise.withResolvers<{ readonly status: number | undefined; readonly text: string }>();
  const made = request(new URL(path, url.replace('ws:', 'http:')), { headers, method }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (part: string) => (text += part));
    response.on('end', () => resolve({ status: response.statusCode, text }));
  });
  made.on('error', reject).end();
  return await promise;
}

it('a relay tells programs of its machine what it carries, in the format of Prometheus, and names nothing', async () => {
  await using bench = await remoteBench();
  await using relay = await serveRelay({ port: 0 });
  await using _connected = new ConnectedHands(bench.hands, { url: sessionUrl(relay.url, 'secret-desk'), name: 'desk', stateFolder: bench.state });
  await using brain = connectHands(relay.url, { session: 'secret-desk' });
  await brain.call('count', { text: 'secret-text' });
  await vi.waitFor(async () => {
    const { status, text } = await ask(relay.url, '/metrics');
    expect(status).toBe(200);
    expect(text).toMatch(/^synapse_relay_sessions 1$/mu);
    expect(text).toMatch(/^synapse_relay_machines 1$/mu);
    expect(text).toMatch(/^synapse_relay_agents 1$/mu);
    expect(text).toMatch(/^synapse_relay_connections 2$/mu);
    expect(text).toMatch(/^synapse_relay_calls 0$/mu);
    expect(text).toMatch(/^synapse_relay_texts_total\{direction="in"\} [1-9]\d*$/mu);
    // Each line is a comment or a sample.
    for (const line of text.trimEnd().split('\n')) expect(line).toMatch(/^(?:# (?:HELP|TYPE) [a-z_]+ .+|[a-z_]+(?:\{[a-z]+="\w+"\})? \d+)$/u);
    expect(text).not.toMatch(/secret|desk|count"/u);
  });
});

it.each([
  ['a proxy', { 'x-forwarded-for': '203.0.113.7' }],
  ['another name', { host: 'relay.example' }],
])('metrics are not told to %s, and health is', async (_name, headers) => {
  await using relay = await serveRelay({ port: 0 });
  expect(await ask(relay.url, '/metrics', headers)).toMatchObject({ status: 403 });
  expect(await ask(relay.url, '/healthz', headers)).toEqual({ status: 200, text: 'ok\n' });
  expect(await ask(relay.url, '/', headers)).toMatchObject({ status: 426 });
  expect(await ask(relay.url, '/metrics', {}, 'POST')).toMatchObject({ status: 426 });
});
