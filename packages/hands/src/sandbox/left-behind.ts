import { closeSync, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InheritedHandle } from '../process/processes.ts';

/**
 * Runs a command, and counts what else runs in its process namespace when it has ended: the kernel ends all of that in the
 * next moment, unseen from outside. Not counted are the first process, this shell, its parent, and what has ended already.
 * Signals are for the command: should it survive one, so does this shell, and it has no stderr to say on that the command did
 * not. The descriptors are closed in the command.
 */
const script = (descriptor: number): string =>
  `exec ${descriptor + 1}>&2 2>&-; trap : INT TERM HUP QUIT
(exec 2>&${descriptor + 1} ${descriptor + 1}>&- ${descriptor}>&-; exec "$@"); code=$?; left=0
for process in /proc/[0-9]*; do
  case \${process#/proc/} in 1 | $$ | $PPID) continue ;; esac
  { read -r stat < "$process/stat"; } 2>&- || continue
  case \${stat##*) } in [ZX]*) ;; *) left=$((left + 1)) ;; esac
done
echo "$left" >&${descriptor}; exit "$code"`;

/** Counts what a command leaves running. */
export interface LeftBehind extends Disposable {
  /** What the command has to inherit. */
  readonly handle: InheritedHandle;
  /** Wraps the command, inside of the sandbox. @param descriptor of the handle there */
  wrap(argv: readonly string[], descriptor: number): string[];
  /** Undefined where the command was ended before it could be counted. */
  count(): number | undefined;
}

/** A count for one run. It comes back in a file without a name. */
export function countLeftBehind(): LeftBehind {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-left-'));
  let descriptor: number;
  try {
    descriptor = openSync(join(folder, 'count'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return {
    handle: { descriptor },
    wrap: (argv, inside) => ['/bin/sh', '-c', script(inside), 'sh', ...argv],
    count() {
      const room = Buffer.alloc(16);
      const text = room.toString('latin1', 0, readSync(descriptor, room, 0, room.length, 0)).trim();
      return /^\d{1,6}$/u.test(text) ? Number(text) : undefined;
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  };
}
