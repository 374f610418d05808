import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { Bench } from '../jobs/fixtures/job-bench.ts';
import { stillListens, type JobPort } from '../jobs/job-ports.ts';
import { reachPort } from '../jobs/reach-port.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { findJobPort, type WantedPort } from './find-job-port.ts';

const server = (port: number, word: string): string =>
  `perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => ${port}, Listen => 9) or die; while ($c = $s->accept) { print $c "${word}"; close $c }'`;

const find = (bench: Bench, wanted: WantedPort, session?: string) =>
  findJobPort(
    { stateFolder: join(bench.place.outside, '../state'), root: bench.place.folder },
    wanted,
    (job) => session === undefined || job.session === session,
  );

/** What a port says until it ends its output. */
async function saidBy(target: JobPort): Promise<string> {
  using reached = reachPort(target);
  const stream = reached.connect();
  try {
    return await text(stream);
  } finally {
    // This side has not ended, and its program would wait for that.
    stream.destroy();
  }
}

const said = async (bench: Bench, wanted: WantedPort): Promise<string> => await saidBy(find(bench, wanted).target);

describe.skipIf((await findBubblewrap()) === undefined)('findJobPort', { timeout: 60_000 }, () => {
  it('finds the port of a job by the beginning of its id, in its session only, until it ends', async () => {
    await using bench = await Bench.open();
    const job = await bench.start(server(3000, 'one'), { wait_port: 3000 });
    const found = find(bench, { job: job.slice(0, 8) }, 'one');
    expect(found).toMatchObject({ job, target: { port: 3000, isShared: false } });
    expect(found.hasEnded()).toBe(false);
    expect(() => find(bench, { job }, 'other')).toThrow(expect.objectContaining({ code: 'not_found', message: `Job not found: ${job}` }));
    expect(() => find(bench, { job, port: 22 }, 'one')).toThrow(expect.objectContaining({ code: 'not_found', hint: 'It listens on 3000.' }));
    expect(found.now()).toBe(found.target);
    await bench.job({ action: 'stop', id: job });
    expect(found.hasEnded()).toBe(true);
    expect(() => found.now()).toThrow(expect.objectContaining({ code: 'not_found' }));
    expect(() => find(bench, { job }, 'one')).toThrow(expect.objectContaining({ code: 'not_found', message: `${job} has ended.` }));
  });

  it('follows a server that starts again, and does not take another socket for its own', async () => {
    await using bench = await Bench.open();
    const restarts = `while :; do perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 3000, ReuseAddr => 1, Listen => 9) or die; $c = $s->accept; print $c "from $$"; close $c'; done`;
    const job = await bench.start(restarts, { wait_port: 3000 });
    const found = find(bench, { job });
    expect(stillListens(found.target)).toBe(true);
    expect(stillListens({ ...found.target, socket: '1' })).toBe(false);
    expect(stillListens({ ...found.target, pid: process.pid })).toBe(false);
    expect(await saidBy(found.now())).toMatch(/^from \d+$/u);
    await expect.poll(() => stillListens(found.target)).toBe(false);
    await expect.poll(() => stillListens(found.now())).toBe(true);
  });

  it('does not take the port of another job of the same network for that of a job', async () => {
    await using bench = await Bench.open();
    const one = await bench.start(server(3000, 'one'), { wait_port: 3000 });
    const other = await bench.start(server(4000, 'other'), { wait_port: 4000 });
    expect(() => find(bench, { job: one, port: 4000 })).toThrow(expect.objectContaining({ code: 'not_found', hint: 'It listens on 3000.' }));
    expect(await said(bench, { job: other, port: 4000 })).toBe('other');
  });

  it('finds those of branches, whose servers can have the same port', async () => {
    await using bench = await Bench.open();
    const here = await bench.start(server(3000, 'workspace'), { wait_port: 3000 });
    await using branch = await bench.hands.branch('fix');
    const started = await branch.call('run_command', { command: server(3000, 'branch'), background: true, wait_port: 3000 }, { sessionId: 'one' });
    if (!started.ok || started.data.job === null) throw new Error(JSON.stringify(started));
    expect(await Promise.all([here, started.data.job.id].map(async (job) => await said(bench, { job })))).toEqual(['workspace', 'branch']);
  });
});
