import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { Bench } from './fixtures/job-bench.ts';
import { reachPort } from './reach-port.ts';
import { WorkspaceJobs } from './workspace-jobs.ts';

/** A server that says what it reads until the end, and how that was. */
const READS = `import net from 'node:net';
net.createServer({ allowHalfOpen: true }, (socket) => {
  let text = '';
  socket.write('hi, ');
  socket.on('data', (data) => (text += data));
  socket.on('end', () => socket.end('got ' + text.length));
  socket.on('error', ({ code }) => console.log('failed: ' + code));
}).listen(3000, '127.0.0.1');`;
/** A server that breaks off. */
const BREAKS = `import net from 'node:net';
net.createServer((socket) => socket.write('half', () => socket.resetAndDestroy())).listen(3000, '127.0.0.1');`;
/** A server that answers at once, and reads nothing. */
const DEAF = `import net from 'node:net';
net.createServer({ allowHalfOpen: true, pauseOnConnect: true }, (socket) => socket.end('no')).listen(3000, '127.0.0.1');`;

async function reached(bench: Bench, program: string) {
  const id = await bench.start(`${process.execPath} --input-type=module -e "${program.replaceAll('\n', ' ')}"`, { wait_port: 3000 });
  const [port] = new WorkspaceJobs(join(bench.place.outside, '../state'), bench.place.folder).ports(id);
  if (port === undefined) throw new Error('The job does not listen.');
  return { id, ...reachPort(port) };
}

describe.skipIf((await findBubblewrap()) === undefined)('PortStream', { timeout: 30_000 }, () => {
  it('ends each direction on its own, with all that was written', async () => {
    await using bench = await Bench.open();
    const stream = (await reached(bench, READS)).connect();
    stream.end('x'.repeat(3_000_000));
    expect(await text(stream)).toBe('hi, got 3000000');
    await expect.poll(() => stream.closed).toBe(true);
  });

  it('fails where the port breaks off, and where nothing listens', async () => {
    await using bench = await Bench.open();
    const { id, connect } = await reached(bench, BREAKS);
    await expect(text(connect())).rejects.toThrow('broke');
    await bench.job({ action: 'stop', id });
    await expect(text(connect())).rejects.toThrow('broke');
  });

  it('breaks there if it is destroyed here', async () => {
    await using bench = await Bench.open();
    const { id, connect } = await reached(bench, READS);
    const stream = connect();
    await once(stream, 'data');
    stream.destroy();
    await expect.poll(async () => (await bench.job({ action: 'output', id, cursor: 0 })).output).toContain('failed: ECONNRESET');
  });

  it('tells the answer of a port that reads nothing', async () => {
    await using bench = await Bench.open();
    const stream = (await reached(bench, DEAF)).connect();
    stream.on('error', () => {});
    stream.write(Buffer.alloc(8_000_000));
    expect(await text(stream)).toBe('no');
    stream.destroy();
  });
});
