import { expect, it } from 'vitest';
import { ripgrepError } from './run-ripgrep.ts';

it.each<[string, RegExp]>([
  ['rg: regex parse error:\n    (?:(a)\n    ^\nerror: unclosed group\n', /^The pattern is not a valid regular expression: unclosed group\.$/u],
  ['rg: compiled regex exceeds size limit of 10485760\n', /too large/u],
  ['rg: the literal "\\n" is not allowed in a regex\n\nConsider enabling multiline mode with the --multiline flag', /spans lines/u],
  ['rg: regex parse error:\n x\nerror: look-around, including look-ahead, is not supported\n\nConsider enabling PCRE2', /look-around/u],
])('explains %j', (stderr, message) => {
  const error = ripgrepError(stderr);
  expect(error).toMatchObject({ code: 'invalid_arguments', message: expect.stringMatching(message), hint: expect.any(String) });
  expect(`${error?.message} ${error?.hint}`).not.toMatch(/--|PCRE|\(\?/u);
});

it('says nothing of other troubles', () => {
  expect(ripgrepError('rg: ./x: Permission denied (os error 13)')).toBeUndefined();
});
