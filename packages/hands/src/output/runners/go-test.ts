import { count } from '../../text/amounts.ts';
import { FOREIGN_FRAME, isBlank, type RunnerOutput } from './runner-output.ts';

const MARKER = /^\s*=== (?:RUN|PAUSE|CONT|NAME) /u;
const PASSED = /^\s*--- (?:PASS|SKIP): /u;
/** Not those that say more, such as their coverage, or that no test ran. */
const OK_PACKAGE = /^ok {2}\t\S+\t(?:[\d.]+s|\(cached\))$/u;
const PLACE = /^\t(\S+\.go:\d+)(?: \+0x[\da-f]+)?$/u;
const FUNCTION = /^(?:created by .+|(?=\S+\()\S.*\))$/u;

const SWITCH = /^\s*=== (?:RUN|CONT|NAME) +(\S+)$/u;
/** What a test has logged, and the further lines of that: Go says before it which test it is, where several run at once. */
const LOGGED = /^ {4}(?: {4}|\S+\.go:\d+: )/u;

/** Drops what tests that passed have logged, and names the others above their logs. What they print themselves has no name, and stays. */
function toldApart(lines: readonly string[]): readonly string[] {
  const ended = (pattern: RegExp) => new Set(lines.flatMap((line) => pattern.exec(line)?.[1] ?? []));
  const [passed, failed] = [ended(/^\s*--- (?:PASS|SKIP): (\S+)/u), ended(/^\s*--- FAIL: (\S+)/u)];
  const kept: string[] = [];
  let [current, named] = ['', ''];
  for (const line of lines) {
    const name = SWITCH.exec(line)?.[1];
    if (name !== undefined) current = name;
    else if (/^\s*--- /u.test(line)) {
      // What is below is in the order of the tests.
      [current, named] = ['', ''];
      kept.push(line);
    } else if (current === '' || !LOGGED.test(line)) kept.push(line);
    else if (!passed.has(current) || failed.has(current)) {
      if (named !== current) kept.push(`${current}:`);
      named = current;
      kept.push(line);
    }
  }
  return kept;
}

/** Drops what tests that passed have written. */
function withoutPassed(lines: readonly string[]): readonly string[] {
  if (lines.some((line) => /^\s*=== (?:PAUSE|CONT) /u.test(line))) return toldApart(lines);
  const failed = new Set(lines.flatMap((line) => /^\s*--- FAIL: (\S+)/u.exec(line)?.[1] ?? []));
  const kept: string[] = [];
  let name = '';
  let block: string[] | undefined;
  for (const line of lines) {
    const started = /^=== RUN {3}([^/\s]+)$/u.exec(line)?.[1];
    if (started !== undefined) {
      kept.push(...(block ?? []));
      [name, block] = [started, []];
    } else if (block !== undefined && /^--- (?:PASS|SKIP): (\S+)/u.exec(line)?.[1] === name && !failed.has(name)) block = undefined;
    else if (block !== undefined && /^(?:--- FAIL: |FAIL|PASS|panic: )/u.test(line)) {
      kept.push(...block, line);
      block = undefined;
    } else (block ?? kept).push(line);
  }
  return [...kept, ...(block ?? [])];
}

/** Whether a line says nothing, or what the next one says too. */
const isNoise = (line: string, next = ''): boolean =>
  isBlank(line) ||
  MARKER.test(line) ||
  PASSED.test(line) ||
  /^PASS$|^\? {3}\t|^goroutine \d+ \[running\]:$/u.test(line) ||
  (/^panic: .*\[recovered\]$/u.test(line) && /^\s+panic: /u.test(next)) ||
  (line === 'FAIL' && /^(?:FAIL\t|exit status )/u.test(next));

/** The output of `go test`, also with `-v`. */
export const goTest: RunnerOutput = {
  name: 'go test',
  sign: /^(?:ok {2}|FAIL|\? {3})\t\S+/mu,
  condense(lines) {
    const kept: string[] = [];
    let packages = 0;
    const told = withoutPassed(lines);
    for (let index = 0; index < told.length; index += 1) {
      const [line = '', next] = told.slice(index, index + 2);
      const place = PLACE.exec(next ?? '')?.[1];
      if (OK_PACKAGE.test(line)) packages += 1;
      else if (place !== undefined && FUNCTION.test(line)) {
        // A frame is two lines: the function, and its place.
        if (!FOREIGN_FRAME.test(next ?? '')) kept.push(`${place} ${line}`);
        index += 1;
      } else if (!isNoise(line, next)) kept.push(line);
    }
    return packages === 0 ? kept : [...kept, `ok: ${count(packages, 'package')}`];
  },
};
