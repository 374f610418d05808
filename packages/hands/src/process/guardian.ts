import { spawn } from 'node:child_process';
import { closedStdio } from './inherited-descriptors.ts';
import { MARK_VARIABLE, type TreeMarks } from './tree-mark.ts';

/**
 * Waits for the end of its input, which comes when its parent has ended in whatever way, then kills
 * whatever carries a mark of it, until nothing more is found.
 */
const SCRIPT = `
while read -r _; do :; done
for _ in 1 2 3 4 5 6 7 8 9 10; do
  found=
  for file in $(grep -lsF -e "$1" /proc/[0-9]*/environ; grep -lsE -e "$2" /proc/[0-9]*/limits); do
    pid=\${file#/proc/}
    kill -KILL "\${pid%%/*}" 2>/dev/null && found=1
  done
  [ -n "$found" ] || break
done
`;

/**
 * Starts a small shell that outlives this process by a moment, and ends the commands which are left when it
 * is killed and so can end nothing itself. Best effort: without it, only that is lost.
 *
 * @returns ends it; whatever carries a mark is ended by it then
 */
export function startGuardian(marks: TreeMarks): () => void {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'sh', marks.variablePrefix, `^Max resident set +${marks.limitPrefix}[0-9]{10} `], {
    // A session of its own: the signal that ends this process's group must not end its guardian.
    detached: true,
    cwd: '/',
    stdio: closedStdio(['pipe', 'ignore', 'ignore']),
    // A call inside a call: the outer one ends this guardian, too.
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ...(process.env[MARK_VARIABLE] === undefined ? {} : { [MARK_VARIABLE]: process.env[MARK_VARIABLE] }),
    },
  });
  // Where there is no shell or no process to be had, the commands themselves say so.
  child.on('error', () => {});
  const input = child.stdin;
  input?.on('error', () => {});
  child.unref();
  // The pipe must not keep this process from ending; its end is what the guardian waits for.
  if (input !== null && 'unref' in input && typeof input.unref === 'function') input.unref();
  return () => void input?.destroy();
}
