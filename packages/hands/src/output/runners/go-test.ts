import { count } from '../../text/amounts.ts';
import { FOREIGN_FRAME, isBlank, type RunnerOutput } from './runner-output.ts';

const MARKER = /^\s*=== (?:RUN|PAUSE|CONT|NAME) /u;
const PASSED = /^\s*--- (?:PASS|SKIP): /u;
const OK_PACKAGE = /^ok {2}\t/u;
const PLACE = /^\t(\S+\.go:\d+)(?: \+0x[\da-f]+)?$/u;

/** Drops what tests that passed have written. Where tests run in parallel, lines cannot be told apart, and all stay. */
function withoutPassed(lines: readonly string[]): readonly string[] {
  if (lines.some((line) => /^\s*=== (?:PAUSE|CONT) /u.test(line))) return lines;
  const kept: string[] = [];
  let block: string[] | undefined;
  for (const line of lines) {
    const started = /^=== RUN {3}([^/\s]+)$/u.test(line);
    if (started) {
      kept.push(...(block ?? []));
      block = [];
    } else if (block !== undefined && /^--- (?:PASS|SKIP): /u.test(line)) block = undefined;
    else if (block !== undefined && /^(?:--- FAIL: |FAIL|PASS|panic: )/u.test(line)) {
      kept.push(...block, line);
      block = undefined;
    } else (block ?? kept).push(line);
  }
  return [...kept, ...(block ?? [])];
}

/** The output of `go test`, also with `-v`. */
export const goTest: RunnerOutput = {
  name: 'go test',
  sign: /^(?:ok {2}|FAIL|\? {3})\t\S+/mu,
  condense(lines) {
    const kept: string[] = [];
    let packages = 0;
    const told = withoutPassed(lines);
    for (let index = 0; index < told.length; index += 1) {
      const line = told[index] ?? '';
      const place = PLACE.exec(told[index + 1] ?? '')?.[1];
      if (OK_PACKAGE.test(line)) packages += 1;
      else if (place !== undefined) {
        // A frame is two lines: the function, and its place.
        if (!FOREIGN_FRAME.test(told[index + 1] ?? '')) kept.push(`${place} ${line}`);
        index += 1;
      } else if (
        !isBlank(line) &&
        !MARKER.test(line) &&
        !PASSED.test(line) &&
        !/^(?:PASS|FAIL)$|^\? {3}\t|^goroutine \d+ \[running\]:$|\[recovered\]$/u.test(line)
      )
        kept.push(line);
    }
    return packages === 0 ? kept : [...kept, `ok: ${count(packages, 'package')}`];
  },
};
