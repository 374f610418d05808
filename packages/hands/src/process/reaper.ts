import { spawn } from 'node:child_process';
import { closedStdio, TAG_VARIABLE, type ProcessTag, type ProcessTags } from './hardening.ts';

/**
 * Waits until its input ends, which happens when its parent ends for any reason. Then kills
 * all processes with one of the parent's tags until none are left, in at most ten passes. Each line of the input is
 * part of a tag whose processes are spared.
 */
const SCRIPT = `
spared=
while read -r one; do spared="$spared -e $one"; done
for _ in 1 2 3 4 5 6 7 8 9 10; do
  found=
  for file in $(grep -lsF -e "$1" /proc/[0-9]*/environ; grep -lsE -e "$2" /proc/[0-9]*/limits); do
    pid=\${file#/proc/}; pid=\${pid%%/*}
    [ -z "$spared" ] || ! grep -qsF $spared "/proc/$pid/environ" "/proc/$pid/limits" || continue
    # A process that has ended already stays in the table until its parent has looked, which may be never.
    kill -KILL "$pid" 2>/dev/null && ! grep -qs '^State:.Z' "/proc/$pid/status" && found=1
  done
  [ -n "$found" ] || break
done
`;

/** Ends the commands of this process when it ends. Disposing it ends them now. */
export interface Reaper extends Disposable {
  /** Excepts the processes with a tag: another process owns them from now on. */
  spare(tag: ProcessTag): void;
}

/**
 * Starts a small shell that briefly outlives this process, and ends leftover commands if this process
 * is killed. Best effort.
 *
 */
export function startReaper(tags: ProcessTags): Reaper {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', tags.variablePrefix, `^Max resident set +${tags.limitPrefix}[0-9]{10} `], {
    // In a separate session: the signal that ends this process's group must not end the reaper.
    detached: true,
    cwd: '/',
    stdio: closedStdio(['pipe', 'ignore', 'ignore']),
    // In a nested call, the outer call also ends this reaper.
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ...(process.env[TAG_VARIABLE] === undefined ? {} : { [TAG_VARIABLE]: process.env[TAG_VARIABLE] }),
    },
  });
  // If no shell or process is available, the commands themselves report it.
  child.on('error', () => {});
  const input = child.stdin;
  input?.on('error', () => {});
  child.unref();
  // The pipe must not keep this process alive; the reaper waits for its end.
  if (input !== null && 'unref' in input && typeof input.unref === 'function') input.unref();
  return {
    spare: ({ variable, limit }) => void input?.write(`${variable}\n${limit}\n`),
    [Symbol.dispose]: () => void input?.end(),
  };
}
