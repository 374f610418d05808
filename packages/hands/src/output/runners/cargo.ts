import { FOREIGN_FRAME, isBlank, type RunnerOutput } from './runner-output.ts';

const NOISE =
  /^\s+(?:Compiling|Checking|Downloaded|Downloading|Finished|Running|Updating|Locking|Blocking|Doc-tests|Fresh) |^running \d+ tests?$|^test .+ \.\.\. (?:ok|ignored)|^stack backtrace:$|^note: (?:run with|Some details)|^For more information about |^Some errors have detailed explanations|^test result: ok\. 0 passed; 0 failed/u;
/** A line of a code frame with nothing on it. */
const EMPTY_FRAME = /^\s*\|\s*$/u;
const FRAME = /^\s+\d+: /u;
const AT = /^\s+at /u;

/** The output of cargo: tests, and errors of the compiler. */
export const cargo: RunnerOutput = {
  name: 'cargo',
  sign: /^(?:running \d+ tests?$|(?:error|warning)(?:\[\w+\])?: .+\n +--> )/mu,
  condense(lines) {
    const toldInFull = lines.some((line) => /^---- .+ stdout ----$/u.test(line));
    const kept: string[] = [];
    let inList = false;
    for (let index = 0; index < lines.length; index += 1) {
      const line = lines[index] ?? '';
      // The failures first with their output, then as a list.
      if (line === 'failures:') inList = toldInFull;
      else if (inList && /^ {4}\S/u.test(line)) continue;
      else if (FRAME.test(line) && AT.test(lines[index + 1] ?? '')) {
        const at = lines[index + 1] ?? '';
        if (!FOREIGN_FRAME.test(at)) kept.push(`${at.trimEnd()} ${line.trim().replace(/^\d+: /u, '')}`);
        index += 1;
      } else if (isBlank(line) || NOISE.test(line) || EMPTY_FRAME.test(line)) continue;
      else if (!(toldInFull && /^test .+ \.\.\. FAILED$/u.test(line))) kept.push(line);
    }
    return kept;
  },
};
