import { FOREIGN_FRAME, isBlank, type RunnerOutput } from './runner-output.ts';

const NOISE =
  /^\s+(?:Compiling|Checking|Downloaded|Downloading|Finished|Running|Updating|Locking|Blocking|Doc-tests|Fresh) |^running \d+ tests?$|^test .+ \.\.\. (?:ok|ignored)(?:, [^,]*)?(?: <[\d.]+s>)?$|^stack backtrace:$|^note: (?:run with|Some details)|^For more information about |^Some errors have detailed explanations/u;
const NOTHING_RAN = /^test result: ok\. 0 passed; 0 failed; 0 ignored/u;
/** A line of a code frame with nothing on it. */
const EMPTY_FRAME = /^\s*\|\s*$/u;
const FRAME = /^\s+\d+: /u;
const AT = /^\s+at /u;
const TOLD = /^---- (\S.*) stdout ----$/u;
const FAILED = /^test (\S.*) \.\.\. FAILED$/u;

/** What a run says of all that it does, and of tests when others ran. */
const isNoise = (line: string, somethingRan: boolean): boolean =>
  NOISE.test(line) || EMPTY_FRAME.test(line) || (somethingRan && NOTHING_RAN.test(line));
const failedTest = (line: string): string => FAILED.exec(line)?.[1] ?? '';

/** The output of cargo: tests, and errors of the compiler. */
export const cargo: RunnerOutput = {
  name: 'cargo',
  sign: /^(?:running \d+ tests?$|(?:error|warning)(?:\[\w+\])?: .+\n +--> )/mu,
  condense(lines) {
    const told = new Set(lines.flatMap((line) => TOLD.exec(line)?.[1] ?? []));
    const somethingRan = lines.some((line) => line.startsWith('test result: ') && !NOTHING_RAN.test(line));
    const kept: string[] = [];
    let inList = false;
    for (let index = 0; index < lines.length; index += 1) {
      const line = lines[index] ?? '';
      if (isBlank(line)) continue;
      // The failures first with their output, then as a list. A test that wrote nothing is only in the list.
      if (line === 'failures:') {
        inList = true;
        continue;
      }
      inList &&= /^ {4}\S/u.test(line);
      if (inList && told.has(line.trim())) continue;
      const next = lines[index + 1] ?? '';
      if (FRAME.test(line) && AT.test(next)) {
        if (!FOREIGN_FRAME.test(next)) kept.push(`${next.trimEnd()} ${line.trim().replace(/^\d+: /u, '')}`);
        index += 1;
      } else if (isNoise(line, somethingRan)) continue;
      else if (!told.has(failedTest(line))) kept.push(line);
    }
    return kept;
  },
};
