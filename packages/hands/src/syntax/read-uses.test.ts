import { expect, it } from 'vitest';
import { grammarFor } from './grammar.ts';
import { parseSyntax } from './syntax-file.ts';

/** The uses of a name, as `line:column kind`. */
async function usesOf(path: string, name: string, text: string): Promise<string[]> {
  using syntax = await parseSyntax(text, grammarFor(path) ?? expect.fail());
  return (syntax?.usesOf(name) ?? []).map(({ line, column, as, inMacro = '' }) => `${line}:${column} ${as} ${inMacro}`.trim());
}

const DIRECTIVES = `#include <error.h>
#ifdef A
    #error the error of this
#else
    #warning error
#  error again
#endif
static int error;
int get(void) { return error; }
#define FAIL error
#pragma omp threadprivate(error)
#define NAME(error) \\
  #error
`;

it.each(['a.c', 'a.cpp'])('takes no directive of the preprocessor for a name, and its message for a text: %s', async (path) => {
  expect(await usesOf(path, 'error', DIRECTIVES)).toEqual([
    '1:10 string',
    '3:15 string',
    '5:13 string',
    '8:11 code',
    '9:23 code',
    '10:13 code text',
    '11:26 code text',
    '12:13 code parameter',
    '13:3 code parameter',
  ]);
});

it.each(['define', 'include', 'line', 'if', 'pragma'])('takes no directive for the name %s', async (name) => {
  expect(await usesOf('a.c', name, `#${name} 1\n# ${name} 1\n`)).not.toContainEqual(expect.stringMatching(/:[12] /u));
});
