import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { Bench } from './fixtures/job-bench.ts';
import { forwardPort } from './forward-port.ts';
import { MAX_CONNECTIONS } from './reach-port.ts';
import type { JobPort } from './job-ports.ts';
import { WorkspaceJobs } from './workspace-jobs.ts';

const PORT = 3000;
const listening = (then: string): string =>
  `perl -MIO::Socket::INET -e '$| = 1; $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => ${PORT}, ReuseAddr => 1, Listen => 128) or die; ${then}'`;
/** Accepts everything, and neither answers nor closes. */
const SILENT = listening('while ($c = $s->accept) { push @c, $c }');
/** Each answer comes from another process, as with a server that restarts when a file changes. */
const RESTARTS = `while :; do ${listening('$c = $s->accept; print $c "from $$"; close $c')}; done`;

async function portOf(bench: Bench, command: string): Promise<JobPort> {
  const id = await bench.start(command, { wait_port: PORT });
  const [port] = new WorkspaceJobs(join(bench.place.outside, '../state'), bench.place.folder).ports(id);
  if (port === undefined) throw new Error('The job does not listen.');
  return port;
}

async function client(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {
    // It was closed.
  });
  await once(socket, 'connect');
  return socket;
}

/** The processes of this one that forward the port. Their second process is of the first. */
function forwarding(): readonly string[] {
  const parentOf = (pid: string): string => /^PPid:\t(\d+)$/mu.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '';
  return readdirSync('/proc').filter((pid) => {
    try {
      const line = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      const parent = parentOf(pid);
      return line.includes('INADDR_LOOPBACK') && line.endsWith(`\0${PORT}\0`) && [parent, parentOf(parent)].includes(String(process.pid));
    } catch {
      // No process, or it has ended.
      return false;
    }
  });
}

/** Counts those that start from now on: other tests of this process may have left some, which end with their job. */
function countForwarding(): () => number {
  const before = new Set(forwarding());
  return () => forwarding().filter((pid) => !before.has(pid)).length;
}

describe.skipIf((await findBubblewrap()) === undefined)('forwardPort', () => {
  it('leads to the port of the job, also after its server was started again', async () => {
    await using bench = await Bench.open();
    await using forwarded = await forwardPort(await portOf(bench, RESTARTS));
    const answers = new Set<string>();
    await expect
      .poll(async () => answers.add(await text(await client(forwarded.port))).size)
      // No answer between two servers is an empty one.
      .toBeGreaterThan(3);
    expect([...answers].filter((answer) => !/^(?:from \d+)?$/u.test(answer))).toEqual([]);
  });

  it('has a bound, and leaves no process behind, whatever the job does', async () => {
    await using bench = await Bench.open();
    const port = await portOf(bench, SILENT);
    const count = countForwarding();
    {
      await using forwarded = await forwardPort(port);
      for (let times = 0; times < MAX_CONNECTIONS; times += 1) await client(forwarded.port);
      await expect.poll(count).toBe(2 * MAX_CONNECTIONS);
      expect(await text(await client(forwarded.port))).toBe('');
      expect(count()).toBe(2 * MAX_CONNECTIONS);
    }
    await expect.poll(count).toBe(0);
  });

  it.runIf(process.features.typescript)('knows no port of what forwards its network', async () => {
    await using bench = await Bench.open({ network: { domains: ['allowed.example'] } });
    const id = await bench.start(SILENT, { wait_port: PORT });
    const ports = new WorkspaceJobs(join(bench.place.outside, '../state'), bench.place.folder).ports(id);
    expect(ports.map(({ port }) => port)).toEqual([PORT]);
  });

  it('does not enter another network than that of the job', async () => {
    await using bench = await Bench.open();
    const port = await portOf(bench, SILENT);
    // As if the process had ended and another one had its number.
    await expect(forwardPort({ ...port, pid: process.pid })).rejects.toMatchObject({ code: 'not_found' });
  });
});
