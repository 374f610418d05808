import { callHash, isAppended } from '@synapse/protocol/remote';
import { expect, it } from 'vitest';
import { connectHands } from './brain/connect-hands.ts';
import { readResult } from './brain/remote-hands.ts';
import { remoteBench } from './fixtures/bench.ts';
import { rawBrain } from './fixtures/raw-party.ts';
import { ConnectedHands } from './hands/connected-hands.ts';
import { serveRelay } from './relay/serve-relay.ts';
import { sessionUrl } from './session-url.ts';

it('an agent of an earlier version gets its results as JSON on one line, and one that can read more gets them on a line that cannot', async () => {
  await using bench = await remoteBench();
  await using relay = await serveRelay({ port: 0 });
  const url = sessionUrl(relay.url, 'desk');
  await using connected = new ConnectedHands(bench.hands, { url, name: 'desk', stateFolder: bench.state });
  connected.stopped.catch(() => {});
  await using brain = connectHands(relay.url, { session: 'desk' });
  const text = '\t"line"\n'.repeat(300);
  expect(await brain.call('echo', { text })).toMatchObject({ ok: true, data: { text } });
  // It says that it can read nothing that is appended.
  await using raw = await rawBrain(url);
  const lines: number[] = [];
  raw.socket.on('message', (data: Buffer) => lines.push(data.toString().split('\n').length));
  for (const appends of [undefined, true]) {
    const args = { text };
    const call = { type: 'tool_call', id: `raw-${appends}`, tool: 'echo', args, hash: callHash({ tool: 'echo', args }), ledger: raw.ledger };
    raw.send({ ...call, at: Date.now(), ...(appends === undefined ? {} : { appends }) });
    const { status, bytes, sha256, body = '' } = await raw.frame('tool_result');
    const result = { status, bytes, sha256, body };
    expect(isAppended(result)).toBe(appends === true);
    expect(readResult('echo', 'c', result)).toMatchObject({ isError: false, output: text, result: { ok: true, data: { text } } });
    if (appends === undefined) expect(JSON.parse(body)).toMatchObject({ output: text });
  }
  expect(new Set(lines)).toEqual(new Set([1]));
});
