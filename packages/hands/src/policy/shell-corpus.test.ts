import { describe, expect, it } from 'vitest';
import { reasonFor } from './decision.ts';
import { SHELL_CORPUS as ROWS } from './fixtures/shell-corpus.ts';
import { decideCommand, testPolicy } from './fixtures/test-policy.ts';

/** The rule of attacks.md G, a few more that people have, and denials of each kind. */
const policy = testPolicy({
  allow: [
    'exec(git status *)',
    'exec(git log *)',
    'exec(git commit *)',
    'exec(npm test)',
    'exec(npm run build *)',
    'exec(echo *)',
    'exec(cat *)',
    'exec(ls *)',
    'exec(grep *)',
    'exec(sort *)',
    'exec(sed *)',
    'exec(find *)',
    'exec(curl *)',
    'exec(mkdir *)',
    'exec(tar *)',
    'exec(wc *)',
    'exec(node --version)',
    'exec(git fetch)',
    'exec(timeout 5 make check)',
    'exec(python scripts/report.py)',
    String.raw`exec(git add \*.md)`,
    'fetch(nodejs.org)',
    'write(out/**)',
  ],
  ask: ['exec(git log --all *)'],
  deny: [
    'exec(git push *)',
    'exec(npm publish *)',
    'exec(rm *)',
    'exec(sudo *)',
    'read(.env)',
    'read(secrets/**)',
    'write(locked/**)',
    'fetch(evil.io)',
  ],
});

describe('commands', () => {
  it('holds enough of them', () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(300);
    expect(new Set(ROWS.map(([command]) => command)).size).toBe(ROWS.length);
  });

  it.each(ROWS.map(([command, verdict]) => ({ command, verdict, shown: JSON.stringify(command).slice(0, 80) })))(
    '$verdict: $shown',
    ({ command, verdict }) => {
      const decision = decideCommand(policy, command);
      expect(decision.verdict, reasonFor(decision.decisive)).toBe(verdict);
    },
  );
});
