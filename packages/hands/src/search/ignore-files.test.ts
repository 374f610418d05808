import { expect, it } from 'vitest';
import { writeRules } from './ignore-files.ts';

it('writes the rules of a folder after those of the folders above it, whatever its name', () => {
  const texts = new Map([
    ['(app)/.gitignore', '*.ts\n'],
    ['(app)/#b/.gitignore', '!c.ts\n'],
    ['.gitignore', '!*.ts\n'],
  ]);
  expect(writeRules('/', '', texts, true).lines).toEqual(['!/**/*.ts', '/(app)/**/*.ts', '!/(app)/#b/**/c.ts']);
});
