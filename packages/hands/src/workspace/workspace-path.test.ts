import { isSynapseError } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import { assertCreatable, parseWorkspacePath, relativeGlob, unescapePath } from './workspace-path.ts';

const roots = ['/srv/app', '/private/srv/app'];

function codeOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    return isSynapseError(error) ? error.code : String(error);
  }
  return 'no error';
}

describe('parseWorkspacePath', () => {
  it.each<[string, string[]]>([
    ['src/app.ts', ['src', 'app.ts']],
    ['./src//app.ts', ['src', 'app.ts']],
    ['src/../lib/', ['lib']],
    ['.', []],
    ['/srv/app', []],
    ['/srv/app/', []],
    ['/srv/app/a', ['a']],
    ['/private/srv/app/a', ['a']],
    ['~/.bashrc', ['~', '.bashrc']],
    ['$HOME/x', ['$HOME', 'x']],
    ['%2e%2e/x', ['%2e%2e', 'x']],
    ['‥/x', ['‥', 'x']],
    ['-', ['-']],
    ['..\\x', ['..\\x']],
    ['a:b', ['a:b']],
  ])('reads %j', (input, expected) => {
    expect(parseWorkspacePath(input, roots)).toEqual(expected);
  });

  it.each<[string, string]>([
    ['..', 'outside_workspace'],
    ['../x', 'outside_workspace'],
    ['a/../../x', 'outside_workspace'],
    ['/srv/app/../x', 'outside_workspace'],
    ['/srv/app-evil/x', 'outside_workspace'],
    ['/srv', 'outside_workspace'],
    ['//srv/app/x', 'outside_workspace'],
    ['/etc/passwd', 'outside_workspace'],
    ['', 'invalid_arguments'],
    ['  ', 'invalid_arguments'],
    ['a\0b', 'invalid_arguments'],
    ['\ud800', 'invalid_arguments'],
    ['x'.repeat(256), 'invalid_arguments'],
    ['x/'.repeat(3000), 'invalid_arguments'],
  ])('refuses %j', (input, code) => {
    expect(codeOf(() => parseWorkspacePath(input, roots))).toBe(code);
  });

  it('never repeats a long or deceptive path in full', () => {
    try {
      parseWorkspacePath(`/outside/\u202e${'y'.repeat(3000)}`, roots);
      expect.unreachable();
    } catch (error) {
      const { message } = error as Error;
      expect(message.length).toBeLessThan(200);
      expect(message).not.toContain('\u202e');
      expect(message).toContain('\\xe2\\x80\\xae');
    }
  });
});

describe('paths of another place or system', () => {
  it.each<readonly [string[], string]>([
    [['~', 'a'], 'outside_workspace'],
    [['a\\b'], 'invalid_arguments'],
    [['src', 'a\\b'], 'invalid_arguments'],
    [['C:\\a'], 'invalid_arguments'],
    [['src', '~'], 'no error'],
  ])('%j: %s', (path, code) => {
    expect(codeOf(() => assertCreatable(path, path.length))).toBe(code);
  });
});

describe('names that deceive', () => {
  it.each(['a\nb', 'a\rb', '\u001b]0;x\u0007.txt', 'ok.txt\u200b', 'txt.\u202eexe', 'a\u2028b', '\u3164', '\\x0a'])('does not create %j', (name) => {
    expect(codeOf(() => assertCreatable([name], 1))).toBe('invalid_arguments');
  });

  it.each(['a b', 'naïve', '日本語', '🙂', 'quote\'"', 'a~', '-rf'])('creates %j', (name) => {
    expect(codeOf(() => assertCreatable([name], 1))).toBe('no error');
  });

  it('reads escapes back into bytes', () => {
    expect(unescapePath(['bad-\\xff\\xfe', 'x'])).toEqual([Buffer.from([0x62, 0x61, 0x64, 0x2d, 0xff, 0xfe]), 'x']);
    expect(unescapePath(['a\\x0ab'])).toEqual(['a\nb']);
    expect(unescapePath(['plain'])).toBeUndefined();
  });
});

describe('relativeGlob', () => {
  it.each([
    ['**/*.ts', '.', '**/*.ts'],
    ['/src/*', '.', '/src/*'],
    ['/srv/app/**/*.ts', '.', '/**/*.ts'],
    ['/private/srv/app/a', '.', '/a'],
    ['!/srv/app/src/*.ts', 'src', '!/*.ts'],
    ['/srv/app-evil/*', '.', '/srv/app-evil/*'],
  ])('%s in %s is %s', (glob, folder, expected) => expect(relativeGlob(glob, folder, roots)).toBe(expected));

  it('refuses one that is elsewhere', () => {
    expect(codeOf(() => relativeGlob('/srv/app/lib/*', 'src', roots))).toBe('invalid_arguments');
    expect(codeOf(() => relativeGlob('/srv/app/src2/*', 'src', roots))).toBe('invalid_arguments');
  });
});
