import { spawn } from 'node:child_process';
import { PROGRAMS } from '../launch/programs.ts';
import { closedStdio, TAG_VARIABLE, type ProcessTag, type ProcessTags } from './hardening.ts';

/** Ends the commands of this process when it ends. Disposing it ends them now. */
export interface Reaper extends Disposable {
  /** Excepts the processes with a tag: another process owns them from now on. */
  spare(tag: ProcessTag): void;
}

/**
 * Starts a small shell that briefly outlives this process, and ends leftover commands if this process
 * is killed: see `reap.sh`. Best effort.
 */
export function startReaper(tags: ProcessTags): Reaper {
  const child = spawn('/bin/sh', ['-c', PROGRAMS['reap.sh'], 'sh', tags.variablePrefix, `^Max resident set +${tags.limitPrefix}[0-9]{10} `], {
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
