import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { HandsOptions } from '../runtime/hands-options.ts';
import { ask, Bench, SERVER } from './fixtures/job-bench.ts';

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise<void>((resolve) => void server.close(() => resolve()));
  return port;
}

describe.each(['required', 'none'] as const)('waits for jobs with sandbox %s', (sandbox) => {
  const open = (options: Omit<HandsOptions, 'workspace'> = {}) => Bench.open({ sandbox, ...options });

  it('waits for the next match, for silence, and no longer than it may', async () => {
    await using bench = await open();
    // Each line waits for a file, so that nothing here depends on time.
    const id = await bench.start('for step in 1 2 3; do until [ -e go$step ]; do sleep 0.01; done; echo "built $step"; done; sleep 60');
    expect((await bench.job({ action: 'wait', id, pattern: 'built', timeout_ms: 50 })).data.met).toBe('timeout');
    for (const step of [1, 2, 3]) {
      writeFileSync(bench.place.at(`go${step}`), '');
      const { data } = await bench.job({ action: 'wait', id, pattern: 'built' });
      expect(data).toMatchObject({ met: 'pattern', output: `built ${step}\n` });
    }
    expect((await bench.job({ action: 'wait', id, idle_ms: 50 })).data.met).toBe('idle');
    expect((await bench.job({ action: 'output', id, grep: '[13]$' })).data.output).toBe('built 1\nbuilt 3\n');
    const { cursor } = (await bench.job({ action: 'output', id, cursor: 8 })).data;
    expect((await bench.job({ action: 'output', id, cursor: 8 })).data.output).toBe('built 2\nbuilt 3\n');
    expect((await bench.job({ action: 'output', id, cursor: cursor ?? 0 })).output).toContain('no new output');
    expect((await bench.job({ action: 'output', id, cursor: Number.MAX_SAFE_INTEGER })).data.output).toBe('');
  });

  it('a wait sees what came after the last one, and what a start has shown only if nothing new comes', async () => {
    await using bench = await open();
    const id = await bench.start('n=1; echo ready $n; while :; do until [ -e go$n ]; do sleep 0.01; done; n=$((n + 1)); echo ready $n; done');
    expect((await bench.job({ action: 'wait', id, pattern: 'ready' })).data).toMatchObject({ met: 'pattern' });
    // As a watcher after an edit: the old line is not what is waited for.
    expect((await bench.job({ action: 'wait', id, pattern: 'ready', timeout_ms: 1_500 })).data).toMatchObject({ met: 'timeout', output: '' });
    writeFileSync(bench.place.at('go1'), '');
    expect((await bench.job({ action: 'wait', id, pattern: 'ready' })).data).toMatchObject({ met: 'pattern', output: 'ready 2\n' });
    // A wait for something else has shown it too.
    writeFileSync(bench.place.at('go2'), '');
    await bench.job({ action: 'wait', id, pattern: '3' });
    expect((await bench.job({ action: 'wait', id, pattern: 'ready', timeout_ms: 50 })).data.met).toBe('timeout');
    // What was printed between two waits was never shown.
    writeFileSync(bench.place.at('go3'), '');
    await bench.run('sleep 0.3');
    expect((await bench.job({ action: 'wait', id, pattern: 'ready' })).data).toMatchObject({ met: 'pattern', output: 'ready 4\n' });
    writeFileSync(bench.place.at('go4'), '');
    await bench.run('sleep 0.3');
    expect((await bench.job({ action: 'output', id })).data.output).toBe('ready 5\n');
    writeFileSync(bench.place.at('go5'), '');
    expect((await bench.job({ action: 'wait', id, pattern: 'ready' })).data.output).toBe('ready 6\n');
  });

  it('a start can wait for a port or a line, and says which came', async () => {
    await using bench = await open();
    const serving = await bench.run(SERVER, { wait_pattern: String.raw`^port \d+$` });
    expect(serving.data).toMatchObject({ job: { met: 'pattern' }, output: expect.stringMatching(/^port \d+\n$/u) as string });
    const port = Number(/\d+/u.exec(serving.data.output)?.[0]);
    expect((await bench.run(ask(String(port)))).data.output).toBe('answer\n');
    await bench.job({ action: 'stop', id: serving.data.job?.id });
    const free = await freePort();
    const late = `perl -MIO::Socket::INET -e 'sleep 1; $s = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => ${free}, Listen => 5) or die; sleep 60'`;
    const listening = await bench.run(late, { background: true, wait_port: free });
    expect(listening.data).toMatchObject({ job: { met: 'port' } });
    expect(listening.output).toContain(`it listens on port ${free}`);
    const silent = await bench.run('sleep 60', { wait_pattern: 'never', wait_port: 1, yield_ms: 50 });
    expect(silent.data).toMatchObject({ job: { met: 'timeout' } });
    expect(silent.output).toContain('it does not listen on port 1 and no line matched wait_pattern after 0.1 s');
    const failed = await bench.run('echo broken; exit 3', { wait_pattern: 'ready' });
    expect(failed.data).toMatchObject({ exit_code: 3, output: 'broken\n', job: null });
    expect(await bench.hands.call('run_command', { command: 'true', wait_pattern: '(' }, { sessionId: 'one' })).toMatchObject({
      error: { code: 'invalid_arguments', message: expect.stringContaining('wait_pattern') as string },
    });
  });
});
