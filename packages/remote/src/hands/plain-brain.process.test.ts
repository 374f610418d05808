import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { WebSocketServer, type WebSocket } from 'ws';
import { counted, remoteBench } from '../fixtures/bench.ts';
import { ConnectedHands } from './connected-hands.ts';

/** A brain that knows nothing but calls and results. */
async function plainBrain() {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/agent/room`;
  const said: unknown[] = [];
  const accept = async (): Promise<WebSocket> => {
    const [socket] = (await once(server, 'connection')) as [WebSocket];
    socket.on('message', (data: Buffer) => said.push(JSON.parse(data.toString())));
    return socket;
  };
  return {
    url,
    said,
    accept,
    [Symbol.asyncDispose]: async () => void (server.clients.forEach((one) => one.terminate()), await new Promise((done) => server.close(done))),
  };
}

async function until(check: () => boolean): Promise<void> {
  await expect.poll(check, { interval: 10 }).toBe(true);
}

it('serves a brain that sends exactly the two base messages, and says nothing before its first call', async () => {
  await using bench = await remoteBench();
  writeFileSync(join(bench.folder, 'a.txt'), 'hello\n');
  await using brain = await plainBrain();
  const arrived = brain.accept();
  await using connected = new ConnectedHands(bench.hands, { url: brain.url, dialect: 'synapse-readonly', stateFolder: bench.state });
  void connected.stopped;
  const socket = await arrived;
  // A round trip below the messages: whatever the hands would say at once had its chance.
  socket.ping();
  await once(socket, 'pong');
  expect(brain.said).toEqual([]);

  socket.send(JSON.stringify({ type: 'tool_call', tool: 'read_file', id: '1', arguments: { path: 'a.txt' } }));
  socket.send(JSON.stringify({ type: 'tool_call', tool: 'read_file', id: 2, args: { path: '../etc/passwd' } }));
  socket.send(JSON.stringify({ type: 'tool_call', tool: 'get_git_status', id: '3' }));
  socket.send(JSON.stringify({ type: 'tool_call', tool: 'read_file', id: '4', arguments: { path: 'missing' } }));
  await until(() => brain.said.length === 4);
  expect(brain.said).toEqual(
    expect.arrayContaining([
      { type: 'tool_result', tool_call_id: '1', status: 'success', output: 'hello\n' },
      { type: 'tool_result', tool_call_id: 2, status: 'error', output: 'Error: Security violation' },
      { type: 'tool_result', tool_call_id: '3', status: 'error', output: 'Error: Not a git repository' },
      { type: 'tool_result', tool_call_id: '4', status: 'error', output: 'Error: File not found' },
    ]),
  );

  execFileSync('git', ['init', '-q', bench.folder]);
  socket.send(JSON.stringify({ type: 'tool_call', tool: 'get_git_status', id: '5' }));
  await until(() => brain.said.length === 5);
  expect(brain.said[4]).toEqual({ type: 'tool_result', tool_call_id: '5', status: 'success', output: '?? a.txt\n' });
});

it('runs an id once on a connection, refuses it for another call, and takes it anew on the next connection', async () => {
  await using bench = await remoteBench();
  await using brain = await plainBrain();
  let arrived = brain.accept();
  await using connected = new ConnectedHands(bench.hands, { url: brain.url, stateFolder: bench.state });
  void connected.stopped;
  const call = (text: string): string => JSON.stringify({ type: 'tool_call', tool: 'count', id: '1', arguments: { text } });
  const socket = await arrived;
  socket.send(call('one'));
  await until(() => brain.said.length === 1);
  socket.send(call('one'));
  socket.send(call('two'));
  socket.send('what is this');
  await until(() => brain.said.length === 3);
  expect(brain.said.map((one) => (one as { status: string }).status).sort()).toEqual(['error', 'success', 'success']);
  arrived = brain.accept();
  socket.close();
  const second = await arrived;
  second.send(call('one'));
  await until(() => brain.said.length === 4);
  expect([...counted(bench.counter)]).toEqual([['one', 2]]);
});

it.each([true, false])('an agent that makes the machine answer and reads (%s): who does not is cut off', { timeout: 60_000 }, async (reads) => {
  await using bench = await remoteBench();
  await using brain = await plainBrain();
  const arrived = brain.accept();
  const lines: string[] = [];
  const onStatus = ({ text }: { readonly text: string }): void => void lines.push(text);
  await using connected = new ConnectedHands(bench.hands, { url: brain.url, stateFolder: bench.state, onStatus, jitter: () => 1 });
  void connected.stopped;
  const socket = await arrived;
  if (!reads) socket.pause();
  // Without a tool, so each is answered at once. More than the system keeps for a connection.
  for (let count = 1; count <= 8_000; count += 1) {
    socket.send(JSON.stringify({ type: 'tool_call', id: 'x'.repeat(4_000) }));
    // Both ends run in this process: without a pause, who reads would have no turn to do so.
    if (reads && count % 400 === 0) await until(() => brain.said.length === count);
  }
  if (!reads) await until(() => lines.some((line) => line.includes('The connection broke')));
  expect(lines.filter((line) => line.includes('The connection broke'))).toHaveLength(reads ? 0 : 1);
});
