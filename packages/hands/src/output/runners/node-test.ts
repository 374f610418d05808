import { FOREIGN_FRAME, isBlank, type RunnerOutput } from './runner-output.ts';

/** A test that passed or was skipped, the beginning of a group, and how long it took. */
const NOISE = /^\s*(?:[✔﹣] .+ \([\d.]+ms\)(?: # .*)?|▶ .+)$/u;
const FAILED = /^(\s*)✖ (.+) \([\d.]+ms\)$/u;
const GROUP = /^(\s*)▶ (.+)$/u;
const TOTAL = /^[ℹ#] (?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/u;
/** A total that says something. */
const SHOWN_TOTAL = /^. (?:(?:tests|pass|fail) \d+|(?:cancelled|skipped|todo) [1-9]\d*)$/u;
const FRAME = /^\s*(?:at (?:async )?|async )?(?:\S.* \()?(?:file:|node:|\/|index \d|<anonymous>)[^()]*\)?(?: \{)?$/u;
const FOREIGN = /Promise\.all \(index|new Promise \(<anonymous>\)/u;
/** What an error of `node:assert` repeats of its message. */
const REPEATED = /^\s+(?:generatedMessage: true|code: 'ERR_ASSERTION'|actual: .+|expected: .+|operator: '\w+'|diff: '\w+'),?$/u;

const isForeign = (line: string): boolean => FRAME.test(line) && (FOREIGN_FRAME.test(line) || FOREIGN.test(line));
const saysNothing = (line: string): boolean => isBlank(line) || NOISE.test(line) || isForeign(line);

function keep(line: string, kept: string[], totals: string[]): void {
  if (!TOTAL.test(line)) kept.push(line);
  else if (SHOWN_TOTAL.test(line)) totals.push(line);
}

/** The totals, in one line. */
function withTotals(lines: readonly string[], totals: readonly string[]): readonly string[] {
  return totals.length === 0 ? lines : [...lines, totals.map((line) => line.slice(2)).join(', ')];
}

/** Output of Node's test runner for people (`spec`). */
export const nodeSpec: RunnerOutput = {
  name: 'node --test',
  sign: /^ℹ tests \d+$/mu,
  condense(lines) {
    const toldFrom = lines.indexOf('✖ failing tests:');
    const told = new Set(toldFrom === -1 ? [] : lines.slice(toldFrom).flatMap((line) => FAILED.exec(line)?.[2] ?? []));
    const groups = new Set(lines.flatMap((line) => GROUP.exec(line)?.slice(1).join('') ?? []));
    const kept: string[] = [];
    const totals: string[] = [];
    let isRepeating = false;
    for (const [index, line] of lines.entries()) {
      const wasRepeating = isRepeating;
      isRepeating = REPEATED.test(line);
      if (isRepeating || (wasRepeating && /^\s*\}$/u.test(line)) || saysNothing(line)) continue;
      const [, indent = '', name = ''] = FAILED.exec(line) ?? [];
      // A group has failed because of what is in it, and a test is reported below.
      if (index < toldFrom && name !== '' && (told.has(name) || groups.has(`${indent}${name}`))) continue;
      keep(line, kept, totals);
    }
    return withTotals(kept, totals);
  },
};

/** Lines of the fields of a result, at most: the search for their end must not read all that follows, for each result. */
const MAX_FIELDS = 1_000;
const RESULT = /^(\s*)(not )?ok \d+ - /u;
/** Fields of a result that passed. Others may be what a program has printed. */
const PLAIN_FIELD = /^\s+(?:duration_ms: [\d.]+|type: '\w+')$/u;
const REPEATED_FIELD =
  /^\s+(?:duration_ms: [\d.]+|type: '\w+'|failureType: 'testCodeFailure'|code: '(?:ERR_ASSERTION|ERR_TEST_FAILURE)'|operator: '\w+'|stack: \|-)$/u;

/** The output of Node's test runner for programs (TAP), which it writes to a pipe before Node 23. */
export const nodeTap: RunnerOutput = {
  name: 'node --test',
  sign: /^# duration_ms [\d.]+$/mu,
  condense(lines) {
    const kept: string[] = [];
    const totals: string[] = [];
    for (let index = 0; index < lines.length; index += 1) {
      const line = lines[index] ?? '';
      const [isResult, indent = '', failed] = RESULT.exec(line) ?? [];
      if (isResult !== undefined && lines[index + 1] === `${indent}  ---`) {
        const following = lines.slice(index + 2, index + 2 + MAX_FIELDS);
        const length = following.indexOf(`${indent}  ...`);
        const fields = following.slice(0, Math.max(0, length));
        const isGroup = fields.some((field) => field.trim() === "failureType: 'subtestsFailed'");
        if (length !== -1 && (failed !== undefined || fields.every((field) => PLAIN_FIELD.test(field)))) {
          if (failed !== undefined && !isGroup)
            kept.push(line, ...fields.filter((field) => !isBlank(field) && !REPEATED_FIELD.test(field) && !isForeign(field)));
          index += 2 + length;
          continue;
        }
      }
      if (isBlank(line) || /^\s*(?:# Subtest: .*|\d+\.\.\d+)$|^TAP version 13$/u.test(line)) continue;
      keep(line, kept, totals);
    }
    return withTotals(kept, totals);
  },
};
