import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { PROGRAMS } from './programs.ts';

const SHELLS = ['dash', 'bash', 'busybox'].filter((shell) => spawnSync(shell, ['--help']).error === undefined);

describe.each(SHELLS)('in %s', (shell) => {
  it.each([
    ['a line', '.\nrest', '0', 'rest'],
    ['the end', '', '1', ''],
  ])('await-branch-users.sh starts a program for %s, and reads nothing beyond', (_, input, told, rest) => {
    const words = shell === 'busybox' ? ['sh'] : [];
    const program = ['sh', '/bin/sh', '-c', 'printf "[%s]" "$@"; cat', 'sh', 'a b', ''];
    const { stdout } = spawnSync(shell, [...words, '-c', PROGRAMS['await-branch-users.sh'], ...program], { input, encoding: 'utf8' });
    expect(stdout).toBe(`[a b][][${told}]${rest}`);
  });
});
