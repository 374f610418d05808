import { isBlank, type RunnerOutput } from './runner-output.ts';

const PROBLEM = /^([A-Z]+\d+|invalid-syntax:?) (?:\[[*-]\] )?(.+)$/u;
const PLACE = /^ +--> (\S+:\d+:\d+)$/u;
/** A line of the excerpt below a place, of the help, or of the change that the help proposes. */
const FRAME = /^ *(?:\d+ )?(?:[|+]|- )|^ *-$|^help: /u;

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
      } else if (!isBlank(line) && !(inFrame && (FRAME.test(line) || PLACE.test(line)))) {
        inFrame = false;
        kept.push(line);
      }
    }
    return kept;
  },
};
