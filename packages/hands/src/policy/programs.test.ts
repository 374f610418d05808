import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findProgram, knownNames, programsLike } from './program-table.ts';

const camel = (name: string): string => name.replaceAll(/-(.)/gu, (_, letter: string) => letter.toUpperCase());

describe('what is known of programs', () => {
  it('is listed by file', async () => {
    const files = readdirSync(new URL('programs/', import.meta.url))
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => name.slice(0, -'.ts'.length))
      .toSorted();
    const text = [
      '// Made from the files of programs/ by programs.test.ts: `npx vitest run packages/hands/src/policy/programs.test.ts -u`.',
      "import type { Program } from './program.ts';",
      ...files.map((file) => `import { programs as ${camel(file)} } from './programs/${file}.ts';`),
      '',
      '/** What is known of programs, by file. */',
      'export const PROGRAM_FILES: ReadonlyArray<readonly Program[]> = [',
      ...files.map((file) => `  ${camel(file)},`),
      '];',
      '',
    ].join('\n');
    await expect(text).toMatchFileSnapshot('programs.ts');
  });

  it('has one row per name', () => {
    const names = knownNames();
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    for (const name of names) expect(findProgram(name)?.names.split(' ')).toContain(name);
  });

  it('is found under other spellings of a name, where that must not matter', () => {
    for (const word of ['/opt/Python3.11', 'PYTHON.exe', './python']) expect(programsLike(word).map(({ runs }) => runs)).toContain('code');
    expect(findProgram('./python')).toBeUndefined();
  });

  it('says harmless options of every program whose words may be files', () => {
    const without = knownNames().filter((name) => {
      const { words, flags } = findProgram(name) ?? {};
      return words !== undefined && words.operands !== 'data' && flags === undefined;
    });
    // The words of these two are an expression.
    expect(without).toEqual(['test', '[']);
  });
});
