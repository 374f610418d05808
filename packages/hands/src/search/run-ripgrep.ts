import { SynapseError, type SandboxTier } from '@synapse/protocol';
import type { Processes } from '../process/processes.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { ripgrepError } from './ripgrep-error.ts';

/** How a run of ripgrep ended. */
export interface RipgrepOutcome {
  /**
   * `complete` where it went through everything, `enough` where it was stopped, `aborted` by the caller's signal,
   * `exhausted` where its memory did not suffice.
   */
  readonly ended: 'complete' | 'enough' | 'aborted' | 'exhausted';
  /** Whether there was something that it could not read. */
  readonly unreadable: boolean;
  readonly sandbox: SandboxTier;
}

/** ripgrep's own codes: something found, nothing found. */
const ENDED_WELL: ReadonlySet<number | null> = new Set([0, 1]);
const MAX_ERROR_CHARACTERS = 8_000;

/** Address space for a walk, in KiB: 2 GiB. It takes some eight times the longest line that it meets. */
const WALK_MEMORY_KIB = 2 * 1024 * 1024;

/**
 * Bounds the memory of a walk. Asking each file for its size first, so that none with too long a line is opened,
 * costs a quarter of the time on a large repository; hardly any has one.
 */
export function withBoundedMemory(argv: readonly [string, ...string[]]): readonly [string, ...string[]] {
  if (process.platform === 'win32') return argv;
  return ['/bin/sh', '-c', `ulimit -v ${WALK_MEMORY_KIB} 2>/dev/null; exec "$@"`, 'sh', ...argv];
}

/**
 * Runs ripgrep until it ends, `take` says that this is enough, or the signal is aborted. What came
 * until then stays with the caller.
 */
export async function runRipgrep(
  processes: Processes,
  argv: readonly [string, ...string[]],
  cwd: PinnedDirectory,
  signal: AbortSignal,
  take: (chunk: Buffer) => 'more' | 'enough',
): Promise<RipgrepOutcome> {
  const stop = new AbortController();
  let errors = '';
  let failure: unknown;
  const outcome = await processes.run({
    argv,
    cwd,
    signal: AbortSignal.any([signal, stop.signal]),
    onOutput: (stream, chunk) => {
      if (stream === 'stderr') {
        if (errors.length < MAX_ERROR_CHARACTERS) errors += chunk.toString();
        return;
      }
      if (stop.signal.aborted) return;
      try {
        if (take(chunk) === 'enough') stop.abort();
      } catch (error) {
        // Thrown from here it would end the process: it belongs to whoever awaits the run.
        failure = error;
        stop.abort();
      }
    },
  });
  if (failure !== undefined) throw failure;
  const { sandbox } = outcome;
  if (stop.signal.aborted) return { ended: 'enough', unreadable: false, sandbox };
  if (signal.aborted) return { ended: 'aborted', unreadable: false, sandbox };
  if (ENDED_WELL.has(outcome.exitCode)) return { ended: 'complete', unreadable: false, sandbox };
  if (outcome.signal === 'SIGABRT' && /memory allocation/u.test(errors)) return { ended: 'exhausted', unreadable: true, sandbox };
  const error = ripgrepError(errors);
  if (error !== undefined) throw error;
  // Without messages, code 2 alone says that something on the way could not be read.
  if (outcome.exitCode === 2) return { ended: 'complete', unreadable: true, sandbox };
  throw new SynapseError('tool_failed', 'The search program ended in an unexpected way.', {
    hint: 'Search a smaller folder or for a simpler pattern.',
  });
}
