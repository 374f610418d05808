import { spawn } from 'node:child_process';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { ProcessTags } from './hardening.ts';
import { readProcess } from './process-table.ts';
import { endTree } from './process-tree.ts';

afterEach(() => void vi.restoreAllMocks());

it('is killed to its end also where the machine stands still meanwhile', async () => {
  const child = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  const pid = child.pid ?? 0;
  const [now, kill] = [performance.now.bind(performance), process.kill.bind(process)];
  let stood = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + stood);
  // The first signals come while the machine stands still, and nothing ends then.
  vi.spyOn(process, 'kill').mockImplementation((...given) => {
    if (stood > 0) return kill(...given);
    setImmediate(() => (stood = 60_000));
    return true;
  });
  const survivors = await endTree({ pid, startTime: readProcess(pid)?.startTime, tag: new ProcessTags().next() }, 0);
  expect(survivors).toBe(0);
});
