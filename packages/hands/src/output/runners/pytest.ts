import { isBlank, type RunnerOutput } from './runner-output.ts';

const HEADER =
  /^(?:platform |cachedir: |rootdir: |configfile: |testpaths: |plugins: |benchmark: |hypothesis profile |asyncio: |collect(?:ed|ing) |using )/u;
/** The progress of files or of tests. */
const PROGRESS = /^(?:\S+ )?[.FEsxX]+ +\[ *\d+%\]$|^[.FEsxX]+$/u;
const FAILURE_IN_PROGRESS = /^(?:(\S+) )?[.sxX]*[FE]/u;
const VERBOSE = /^(?=\S+::)(.+) (PASSED|SKIPPED|XFAIL|XPASS|FAILED|ERROR)(?: \([^()]*\))? +\[ *\d+%\]$/u;
const SECTION = /^(?:=+|_+) (.+?) (?:=+|_+)$/u;
const CAPTURED = /^-+ (Captured .+?) -+$/u;
const SUMMARY = /^(FAILED|ERROR) (\S+)(?: - .*)?$/u;
const TOLD = /^=+ (?:FAILURES|ERRORS) =+$/u;
const MARKED = /^> {3}/u;

/** For each line, whether it is code before the one that failed. The text of a doctest, and a traceback of Python, mark none. */
function codeBefore(lines: readonly string[]): readonly boolean[] {
  const before = lines.map(() => false);
  for (let index = lines.length - 1; index > 0; index -= 1) {
    const line = lines[index] ?? '';
    const isCode = isBlank(line) || line.startsWith('    ');
    if (MARKED.test(line) || (isCode && before[index] === true)) before[index - 1] = true;
  }
  return before.map((leads, index) => leads && (lines[index] ?? '').startsWith('    '));
}

/** The output of pytest. */
export const pytest: RunnerOutput = {
  name: 'pytest',
  sign: /^=+ (?:test session starts|FAILURES|ERRORS|short test summary info) =+$/mu,
  condense(lines) {
    const toldInFull = lines.some((line) => TOLD.test(line));
    const summarized = new Set(lines.flatMap((line) => SUMMARY.exec(line)?.[2] ?? []));
    const summarizedFiles = new Set([...summarized].map((test) => test.split('::', 1)[0]));
    const isCode = codeBefore(lines);
    const kept: string[] = [];
    let place: 'header' | 'outside' | 'failure' | 'captured' = 'outside';
    for (const [index, line] of lines.entries()) {
      const section = SECTION.exec(line)?.[1];
      const captured = CAPTURED.exec(line)?.[1];
      if (section !== undefined) {
        place = line.startsWith('_') ? 'failure' : section === 'test session starts' ? 'header' : 'outside';
        if (!/^(?:test session starts|short test summary info|_)/u.test(section)) kept.push(section);
      } else if (captured !== undefined) {
        place = 'captured';
        kept.push(`${captured}:`);
      } else if (isBlank(line)) {
        // It ends the header, which says where pytest runs.
        if (place === 'header') place = 'outside';
      } else if ((place === 'header' && HEADER.test(line)) || /^(?:_ )+_?$/u.test(line) || (place === 'failure' && isCode[index] === true)) continue;
      else if (place === 'outside' && isTold(line)) continue;
      else kept.push(toldInFull ? line.replace(SUMMARY, '$1 $2') : line);
    }
    return kept;

    /** Whether a line reports progress without a failure that is reported nowhere else, such as of a run that was ended early. */
    function isTold(line: string): boolean {
      const [, test = '', status] = VERBOSE.exec(line) ?? [];
      if (status !== undefined) return (status !== 'FAILED' && status !== 'ERROR') || summarized.has(test);
      if (!PROGRESS.test(line)) return false;
      const failing = FAILURE_IN_PROGRESS.exec(line);
      if (failing === null) return true;
      const [, file] = failing;
      // Another run in the same output may have told its own failures.
      return summarized.size === 0 ? toldInFull : file === undefined || summarizedFiles.has(file);
    }
  },
};
