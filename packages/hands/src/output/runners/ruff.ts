import type { RunnerOutput } from './runner-output.ts';

const PROBLEM = /^([A-Z]+\d+|invalid-syntax:?) (?:\[[*-]\] )?(.+)$/u;
const PLACE = /^ +--> (\S+:\d+:\d+)$/u;

/** The output of `ruff check` in its full form: a line for each problem. */
export const ruff: RunnerOutput = {
  name: 'ruff',
  sign: /^[A-Z]+\d+ .+\n +--> \S+:\d+:\d+$/mu,
  condense(lines) {
    const kept: string[] = [];
    let inFrame = false;
    for (const [index, line] of lines.entries()) {
      const place = PLACE.exec(lines[index + 1] ?? '')?.[1];
      const [, code, message] = PROBLEM.exec(line) ?? [];
      if (place !== undefined && code !== undefined) {
        kept.push(`${place} ${code} ${message}`);
        inFrame = true;
      } else if (/^(?:Found \d+ errors?|\[\*\] |No fixes|All checks)/u.test(line)) {
        inFrame = false;
        kept.push(line);
      } else if (!inFrame && line !== '') kept.push(line);
    }
    return kept;
  },
};
