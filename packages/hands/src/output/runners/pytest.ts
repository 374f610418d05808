import { isBlank, type RunnerOutput } from './runner-output.ts';

const HEADER =
  /^(?:platform |cachedir: |rootdir: |configfile: |testpaths: |plugins: |benchmark: |hypothesis profile |asyncio: |collect(?:ed|ing) |using |created: \d|\d+ workers \[|bringing up nodes)/u;
/** The progress of files or of tests. */
const PROGRESS = /^(?:\S+ )?[.FEsxX]+ +\[ *\d+%\]$|^(?:\S+\.py )?[.FEsxX]+$/u;
const FAILURE_IN_PROGRESS = /^(?:(\S+) )?[.sxX]*[FE]/u;
const VERBOSE = /^(?=\S+::)(.+) (PASSED|SKIPPED|XFAIL|XPASS|FAILED|ERROR)(?: \([^()]*\))? +\[ *\d+%\]$/u;
/** A verdict of a worker of xdist, and what else it says: that a test starts, and where it runs. */
const BY_WORKER = /^\[gw\d+\] \[ *\d+%\] (PASSED|SKIPPED|XFAIL|XPASS|FAILED|ERROR) (\S+::.*)$/u;
const OF_WORKERS = /^(?:scheduling tests via \w+|\[gw\d+\] \w+ -- Python .+)$/u;
const SECTION = /^(?:=+|_+) (.+?) (?:=+|_+)$/u;
const FAILING: ReadonlySet<string> = new Set(['FAILED', 'ERROR']);
const CAPTURED = /^-+ (Captured .+?) -+$/u;
const SUMMARY = /^(FAILED|ERROR) (.+)$/u;
/** A test that passed, in a summary that was asked for, and where the documentation of warnings is. */
const SAYS_NOTHING = /^(?:PASSED \S+::.+|-- Docs: https:\/\/docs\.pytest\.org\/.+)$/u;
/** A frame of a traceback in Python's own form, in installed code. Its code follows with more indent. */
const FRAME = /^ {2}File "([^"]+)", line \d+, in /u;
const INSTALLED = /\/(?:lib\/python[\d.]+|site-packages|dist-packages)\//u;
const TOLD = /^=+ (?:FAILURES|ERRORS) =+$/u;
const MARKED = /^> {3}/u;

/** The test that a line of the summary is about. Its parameters may hold what separates it from the message. */
function summaryOf(line: string): { readonly status: string; readonly test: string } | undefined {
  const [, status, rest = ''] = SUMMARY.exec(line) ?? [];
  if (status === undefined) return undefined;
  const word = /^\S+/u.exec(rest)?.[0] ?? '';
  const inParameters = word.includes('[') && word.includes('::');
  const end = inParameters ? rest.indexOf('] - ') : -1;
  const test = end !== -1 ? rest.slice(0, end + 1) : inParameters && rest.endsWith(']') ? rest : word;
  return rest === test || rest.startsWith(`${test} - `) ? { status, test } : undefined;
}

/** For each line, whether it belongs to a frame in installed code. */
function inInstalledCode(lines: readonly string[]): readonly boolean[] {
  let isInstalled = false;
  return lines.map((line) => {
    const file = FRAME.exec(line)?.[1];
    if (file !== undefined) isInstalled = INSTALLED.test(file);
    else if (!line.startsWith('    ')) isInstalled = false;
    return isInstalled;
  });
}

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

/** The part of the output that a line is in. */
type Place = 'header' | 'outside' | 'failure' | 'captured';

function placeOf(section: string, line: string): Place {
  if (line.startsWith('_')) return 'failure';
  return section === 'test session starts' ? 'header' : 'outside';
}

/** The output of pytest. */
export const pytest: RunnerOutput = {
  name: 'pytest',
  sign: /^=+ (?:test session starts|FAILURES|ERRORS|short test summary info) =+$/mu,
  condense(lines) {
    const toldInFull = lines.some((line) => TOLD.test(line));
    const summarized = new Set(lines.flatMap((line) => summaryOf(line)?.test ?? []));
    const ended = new Set(lines.flatMap((line) => BY_WORKER.exec(line)?.[2]?.trimEnd() ?? []));
    const isInstalled = inInstalledCode(lines);
    const summarizedFiles = new Set([...summarized].map((test) => test.split('::', 1)[0]));
    const isCode = codeBefore(lines);
    const kept: string[] = [];
    let place: Place = 'outside';
    for (const [index, line] of lines.entries()) {
      const section = SECTION.exec(line)?.[1];
      const captured = CAPTURED.exec(line)?.[1];
      if (section !== undefined) {
        place = placeOf(section, line);
        if (!/^(?:test session starts|short test summary info|_)/u.test(section)) kept.push(section);
      } else if (captured !== undefined) {
        place = 'captured';
        kept.push(`${captured}:`);
      } else if (isBlank(line)) {
        // It ends the header, which says where pytest runs.
        if (place === 'header') place = 'outside';
      } else if (!isLeftOut(line, index)) {
        const summary = toldInFull ? summaryOf(line) : undefined;
        kept.push(summary === undefined ? line : `${summary.status} ${summary.test}`);
      }
    }
    return kept;

    function isLeftOut(line: string, index: number): boolean {
      if (/^(?:_ )+_?$/u.test(line) || OF_WORKERS.test(line)) return true;
      if (place === 'header') return HEADER.test(line);
      if (place === 'failure') return isCode[index] === true || isInstalled[index] === true || /^E\s*$/u.test(line);
      return place === 'outside' && (SAYS_NOTHING.test(line) || isTold(line));
    }

    /** Whether a line reports progress without a failure that is reported nowhere else, such as of a run that was ended early. */
    function isTold(line: string): boolean {
      if (line.endsWith(' ') && ended.has(line.trimEnd())) return true;
      const [, verdict, named] = BY_WORKER.exec(line) ?? [];
      const [, test = named?.trimEnd() ?? '', status = verdict] = VERBOSE.exec(line) ?? [];
      if (status !== undefined) return !FAILING.has(status) || summarized.has(test);
      if (!PROGRESS.test(line)) return false;
      const failing = FAILURE_IN_PROGRESS.exec(line);
      if (failing === null) return true;
      const [, file] = failing;
      // Another run in the same output may have told its own failures.
      return summarized.size === 0 ? toldInFull : file === undefined || summarizedFiles.has(file);
    }
  },
};
