import { describe, expect, it } from 'vitest';
import { assignments, commandLine, quoteWord } from './shell-words.ts';

describe('words of a shell', () => {
  it.each([
    [['ls', '-la'], 'ls -la'],
    [['echo', "it's", ''], String.raw`echo 'it'\''s' ''`],
    [['A=b', 'c'], "'A=b' c"],
    [['echo', '$(id)', '`id`', 'a;b'], "echo '$(id)' '`id`' 'a;b'"],
  ])('%j is %s', (words, line) => {
    expect(commandLine(words)).toBe(line);
  });

  it('knows what a variable is', () => {
    expect(assignments({ A: 'b c', _D: '' })).toBe("A='b c' _D='' ");
    expect(assignments({ 'A B': '' })).toBeUndefined();
    expect(quoteWord('')).toBe("''");
  });
});
