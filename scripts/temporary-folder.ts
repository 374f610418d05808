import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';

/**
 * Gives a run of the tests a temporary folder of its own, and removes it with everything that tests left in it.
 * Its name is short: the path of a socket below it may have 107 bytes.
 */
export default function makeTemporaryFolder(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'syn-'));
  // As of the folder around it: some tests start processes as another user.
  chmodSync(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  return () => {
    // Tests close folders to their owner.
    spawnSync('chmod', ['-R', 'u+rwX', folder]);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}
