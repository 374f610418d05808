import { spawnSync } from 'node:child_process';
import { once } from '../events/timing.ts';
import { systemProgram } from '../launch/system-program.ts';
import { SANDBOX_CHOICE_FACTS, type SandboxChoice } from './sandbox-choices.ts';

/** Milliseconds to ask the kernel. */
const ASK_MS = 2_000;

/** Whether the kernel has Landlock, asked with the program that starts commands under it. */
const hasLandlock = once((): boolean => {
  const perl = systemProgram('perl');
  if (perl === undefined) return false;
  return spawnSync(perl, ['-e', 'exit(syscall(444, 0, 0, 1) < 3)'], { timeout: ASK_MS, stdio: 'ignore', env: {} }).status === 0;
});

/** Whether commands will run in a sandbox, as far as that is known before the first one. */
export function likelySandbox(choice: SandboxChoice = 'auto'): 'works' | 'given up' | 'missing' {
  if (choice === 'none') return 'given up';
  const tiers: readonly string[] = SANDBOX_CHOICE_FACTS[choice].tiers;
  const works =
    (tiers.includes('bubblewrap') && systemProgram('bwrap') !== undefined) ||
    (tiers.includes('landlock') && hasLandlock()) ||
    (tiers.includes('seatbelt') && process.platform === 'darwin' && systemProgram('sandbox-exec') !== undefined);
  return works ? 'works' : 'missing';
}
