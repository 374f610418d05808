import { chmodSync, existsSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import type { ProcessRequest } from '../process/processes.ts';
import { systemProgram } from '../sandbox/find-bubblewrap.ts';
import { SynapseError } from '@synapse/protocol';
import type { SandboxOutcome, SandboxProcesses } from '../sandbox/sandbox-processes.ts';
import type { TransactionArea } from './transaction-area.ts';

/**
 * Relative names: the options of a mount have no way to write a comma or a colon. `volatile`: what is not applied need not
 * survive the machine, so that the many syncs of package managers and databases cost nothing.
 */
const MOUNT = 'mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work,userxattr,volatile merged';
/** The working directory stays the one that the runner's handle led to. A failed mount leaves a mark where no command reaches. */
const RUN = `(cd "$1" && ${MOUNT}) || { : > "$1/failed"; exit 1; }; shift; exec "$@"`;

/** A new tick of the clock that stamps files, in milliseconds at most. */
const TICK_MS = 1;

/** No copy could be made, so the command was not run. */
class NoOverlay extends SynapseError {
  constructor() {
    super('unavailable', 'A command cannot run on a copy here: the system has no overlays for users, or something is mounted in the workspace.', {
      hint: 'Run synapse doctor to see what is missing.',
    });
  }
}

/** A command on a copy, and what tells its changes from those of others. */
export interface OverlayCommand {
  readonly outcome: SandboxOutcome;
  /** Nanoseconds since 1970: what of the workspace has a later ctime was changed by something else meanwhile. */
  readonly startedAt: bigint;
  /** The command gave the workspace's own folder other permissions, which is no entry of it. */
  readonly rootChanged: boolean;
}

/**
 * A time by the clock that stamps files. It ticks slowly: only from its next tick on can what was changed before be told
 * from what is changed later.
 */
async function nextTick(area: TransactionArea): Promise<bigint> {
  const first = area.stamp();
  for (;;) {
    const now = area.stamp();
    if (now > first) return now;
    await delay(TICK_MS);
  }
}

/**
 * Runs a command with a copy-on-write view in place of the workspace. It has ended, with all processes that it started,
 * when this settles.
 *
 * @throws SynapseError `unavailable` where overlays do not work; the command was not run then
 */
export async function runOnOverlay(
  sandbox: { readonly runIn: SandboxProcesses['runIn'] },
  request: ProcessRequest,
  area: TransactionArea,
  root: string,
): Promise<OverlayCommand> {
  const unshare = systemProgram('unshare');
  if (unshare === undefined) throw new NoOverlay();
  chmodSync(area.upper, statSync(root).mode & 0o7777);
  const { mode } = statSync(area.upper);
  const startedAt = await nextTick(area);
  const [ran] = await Promise.allSettled([
    sandbox.runIn(request, {
      keepsNetwork: true,
      isTransaction: true,
      source: join(area.path, 'merged'),
      wrap: (argv) => [unshare, '--user', '--map-root-user', '--mount', '/bin/sh', '-c', RUN, 'sh', area.path, ...argv],
      user: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    }),
  ]);
  // The preparation speaks through the same pipe as the command: a failed mount must not look like its result.
  if (existsSync(join(area.path, 'failed'))) throw new NoOverlay();
  const rootChanged = statSync(area.upper).mode !== mode;
  // It may have been closed to its own user.
  chmodSync(area.upper, 0o700);
  if (ran.status === 'rejected') throw ran.reason;
  // The namespace ends with the command, and all processes in it: what is still seen is on its way out, unless it was counted inside.
  const leftRunning = request.countsLeft === true ? ran.value.leftRunning : 0;
  return { outcome: { ...ran.value, leftRunning }, startedAt, rootChanged };
}
