import type { DataFrames, ForwardOp } from '@synapse/protocol/remote';
import { afterEach, expect, it, vi } from 'vitest';
import { LocalPorts } from './local-ports.ts';

afterEach(() => void vi.unstubAllGlobals());

/** Ports at a machine of which the test is the other end. */
function bench() {
  const said: ForwardOp[] = [];
  const state = { isOnline: true };
  const say = ({ op }: DataFrames['forward']): void => void (op !== null && said.push(op));
  const ports = new LocalPorts({ brain: 'b', say, isOnline: () => state.isOnline, onReady: () => {} });
  const hear = (op: ForwardOp): void => ports.take({ type: 'forward', brain: 'b', op });
  return { ports, said, state, hear };
}

const opened = (forward: number, token: string): ForwardOp => ({ op: 'opened', forward, token, job: 'job-12345678', port: 3000 });

it('asks again under a new number when the line is back, for the port that it got, and keeps its own', async () => {
  const { ports, said, hear } = bench();
  ports.meet({ online: true, epoch: 1 });
  const opening = ports.open('job-1', {});
  await expect.poll(() => said).toEqual([{ op: 'open', forward: 0, job: 'job-1' }]);
  hear(opened(0, 'first'));
  await using port = await opening;
  expect(port).toMatchObject({ job: 'job-12345678', jobPort: 3000 });
  said.length = 0;
  ports.meet({ online: true, epoch: 2 });
  expect(said).toEqual([
    { op: 'close', forward: 0 },
    { op: 'open', forward: 1, job: 'job-12345678', port: 3000 },
  ]);
  // What was said about the earlier one says nothing.
  hear({ op: 'closed', forward: 0, code: 'unavailable', message: 'The line broke.' });
  hear(opened(0, 'again'));
  hear(opened(1, 'second'));
  hear({ op: 'closed', forward: 1, code: 'not_found', message: 'It has ended.' });
  expect(await port.ended).toMatchObject({ code: 'not_found', message: 'It has ended.' });
});

it('waits for a machine that is away, and gives up one that is there and does not answer', async () => {
  const { ports, said, state } = bench();
  state.isOnline = false;
  const opening = ports.open('job-1', {});
  const failed = opening.catch((error: unknown) => error);
  await new Promise((resolve) => setImmediate(resolve));
  for (let times = 0; times < 20; times += 1) ports.tick();
  expect(said).toEqual([]);
  state.isOnline = true;
  ports.meet({ online: true, epoch: 1 });
  for (let times = 0; times < 7; times += 1) ports.tick();
  expect(await failed).toMatchObject({ code: 'unavailable', message: 'The machine does not answer.' });
});

it('stops when its signal aborts, and when a port here is taken', async () => {
  const { ports, said, hear } = bench();
  const abort = new AbortController();
  const opening = ports.open('job-1', { signal: abort.signal });
  await expect.poll(() => said).toHaveLength(1);
  abort.abort();
  await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
  expect(said.at(-1)).toEqual({ op: 'close', forward: 0 });
  const second = ports.open('job-1', {});
  await expect.poll(() => said.at(-1)).toMatchObject({ op: 'open', forward: 1 });
  hear(opened(1, 'first'));
  await using port = await second;
  await expect(ports.open('job-1', { localPort: port.port })).rejects.toMatchObject({
    code: 'unavailable',
    message: `Port ${port.port} of this machine cannot be opened.`,
  });
});

it('says in a browser that it needs Node', async () => {
  const { ports } = bench();
  vi.stubGlobal('process', undefined);
  await expect(ports.open('job-1', {})).rejects.toMatchObject({ code: 'unavailable', message: expect.stringContaining('Node only') as string });
});
