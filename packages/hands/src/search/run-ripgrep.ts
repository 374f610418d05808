import { type SandboxTier, SynapseError } from '@synapse/protocol';
import { withBoundedMemory } from '../process/bounded-memory.ts';
import type { Processes } from '../process/processes.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';

interface Rule {
  readonly matches: RegExp;
  readonly message: string | ((found: RegExpExecArray) => string);
  readonly hint: string;
}

const LITERAL_HINT = 'Correct the pattern, or pass "literal": true to search for it as plain text.';

/** ripgrep's errors about a pattern, and our messages for them. They do not repeat the pattern, because the model has it. */
const RULES: readonly Rule[] = [
  {
    matches: /is not allowed in a regex|line terminator/u,
    message: 'The pattern spans lines; a search goes line by line.',
    hint: 'Search for text within one line, and pass "context" to see the lines around it.',
  },
  {
    matches: /exceeds size limit/u,
    message: 'The pattern is too large when compiled.',
    hint: 'Use smaller repetitions, such as a* or a{1,50}.',
  },
  {
    matches: /^error: (?<reason>(?:look-around|backreferences).*)$/mu,
    message: (found) => `The pattern is not valid: ${found.groups?.['reason'] ?? ''}.`,
    hint: 'Search for a simpler pattern and judge the lines found, or pass "literal": true to search for it as plain text.',
  },
  {
    matches: /^error: (?<reason>.+)$/mu,
    message: (found) => `The pattern is not a valid regular expression: ${found.groups?.['reason'] ?? ''}.`,
    hint: LITERAL_HINT,
  },
  { matches: /regex/u, message: 'The pattern is not a valid regular expression.', hint: LITERAL_HINT },
];

/** Converts ripgrep's stderr to an error; undefined if it is not about the pattern. */
export function ripgrepError(stderr: string): SynapseError | undefined {
  for (const { matches, message, hint } of RULES) {
    const found = matches.exec(stderr);
    if (found === null) continue;
    const details = hint === LITERAL_HINT ? { details: { pattern: 'invalid' } } : {};
    return new SynapseError('invalid_arguments', typeof message === 'string' ? message : message(found), { hint, ...details });
  }
  return undefined;
}

/** How a run of ripgrep ended. */
interface RipgrepOutcome {
  /**
   * `complete` if it searched everything, `enough` if `take` stopped it, `aborted` if the caller's signal did,
   * `exhausted` if it ran out of memory.
   */
  readonly ended: 'complete' | 'enough' | 'aborted' | 'exhausted';
  /** Whether something could not be read. */
  readonly unreadable: boolean;
  readonly sandbox: SandboxTier;
}

/** Exit codes of ripgrep: something found, nothing found. */
const ENDED_WELL: ReadonlySet<number | null> = new Set([0, 1]);
const MAX_ERROR_CHARACTERS = 8_000;

/** Address space of a walk, in KiB: 2 GiB. ripgrep needs about eight times the longest line that it reads. */
const WALK_MEMORY_KIB = 2 * 1024 * 1024;

/**
 * Limits the memory of a walk. Checking each file's size first, to skip files that could have a too long line,
 * takes a quarter more time on a large repository, and hardly any repository has such files.
 */
export function withWalkMemory(argv: readonly [string, ...string[]]): readonly [string, ...string[]] {
  return withBoundedMemory(argv, WALK_MEMORY_KIB);
}

/**
 * Runs ripgrep until it ends, `take` returns `enough`, or the signal is aborted. The caller keeps the output received so far.
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
        // An error thrown here would end the process, so it is passed to the caller that awaits the run.
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
  // With --no-messages, exit code 2 only means that something could not be read.
  if (outcome.exitCode === 2) return { ended: 'complete', unreadable: true, sandbox };
  throw new SynapseError('tool_failed', 'The search program ended in an unexpected way.', {
    hint: 'Search a smaller folder or for a simpler pattern.',
  });
}
