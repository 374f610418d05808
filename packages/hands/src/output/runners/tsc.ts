import { isBlank, type RunnerOutput } from './runner-output.ts';

const PLAIN = /^(\S.*\(\d+,\d+\)): (error TS\d+: .*)$/u;
const PRETTY = /^(\S.*:\d+:\d+) - (error TS\d+: .*)$/u;
/** Maximum number of places named for one message. */
const MAX_PLACES = 40;

interface Problem {
  readonly places: string[];
  readonly text: string;
}

/** Places, with the name of a file once: `a.ts(3,9)(7,2) b.ts(1,1)`. */
function namedOnce(places: readonly string[]): string {
  const files = Map.groupBy(places, (place) => place.slice(0, place.lastIndexOf('(')));
  return Array.from(files, ([file, all]) => `${file}${all.map((place) => place.slice(file.length)).join('')}`).join(' ');
}

/** Whether a line is of a code frame, or of the table of files. */
const isBeside = (line: string, isInTable: boolean): boolean =>
  isBlank(line) || (isInTable && /^Errors {2}Files$|^ +\d+ {2}\S+:\d+$/u.test(line)) || /^\s*~+\s*$/u.test(line);

/** The output of the TypeScript compiler: each message once, with its places. */
export const tsc: RunnerOutput = {
  name: 'tsc',
  sign: /^\S.*(?:\(\d+,\d+\): |:\d+:\d+ - )error TS\d+: /mu,
  condense(lines) {
    const problems = new Map<string, Problem>();
    const kept: Array<string | Problem> = [];
    const table = lines.findIndex((line) => /^Errors {2}Files$/u.test(line));
    for (let index = 0; index < lines.length; index += 1) {
      const line = lines[index] ?? '';
      const isPretty = PRETTY.test(line);
      const [, place, message] = PLAIN.exec(line) ?? PRETTY.exec(line) ?? [];
      if (place === undefined || message === undefined) {
        if (!isBeside(line, table !== -1 && index >= table)) kept.push(line);
        continue;
      }
      const more: string[] = [];
      if (!isPretty) while (/^ {2,}\S/u.test(lines[index + 1] ?? '')) more.push(lines[(index += 1)] ?? '');
      const text = [message, ...more].join('\n');
      const known = isPretty ? undefined : problems.get(text);
      if (known !== undefined) {
        known.places.push(place);
        continue;
      }
      const problem: Problem = { places: [place], text };
      problems.set(text, problem);
      kept.push(problem);
    }
    return kept.flatMap((one) => {
      if (typeof one === 'string') return [one];
      const { places, text } = one;
      if (places.length === 1) return `${places[0] ?? ''}: ${text}`.split('\n');
      const shown = namedOnce(places.slice(0, MAX_PLACES));
      return [
        ...text.split('\n'),
        `  ${places.length} times: ${shown}${places.length > MAX_PLACES ? ` and ${places.length - MAX_PLACES} more` : ''}`,
      ];
    });
  },
};
