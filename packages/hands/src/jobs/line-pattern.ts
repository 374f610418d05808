import { createContext, Script, type Context } from 'node:vm';
import { SynapseError } from '@synapse/protocol';

/** Maximum milliseconds for a match. A pattern that takes longer probably backtracks without end. */
const MATCH_MS = 500;
const MAX_PATTERN = 1_000;
/** How often a match is tried that was ended before it had the processor for most of its time. */
const MAX_TRIES = 4;

const FIND = new Script('lines.flatMap((line, index) => (pattern.test(line) ? [index] : []))');

/** Whether work was ended by its time-out, though it had little of the processor: on a busy machine, or one that stood still. */
function wasStarved(error: unknown, { user, system }: NodeJS.CpuUsage): boolean {
  const isLate = error instanceof Error && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
  return isLate && (user + system) / 1_000 < 0.8 * MATCH_MS;
}

function run(context: Context): unknown {
  for (let tries = 1; ; tries += 1) {
    const before = process.cpuUsage();
    try {
      return FIND.runInContext(context, { timeout: MATCH_MS });
    } catch (error) {
      if (tries === MAX_TRIES || !wasStarved(error, process.cpuUsage(before))) throw error;
    }
  }
}

/** Returns the lines that match. */
export type LinePattern = (lines: readonly string[]) => readonly string[];

/**
 * Compiles a regular expression for lines. A model may send any pattern. One that backtracks without end is stopped.
 *
 * @throws SynapseError `invalid_arguments` for an invalid regular expression; the pattern throws the same if it takes too long
 */
export function linePattern(field: string, source: string): LinePattern {
  if (source.length > MAX_PATTERN) throw invalid(field, `is longer than ${MAX_PATTERN} characters`);
  let pattern: RegExp;
  try {
    pattern = new RegExp(source, 'u');
  } catch {
    throw invalid(field, 'is not a regular expression');
  }
  return (lines) => {
    try {
      const found = run(createContext({ lines: [...lines], pattern }));
      const kept = new Set(Array.isArray(found) ? found : []);
      return lines.filter((_, index) => kept.has(index));
    } catch (error) {
      throw invalid(field, `takes longer than ${MATCH_MS} ms on this output`, error);
    }
  };
}

function invalid(field: string, why: string, cause?: unknown): SynapseError {
  return new SynapseError('invalid_arguments', `${field}: ${why}.`, {
    hint: 'Give a JavaScript regular expression that matches one line, such as "ready in \\\\d+".',
    cause,
  });
}
