import { describe, expect, it } from 'vitest';
import { shellEffects } from './shell-effects.ts';

describe('what bash reads as its parser does', () => {
  it.each([
    '[[ -f package.json && -d src ]]',
    '[[ ! -e a || a == b ]]',
    '[[ a =~ ^b ]] && ls',
    'ls &> out.txt',
    'ls |& head',
    'set -euo pipefail; ls',
  ])('%s is known', (text) => {
    expect(shellEffects(text, '', true).unknown).toEqual([]);
  });

  it.each(['[[ -f a ]]', 'ls &> out.txt', 'ls |& head'])('%s is not, where another shell may read it', (text) => {
    expect(shellEffects(text).unknown).not.toEqual([]);
    expect(shellEffects(`sh -c '${text}'`, '', true).unknown).not.toEqual([]);
  });

  // Arithmetic evaluates what variables hold, and that may run commands: x='a[$(id)]'.
  it.each([
    '[[ $x -eq 1 ]]',
    '[[ 1 -lt x ]]',
    '[[ -v x ]]',
    '((x))',
    'for ((;;)); do ls; done',
    'set -- a',
    'set -o allexport',
    'f() { ls; }',
    'a+=b',
  ])('%s is not, in any shell', (text) => {
    expect(shellEffects(text, '', true).unknown).not.toEqual([]);
  });

  it.each(['[[ -f $(rm a) ]]', '[[ a == $(rm a) ]]', '[[ ! ( -d "$(rm a)" ) ]]', '[[ -f `rm a` ]]', '[[ -f <(rm a) ]]'])(
    '%s runs what is in it',
    (text) => {
      const { execs, unknown } = shellEffects(text, '', true);
      expect(
        execs.map(({ words }) => words.join(' ')),
        unknown.join(),
      ).toContain('rm a');
    },
  );

  it('writes where &> leads', () => {
    expect(shellEffects('ls &>> out.txt', '', true).writes).toMatchObject([{ path: 'out.txt' }]);
  });
});
