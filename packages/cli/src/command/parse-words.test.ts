import { describe, expect, it } from 'vitest';
import { count, flag, list, parsed, text } from './option.ts';
import { parseWords } from './parse-words.ts';

const declared = {
  arguments: { '<tool>': 'a tool', '[input]': 'its input' },
  options: {
    workspace: text('<dir>', 'a folder', { short: 'w' }),
    dryRun: flag('only try'),
    quiet: flag('say less', { short: 'q' }),
    limit: parsed('<number>', 'how many', count(20), { short: 'n' }),
    allow: list('<list>', 'what to allow'),
  },
} as const;

const NOTHING = { workspace: undefined, dryRun: false, quiet: false, limit: undefined, allow: [] };

describe('what is parsed', () => {
  it.each([
    [['t'], { tool: 't' }, {}],
    [['t', '{}'], { tool: 't', input: '{}' }, {}],
    [['t', '-'], { tool: 't', input: '-' }, {}],
    [['--dry-run', 't', '-w', 'a b'], { tool: 't' }, { dryRun: true, workspace: 'a b' }],
    [['t', '--workspace=a=b'], { tool: 't' }, { workspace: 'a=b' }],
    [['t', '--workspace='], { tool: 't' }, { workspace: '' }],
    [['t', '--workspace=--x'], { tool: 't' }, { workspace: '--x' }],
    [['t', '-w', '-'], { tool: 't' }, { workspace: '-' }],
    [['t', '-qn3'], { tool: 't' }, { quiet: true, limit: 3 }],
    [['t', '-qn', '3'], { tool: 't' }, { quiet: true, limit: 3 }],
    [['t', '-n', '3', '-n', '4'], { tool: 't' }, { limit: 4 }],
    [['t', '--allow', 'write, exec', '--allow', 'protected,'], { tool: 't' }, { allow: ['write', 'exec', 'protected'] }],
    [['--', '-q', '--dry-run'], { tool: '-q', input: '--dry-run' }, {}],
    [['t', '-w', 'x', '--', '--'], { tool: 't', input: '--' }, { workspace: 'x' }],
  ])('%j', (words, given, options) => {
    expect(parseWords(words, declared)).toEqual({ arguments: given, options: { ...NOTHING, ...options } });
  });
});

describe('what is refused', () => {
  it.each([
    [[], 'Missing argument: <tool>'],
    [['t', 'i', 'more'], 'Too many arguments: more'],
    [['t', '--dryrun'], 'Unknown option: --dryrun'],
    [['t', '--dryRun'], 'Unknown option: --dryRun'],
    [['t', '--constructor'], 'Unknown option: --constructor'],
    [['t', '-x'], 'Unknown option: -x'],
    [['t', '-w'], '-w needs a value: <dir>'],
    // Taken as the folder, the flag would be lost without a word.
    [['t', '--workspace', '--dry-run'], '--workspace needs a value: <dir>'],
    [['t', '--dry-run=no'], '--dry-run takes no value: no'],
    [['t', '-n', '1.5'], 'Invalid value for -n: 1.5'],
    [['t', '--limit', '-3'], 'Invalid value for --limit: -3'],
  ])('%j', (words, message) => {
    expect(() => parseWords(words, declared)).toThrow(expect.objectContaining({ code: 'invalid_arguments', message, hint: expect.any(String) }));
  });
});

describe('an argument that takes several words', () => {
  const several = { arguments: { '<tool>': 'a tool', '[input...]': 'its input' }, options: declared.options } as const;

  it.each([
    [['t'], []],
    [['t', 'a=1'], ['a=1']],
    [
      ['t', 'a=1', '--dry-run', 'b=-', '-w', 'x', 'c='],
      ['a=1', 'b=-', 'c='],
    ],
    [
      ['t', '--', '-q', '--x'],
      ['-q', '--x'],
    ],
  ])('%j', (words, input) => {
    expect(parseWords(words, several).arguments).toEqual({ tool: 't', input });
  });

  it('still needs what comes before', () => {
    expect(() => parseWords([], several)).toThrow(expect.objectContaining({ message: 'Missing argument: <tool>' }));
  });
});
