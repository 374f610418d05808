import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { queryAudit } from '@synapse/hands/internal';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { connectHands } from './brain/connect-hands.ts';
import { ChaosProxy } from './fixtures/chaos-proxy.ts';
import { pairedBench, type PairedBench } from './fixtures/paired-bench.ts';
import { startServer } from './fixtures/web-server.ts';
import { sessionUrl } from './session-url.ts';
import type { RemoteHands, RemotePort } from './brain/remote-hands.ts';

const EXEC = { allow: ['write', 'exec'] } as const;

interface Served extends AsyncDisposable {
  readonly here: PairedBench;
  readonly hands: RemoteHands;
  readonly job: string;
}

/** A device that may reach its ports, and its server. */
async function served(
  grants: Parameters<typeof pairedBench>[0] = [{ ports: 'own' }],
  options: Parameters<typeof pairedBench>[2] = {},
): Promise<Served> {
  await using stack = new AsyncDisposableStack();
  const here = stack.use(await pairedBench(grants, 0, options, {}, EXEC));
  const [device] = here.devices;
  if (device === undefined) throw new Error('no device');
  const hands = stack.use(here.brain(device));
  const job = await startServer(hands, here.bench.folder);
  const opened = stack.move();
  return { here, hands, job, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const at = ({ port }: RemotePort, path = '/'): string => `http://127.0.0.1:${port}${path}`;
const said = async (port: RemotePort, path = '/'): Promise<string> =>
  await (await fetch(at(port, path), { headers: { connection: 'close' } })).text();

async function client(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  await once(socket, 'connect');
  return socket;
}

describe('forwarded ports', { timeout: 60_000 }, () => {
  it('lead to the server of a job: answers, streams, uploads and WebSockets', async () => {
    await using there = await served();
    await using port = await there.hands.forwardPort(there.job, { port: 3000 });
    expect(port).toMatchObject({ job: there.job, jobPort: 3000 });
    expect(await said(port)).toBe('hello from 127.0.0.1');
    // A stream is there before it ends.
    const slow = await fetch(at(port, '/slow'));
    const reader = slow.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('first\n');
    await said(port);
    expect((await reader?.read())?.value).toBe('last\n');
    const body = 'ä'.repeat(700_000);
    expect(await (await fetch(at(port, '/post'), { method: 'POST', body })).text()).toBe(body);
    const socket = new WebSocket(at(port).replace('http', 'ws'));
    await once(socket, 'open');
    for (const word of ['one', 'two']) {
      socket.send(word);
      expect(String((await once(socket, 'message'))[0])).toBe(word);
    }
    socket.terminate();
  });

  it('end each direction on its own, and break where the other end breaks', async () => {
    await using there = await served();
    await using port = await there.hands.forwardPort(there.job, { port: 3001 });
    const socket = await client(port.port);
    socket.end('half of it');
    expect(await text(socket)).toBe('whole: half of it');
    await using web = await there.hands.forwardPort(there.job, { port: 3000 });
    // The length of the answer is not known: only a break tells that it is not whole.
    const broken = await client(web.port);
    const failed = once(broken, 'error').catch((error: unknown) => [error]);
    broken.write('GET /broken HTTP/1.0\r\n\r\n');
    broken.resume();
    expect((await failed)[0]).toMatchObject({ code: 'ECONNRESET' });
    const printed = async (): Promise<string> => {
      const output = await there.hands.call('job', { action: 'output', id: there.job, cursor: 0 });
      return output.ok ? output.output : output.error.message;
    };
    const leaving = await client(port.port);
    leaving.write('x');
    // One that leaves before it is there is not seen there.
    await expect.poll(printed).toMatch(/it came[^]*it came/u);
    leaving.resetAndDestroy();
    await expect.poll(printed).toContain('it broke');
  });

  it('are off unless the grant has them, and then lead to the jobs of the device only', async () => {
    await using there = await served([{ ports: 'own' }, {}, { ports: 'own' }, { ports: 'all' }, { ports: 'all', role: 'approver' }]);
    const [, none, own, all, approver] = there.here.devices.map((device) => there.here.brain(device));
    if (none === undefined || own === undefined || all === undefined || approver === undefined) throw new Error('no devices');
    await using stack = new AsyncDisposableStack();
    for (const hands of [none, own, all, approver]) stack.use(hands);
    for (const hands of [none, approver])
      await expect(hands.forwardPort(there.job)).rejects.toMatchObject({ code: 'denied', hint: expect.stringContaining('--ports own') as string });
    await expect(own.forwardPort(there.job, { port: 3000 })).rejects.toMatchObject({ code: 'not_found' });
    await using port = await all.forwardPort(there.job, { port: 3000 });
    expect(await said(port)).toBe('hello from 127.0.0.1');
    // A port of the machine is no port of the job, whatever number is named.
    const relay = Number(new URL(there.here.relay.url).port);
    for (const number of [relay, 22, 5432])
      await expect(all.forwardPort(there.job, { port: number })).rejects.toMatchObject({ code: 'not_found', hint: 'It listens on 3000, 3001.' });
    await expect(all.forwardPort(there.job)).rejects.toMatchObject({ code: 'invalid_arguments', hint: 'Choose one: 3000, 3001' });
    await expect(all.forwardPort('job-nothing')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are not those of a job in the network of the machine', async () => {
    await using here = await pairedBench([{ ports: 'all' }], 0, {}, {}, { ...EXEC, sandbox: 'none' });
    const [device] = here.devices;
    if (device === undefined) throw new Error('no device');
    await using hands = here.brain(device);
    const command = `${process.execPath} -e "const s = require('node:net').createServer().listen(0, '127.0.0.1', () => console.log('at ' + s.address().port))"`;
    const started = await hands.call('run_command', { command, background: true, wait_pattern: 'at \\d+' });
    if (!started.ok || started.data.job === null) throw new Error(JSON.stringify(started));
    await expect(hands.forwardPort(started.data.job.id)).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining('network of the machine') as string,
    });
  });

  it('end with their job, and with a reason', async () => {
    await using there = await served();
    await using port = await there.hands.forwardPort(there.job, { port: 3000 });
    const open = await client(port.port);
    const closed = once(open, 'close').catch(() => []);
    await there.hands.call('job', { action: 'stop', id: there.job });
    expect(await port.ended).toMatchObject({ code: 'not_found', message: `${there.job} has ended.` });
    await closed;
    await expect(client(port.port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('end with the access of their device, within two seconds', async () => {
    await using there = await served();
    await using port = await there.hands.forwardPort(there.job, { port: 3000 });
    const open = await client(port.port);
    const closed = once(open, 'close').catch(() => []);
    let isOver = false;
    void Promise.all([closed, port.ended]).then(() => (isOver = true));
    there.here.paired.revoke(() => true);
    await expect.poll(() => isOver, { timeout: 2_000 }).toBe(true);
    expect(await port.ended).toMatchObject({ code: 'denied' });
  });

  it('end when the grant has them no more, while the device stays', async () => {
    await using there = await served();
    await using port = await there.hands.forwardPort(there.job, { port: 3000 });
    const [grant] = there.here.paired.list();
    if (grant === undefined) throw new Error('no grant');
    const { ports: _, ...rest } = grant;
    there.here.paired.add(rest);
    expect(await port.ended).toMatchObject({ code: 'denied', hint: expect.stringContaining('--ports') as string });
    expect(await there.hands.call('count', { text: 'x' })).toMatchObject({ ok: true });
  });

  it.each(['machine', 'agent'] as const)('stay while the line of the %s breaks, and their connections end', async (end) => {
    let relay = 0;
    await using proxy = await ChaosProxy.open(() => relay);
    const through = `ws://127.0.0.1:${proxy.port}`;
    await using here = await pairedBench([{ ports: 'own' }], 0, end === 'machine' ? { url: sessionUrl(through, 'desk') } : {}, {}, EXEC);
    relay = Number(new URL(here.relay.url).port);
    const [device] = here.devices;
    if (device === undefined) throw new Error('no device');
    const credentials = { device, machine: here.machine.identity };
    await using hands = connectHands(end === 'agent' ? through : here.relay.url, { session: 'desk', jitter: () => 0.05, credentials });
    await using port = await hands.forwardPort(await startServer(hands, here.bench.folder), { port: 3000 });
    const slow = await fetch(at(port, '/slow'));
    const reader = slow.body?.getReader();
    await reader?.read();
    proxy.cutAll();
    await expect(reader?.read()).rejects.toThrow();
    await expect.poll(async () => await said(port).catch(() => '')).toBe('hello from 127.0.0.1');
  });

  it('keep no call waiting, for a download that goes on and one that is not read', async () => {
    await using there = await served();
    await using port = await there.hands.forwardPort(there.job, { port: 3000 });
    const unread = await fetch(at(port, '/big?100000000'));
    const reading = await fetch(at(port, '/big?20000000'));
    let hasEnded = false;
    const whole = reading.arrayBuffer().finally(() => (hasEnded = true));
    for (const path of ['.', 'server.mjs']) {
      expect(await there.hands.call('file_info', { path })).toMatchObject({ ok: true });
      expect(hasEnded).toBe(false);
    }
    expect((await whole).byteLength).toBe(20_000_000);
    await unread.body?.cancel();
  });

  it('are in the audit log, with their bytes', async () => {
    await using there = await served();
    {
      await using port = await there.hands.forwardPort(there.job, { port: 3000 });
      expect((await (await fetch(at(port, '/big?300000'))).arrayBuffer()).byteLength).toBe(300_000);
    }
    const find = () => [...queryAudit(there.here.bench.state, there.here.bench.hands.workspace)].find(({ tool }) => tool === 'forward_port');
    await expect.poll(() => find()?.end?.summary).toMatch(/^forward_port\(job-\w+, 3000\) → 1 connection, \d+B in, 300\.\dKB out/u);
    expect(find()?.start).toMatchObject({ arguments: { job: there.job, port: 3000 }, session: expect.stringContaining('remote:desk:') as string });
  });
});
