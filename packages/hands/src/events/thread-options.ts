import type { WorkerOptions } from 'node:worker_threads';

/** An argument of the process that is about its first text, and that a thread refuses. */
const INPUT_TYPE = '--input-type';

/** The arguments of this process that a thread of it can have. A program that embeds this library may be a text: `node --input-type=module -e …`. */
export function threadArguments(given: readonly string[] = process.execArgv): string[] {
  return given.filter((word, index) => !word.startsWith(INPUT_TYPE) && given[index - 1] !== INPUT_TYPE);
}

/** The options of every thread: no variables of the environment, and no output beside the answers. */
export const threadOptions = (): Pick<WorkerOptions, 'env' | 'stdout' | 'stderr' | 'execArgv'> => ({
  env: {},
  stdout: true,
  stderr: true,
  execArgv: threadArguments(),
});
