import { looksLikeError } from '../error-lines.ts';
import { isBlank, type RunnerOutput } from './runner-output.ts';

const PROBLEM = /^ {2,}(\d+:\d+) +(error|warning) +(\S.*)$/u;

/** A message and its rule, which two spaces or more separate. */
function shown(text: string): string {
  const at = text.lastIndexOf('  ');
  const rule = text.slice(at + 2);
  return at === -1 || rule === '' || rule.includes(' ') ? text : `${text.slice(0, at).trimEnd()} (${rule})`;
}

const TOTAL = /^✖ \d+ problems? \(\d+ errors?, \d+ warnings?\)/u;

/** The lines of each run: a command may run it in several workspaces. */
function* runsOf(lines: readonly string[]): Iterable<readonly string[]> {
  let from = 0;
  for (const [index, line] of lines.entries()) {
    if (!TOTAL.test(line)) continue;
    yield lines.slice(from, index + 1);
    from = index + 1;
  }
  yield lines.slice(from);
}

/** Whether a line names the file of the problem on the next one. What is no path of a file may be a message of something else. */
const namesFile = (line: string, next = ''): boolean => line.startsWith('/') && !looksLikeError(line) && PROBLEM.test(next);

/** One run: its errors, without columns of spaces. Warnings stay if there is no error. */
function condenseRun(lines: readonly string[]): readonly string[] {
  const severities = new Set(lines.map((line) => PROBLEM.exec(line)?.[2]));
  const hasErrors = severities.has('error');
  const kept: string[] = [];
  /** The file of the next problems: named with the first one that is kept. */
  let file: string | undefined;
  for (const [index, line] of lines.entries()) {
    const [, place, severity, message = ''] = PROBLEM.exec(line) ?? [];
    if (place === undefined) {
      const isFile = namesFile(line, lines[index + 1]);
      file = isFile ? line : undefined;
      if (!isFile && !isBlank(line)) kept.push(line);
    } else if (severity === 'error' || !hasErrors) {
      if (file !== undefined) kept.push(file);
      file = undefined;
      kept.push(`  ${place} ${hasErrors ? '' : 'warning: '}${shown(message)}`);
    }
  }
  return hasErrors && severities.has('warning') ? [...kept, 'Warnings are left out.'] : kept;
}

/** The output of eslint's reporter `stylish`. */
export const eslint: RunnerOutput = {
  name: 'eslint',
  sign: new RegExp(TOTAL.source, 'mu'),
  condense: (lines) => [...runsOf(lines)].flatMap(condenseRun),
};
