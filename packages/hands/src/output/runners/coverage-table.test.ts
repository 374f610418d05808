import { expect, it } from 'vitest';
import { condenseOutput } from './condense-output.ts';

it('leaves out files that passed in color, and those of which everything is covered', () => {
  const rows = Array.from({ length: 30 }, (_, index) => `  file${index}.ts |     100 |      100 |     100 |     100 |                   \n`).join('');
  const head = 'File      | % Stmts | % Branch | % Funcs | % Lines | Uncovered Line #s \n';
  const some = '  part.ts |   98.18 |      100 |     100 |   98.18 | 12                \n';
  const text = `${' PASS  src/a.test.js\n'.repeat(20)} FAIL  src/b.test.js\n${head}All files |     100 |      100 |     100 |     100 |                   \n${rows}${some}Test Suites: 1 failed, 20 passed, 21 total\n`;
  const condensed = condenseOutput(text, '/root');
  expect(condensed?.runners).toEqual(['jest', 'coverage']);
  expect(condensed?.text).toBe(
    ` FAIL  src/b.test.js\n${head}All files |     100 |      100 |     100 |     100 |                   \n${some}Test Suites: 1 failed, 20 passed, 21 total\n`,
  );
});
