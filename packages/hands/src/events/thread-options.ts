import type { WorkerOptions } from 'node:worker_threads';

/** The arguments that say how files are found and loaded, and have a value. */
const WITH_VALUE = /^(?:--(?:conditions|import|require|loader|experimental-loader)|-[Cr])(?:=.*)?$/su;
/** Those without one. */
const ALONE = /^--(?:no-warnings|(?:experimental-)?strip-types|experimental-transform-types|preserve-symlinks(?:-main)?)$/u;

/**
 * The arguments of this process that a thread of it has. It needs no others, and refuses most: those about the memory of the process
 * (`--max-old-space-size=4096`), its title, or the kind of text that it was started with (`--input-type=module`).
 */
export function threadArguments(given: readonly string[] = process.execArgv): string[] {
  const isValue = (before = '='): boolean => WITH_VALUE.test(before) && !before.includes('=');
  return given.filter((word, index) => WITH_VALUE.test(word) || ALONE.test(word) || isValue(given[index - 1]));
}

/** The options of every thread: no variables of the environment, and no output beside the answers. */
export const threadOptions = (): Pick<WorkerOptions, 'env' | 'stdout' | 'stderr' | 'execArgv'> => ({
  env: {},
  stdout: true,
  stderr: true,
  execArgv: threadArguments(),
});
