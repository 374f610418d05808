import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Keeper, KeeperTask } from '../jobs/job-keeper.ts';
import { closedStdio } from '../process/hardening.ts';
import { compiledCode, ownProgram } from './own-program.ts';

/** Maximum time until a keeper is ready, in milliseconds. It takes some tenths of a second, but without it a job ends with its program. */
const READY_MS = 30_000;

/** The input of a keeper: the options of its hands, and its task. */
export interface KeeperInput {
  readonly task: KeeperTask;
  readonly hands: unknown;
}

/**
 * Starts the process that takes a job over when this one ends. Resolves to undefined if it cannot take it over.
 *
 * @param stateFolder that of the workspace
 */
export async function startKeeper(input: KeeperInput, stateFolder: string): Promise<Keeper | undefined> {
  const [command, ...words] = ownProgram('keep-job');
  const child = spawn(command, words, {
    env: { ...process.env, ...compiledCode(stateFolder) },
    // In a separate session: a signal that ends this process's group must not end the keeper.
    detached: true,
    cwd: '/',
    stdio: closedStdio(['pipe', 'pipe', 'ignore']),
  });
  const { stdin, stdout } = child;
  const over = Promise.withResolvers<void>();
  child.once('error', () => over.resolve());
  child.once('exit', () => over.resolve());
  if (stdin === null || stdout === null) return undefined;
  stdin.on('error', () => {});
  stdin.write(`${JSON.stringify(input)}\n`);
  const lines = createInterface({ input: stdout });
  const timeout = AbortSignal.timeout(READY_MS);
  const said = once(lines, 'line', { signal: timeout }).then(
    ([line]) => String(line),
    () => undefined,
  );
  const identity = await Promise.race([said, over.promise.then(() => undefined)]);
  lines.close();
  stdout.destroy();
  if (identity === undefined) {
    child.kill('SIGKILL');
    return undefined;
  }
  // It must not keep this process alive; it waits for its end.
  child.unref();
  if ('unref' in stdin && typeof stdin.unref === 'function') stdin.unref();
  return {
    identity,
    tell: (news) => void stdin.write(`${news}\n`),
    letGo: () => void stdin.end(),
    ended: over.promise,
  };
}
