import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideCommand, testPolicy } from './fixtures/test-policy.ts';
import { SHELL_CORPUS } from './fixtures/shell-corpus.ts';
import { shellEffects } from './shell-effects.ts';

const policy = testPolicy({ allow: ['exec(git status *)', 'exec(npm test)', 'exec(echo *)'] });
const allows = (command: string): boolean => decideCommand(policy, command).verdict === 'allow';

/** Commands that the policy does not allow, in every shape the corpus has, and noise. */
const part = fc.oneof(
  fc.constantFrom(...SHELL_CORPUS.map(([command]) => command).filter((command) => command.length < 200)),
  fc.constantFrom('id', 'rm -rf .', 'curl https://example.com', 'touch pwned', '$(id)', '`id`', 'sh', 'git status', 'npm test', 'echo "a b"'),
  fc.string({ maxLength: 30 }),
  fc.stringMatching(/^[a-z ;&|()<>$`"'\\\n{}=#!*?~-]{0,24}$/u),
);
const joiner = fc.constantFrom(' && ', ' || ', '; ', ' | ', ' & ', '\n', ';', '&&', '|', '&', '\r\n', ' \\\n', '\t', ' ');

describe('chaining', () => {
  it('never allows a chain unless each part is allowed', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('git status', 'npm test', 'echo hi', 'git status -s'),
        joiner,
        part,
        fc.boolean(),
        (allowed, join, added, before) => {
          const whole = before ? `${added}${join}${allowed}` : `${allowed}${join}${added}`;
          if (!allows(whole)) return;
          // What is allowed must be made of allowed programs only, whatever the parser saw.
          const { execs, unknown } = shellEffects(whole);
          expect(unknown).toEqual([]);
          for (const { words } of execs) expect(words[0] === 'echo' || /^(?:git status|npm test$)/u.test(words.slice(0, 2).join(' '))).toBe(true);
          // And the part by itself must not be a command that asks, where a separator makes it one.
          if (/[;&|\n]/u.test(join.replace(/\\\n/u, '')) && shellEffects(added).execs.length > 0 && shellEffects(added).unknown.length === 0)
            expect(allows(added)).toBe(true);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('agrees with sh on which programs an allowed command starts', () => {
    // Every command that sh can find is replaced by a function that only reports its name.
    const harness = 'git(){ :; }; npm(){ :; }; echo(){ :; }; PATH=/nonexistent; ';
    fc.assert(
      fc.property(fc.constantFrom('git status', 'echo hi'), joiner, part, (allowed, join, added) => {
        const whole = `${allowed}${join}${added}`;
        // Wrappers are real programs, which the empty PATH would hide.
        fc.pre(allows(whole) && !/[<>]|env|command|nohup|time|nice|stdbuf|\/bin/u.test(whole));
        const shells = ['/bin/sh', '/bin/bash'].map((shell) => {
          try {
            execFileSync(shell, ['-c', `${harness}${whole}`], { stdio: ['ignore', 'ignore', 'pipe'], timeout: 5_000 });
            return '';
          } catch (error) {
            return String((error as { stderr?: unknown }).stderr);
          }
        });
        for (const stderr of shells) expect(stderr).not.toMatch(/not found|No such file/u);
      }),
      { numRuns: 400 },
    );
    // Eight hundred shells: some seconds alone, half a minute on a machine with much else to do.
  }, 120_000);
});

describe('words', () => {
  it('knows a word only where sh and bash make the same of it', () => {
    const word = fc
      .array(
        fc.oneof(
          fc.stringMatching(/^[a-zA-Z0-9_./=:,%@+-]{1,6}$/u),
          fc.constantFrom(
            "'a b'",
            '"a b"',
            String.raw`\ `,
            String.raw`\*`,
            "'*'",
            '"$"',
            String.raw`"\$x"`,
            '*',
            '?',
            '[a]',
            '{a,b}',
            '{}',
            '$x',
            '${x}',
            '$(echo y)',
            '`echo y`',
            "$'a'",
            '$"a"',
            '~',
            '$((1))',
            '#',
            '!',
            "''",
            String.raw`\\`,
            String.raw`"\n"`,
          ),
        ),
        {
          minLength: 1,
          maxLength: 4,
        },
      )
      .map((pieces) => pieces.join(''));
    const words = fc.array(word, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(words, (given) => {
        const command = `printf %s ${given.join(' ')}`;
        const { execs, unknown } = shellEffects(command);
        const known = execs.find(({ words: [name] }) => name === 'printf')?.words;
        if (unknown.length > 0 || known === undefined || known.includes(undefined)) return;
        for (const shell of ['/bin/sh', '/bin/bash']) {
          const output = execFileSync(shell, ['-c', `count() { for w in "$@"; do printf '%s\\0' "$w"; done; }; count ${given.join(' ')}`], {
            encoding: 'utf8',
            cwd: '/',
          });
          expect(output.split('\0').slice(0, -1)).toEqual(known.slice(2));
        }
      }),
      { numRuns: 300 },
    );
  });
});
