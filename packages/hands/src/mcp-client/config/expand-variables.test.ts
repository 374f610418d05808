import { describe, expect, it } from 'vitest';
import { expandVariables, type Variables } from './expand-variables.ts';

const variables: Variables = { environment: { TOKEN: 'secret', EMPTY: '', NESTED: '${TOKEN}' }, workspace: '/ws', home: '/home/ada' };

describe('expandVariables', () => {
  it.each([
    ['plain text, $HOME and $ {TOKEN}', 'plain text, $HOME and $ {TOKEN}', []],
    ['${TOKEN}', 'secret', ['TOKEN']],
    ['Bearer ${TOKEN}!', 'Bearer secret!', ['TOKEN']],
    ['${TOKEN:-none}', 'secret', ['TOKEN']],
    ['${MISSING:-none}', 'none', []],
    ['${MISSING:-}', '', []],
    ['${MISSING:-http://a:1/x}', 'http://a:1/x', []],
    ['${EMPTY}', '', ['EMPTY']],
    ['${EMPTY:-none}', 'none', []],
    ['${env:TOKEN}', 'secret', ['TOKEN']],
    ['${workspaceFolder}/x', '/ws/x', []],
    ['${userHome}', '/home/ada', []],
    ['${NESTED}', '${TOKEN}', ['NESTED']],
    ['${TOKEN}${TOKEN}', 'secretsecret', ['TOKEN', 'TOKEN']],
  ])('%s → %s', (text, expected, used) => {
    expect(expandVariables(text, variables)).toEqual({ text: expected, used });
  });

  it.each([
    ['${MISSING}', 'MISSING is not set'],
    ['${env:MISSING}', 'MISSING is not set'],
    ['${input:key}', 'not supported'],
    ['${__proto__}', '__proto__ is not set'],
    ['${constructor}', 'constructor is not set'],
    ['${a b}', 'no variable'],
    ['${}', 'no variable'],
    ['${TOKEN:?oops}', 'no variable'],
    ['${command:pick}', 'no variable'],
  ])('%s: %s', (text, problem) => {
    expect(expandVariables(text, variables)).toEqual({ problem: expect.stringContaining(problem) });
  });
});
