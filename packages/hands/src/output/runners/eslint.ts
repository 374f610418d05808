import { isBlank, type RunnerOutput } from './runner-output.ts';

const PROBLEM = /^ {2}(\d+:\d+) +(error|warning) +(.+?) {2,}(\S+)$/u;

/** The output of eslint's reporter `stylish`: the errors, without columns of spaces. Warnings stay if there is no error. */
export const eslint: RunnerOutput = {
  name: 'eslint',
  sign: /^✖ \d+ problems? \(\d+ errors?, \d+ warnings?\)/mu,
  condense(lines) {
    const hasErrors = lines.some((line) => PROBLEM.exec(line)?.[2] === 'error');
    const kept: string[] = [];
    for (const [index, line] of lines.entries()) {
      const [, place, severity, message, rule] = PROBLEM.exec(line) ?? [];
      if (place === undefined) {
        const isFile = PROBLEM.test(lines[index + 1] ?? '');
        const last = kept.at(-1);
        // A file with nothing but warnings.
        if (isFile && last !== undefined && last.startsWith('/') && !last.startsWith(' ')) kept.pop();
        if (!isBlank(line)) kept.push(line);
      } else if (severity === 'error' || !hasErrors) kept.push(`  ${place} ${hasErrors ? '' : 'warning: '}${message} (${rule})`);
    }
    return hasErrors && lines.some((line) => PROBLEM.exec(line)?.[2] === 'warning') ? [...kept, 'Warnings are left out.'] : kept;
  },
};
