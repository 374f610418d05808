import { expect, it } from 'vitest';
import { condenseOutput } from './condense-output.ts';

const ROOT = '/home/ada/project';

it('leaves warnings of eslint out only where the same run has errors', () => {
  const run = (name: string, severity: string): string[] => [
    `${ROOT}/${name}/a.js`,
    `  1:1  ${severity}  Message of ${name}${' '.repeat(40)}rule`,
    '',
    `✖ 1 problem (${severity === 'error' ? '1 error, 0 warnings' : '0 errors, 1 warning'})`,
    '',
  ];
  const text = condenseOutput([...run('one', 'error'), ...run('two', 'warning')].join('\n'), ROOT)?.text;
  expect(text).toContain('1:1 Message of one (rule)');
  expect(text).toContain('1:1 warning: Message of two (rule)');
});
