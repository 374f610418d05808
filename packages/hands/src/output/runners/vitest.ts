import { excerptLines, FOREIGN_FRAME, isBlank, type RunnerOutput } from './runner-output.ts';

/** What passed, was skipped or not begun, how fast it was and could be, and what frames the rest. */
const NOISE =
  /^ {3,}· |^\s*(?:[✓↓□] |RUN +v\d|(?:Start at|Duration|Isolate) {2}|at least ~[\d.]+m?s faster with isolate: false |⎯{4,}|- Expected$|\+ Received$)|^⎯{4,}/u;
/** A failure in the list of files, which the output repeats in full below: its file, or the name of its test. */
const LISTED = /^ +(?:❯ (\S+) \(\d+ tests?\b.*|× (.+?)(?: \d+ms)?)$/u;
/** A group of tests in that list. */
const GROUP = /^ {3,}❯ (.+) \(\d+\)$/u;
const REASON = /^ +→ /u;
const TOLD = /^ ?FAIL {2}(?:\|[^|]*\| )?(.+)$/u;
const EXCERPT = /^\s*(?:\d+)?\|/u;
const CARET = /^\s*\|\s*\^/u;

/** What the list may call a failure that is reported in full: by its file, the name of its test with or without its groups, and all of it. */
function* namesOf(line: string): Iterable<string> {
  const body = TOLD.exec(line)?.[1];
  if (body === undefined) return;
  yield body;
  const [file = ''] = body.split(/ [>[] /u, 1);
  yield file;
  yield body.slice(file.length + ' > '.length);
  yield body.slice(body.lastIndexOf(' > ') + ' > '.length);
}

/** The groups of the failures that are reported in full. */
function groupsOf(line: string): string[] {
  return TOLD.exec(line)?.[1]?.split(' > ').slice(1, -1) ?? [];
}

const isForeignFrame = (line: string): boolean => line.startsWith(' ❯ ') && FOREIGN_FRAME.test(line);

/** Whether a line says nothing, or names a group of failures that are reported in full. */
function saysNothing(line: string, groups: ReadonlySet<string>): boolean {
  const [, group] = GROUP.exec(line) ?? [];
  return isBlank(line) || NOISE.test(line) || (group !== undefined && groups.has(group));
}

const isBesideCaret = (line: string, next = ''): boolean => CARET.test(line) || !CARET.test(next);

/** The output of vitest's reporters `default`, `verbose` and `tree`. */
export const vitest: RunnerOutput = {
  name: 'vitest',
  sign: /^ RUN +v\d+\.\d+/mu,
  condense(lines) {
    const told = new Set(lines.flatMap((line) => [...namesOf(line)]));
    const groups = new Set(lines.flatMap(groupsOf));
    const lastAt = new Map(lines.map((line, index) => [line, index]));
    const excerpts = excerptLines(lines, EXCERPT, CARET);
    const kept: string[] = [];
    /** Whether the listed failure above is reported in full, and whether the line belongs to its reason, which may have several lines. */
    let isTold = false;
    let inReason = false;
    for (const [index, line] of lines.entries()) {
      const [isListed, file, test] = LISTED.exec(line) ?? [];
      if (isListed !== undefined) {
        isTold = told.has(file ?? test ?? '');
        inReason = false;
        if (!isTold) kept.push(line.trimEnd());
        continue;
      }
      if (saysNothing(line, groups)) {
        inReason = false;
        continue;
      }
      inReason = REASON.test(line) ? isTold : inReason && (lastAt.get(line) ?? 0) > index;
      if (inReason) continue;
      if (!(excerpts.has(index) && isBesideCaret(line, lines[index + 1])) && !isForeignFrame(line)) kept.push(line.trimEnd());
    }
    return kept;
  },
};
