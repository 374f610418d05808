import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SandboxBench, TEST_USERS } from '../../testing/sandbox-bench.ts';
import { findLandlock } from './find-landlock.ts';
import { processRoom } from './process-room.ts';

const found = await findLandlock();
const user = TEST_USERS[0] ?? 'user';
const MIB = 2 ** 20;

it('is what there is and what a command may add', () => {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-room-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'loadavg');
  writeFileSync(file, '0.10 0.20 0.30 2/345 6789\n');
  expect(processRoom(100, file)).toBe(445);
  writeFileSync(file, 'something else\n');
  expect(processRoom(100, file)).toBeUndefined();
  expect(processRoom(100, join(folder, 'missing'))).toBeUndefined();
});

describe.skipIf('problem' in found)('under Landlock', () => {
  it('the processes of the user are bounded, and no command raises the bound', async () => {
    await using bench = await SandboxBench.open(user, { policy: { limits: { processes: 150 } }, ownHome: true, tier: 'landlock' });
    const show = "sed -n 's/^Max processes *//p' /proc/self/limits";
    const { stdout } = await bench.inside(`${show}; { ulimit -p unlimited || ulimit -u unlimited; } 2>&-; ${show}`);
    const [before, after] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => Number(line.split(/ +/u)[0]));
    expect(after).toBe(before);
    expect(before).toBeGreaterThan(150);
    // The control: the bound is not that of this process.
    const outside = Number(execFileSync('/bin/sh', ['-c', show], { encoding: 'utf8' }).split(/ +/u)[0]);
    expect(before).not.toBe(outside);
  });

  it('a file ends at its limit', async () => {
    await using bench = await SandboxBench.open(user, { policy: { limits: { fileBytes: MIB } }, ownHome: true, tier: 'landlock' });
    const { stdout } = await bench.inside('head -c 3000000 /dev/zero > big 2>/dev/null; wc -c < big');
    expect(stdout.trim()).toBe(String(MIB));
  });
});
