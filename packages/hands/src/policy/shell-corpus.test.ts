import { describe, expect, it } from 'vitest';
import { reasonFor } from './decision.ts';
import { SHELL_CORPUS as ROWS } from './fixtures/shell-corpus.ts';
import { decideCommand, testPolicy } from './fixtures/test-policy.ts';

/** The rule of attacks.md G, a few more that people have, and denials of each kind. */
const policy = testPolicy({
  allow: [
    'run_command(git status *)',
    'run_command(git log *)',
    'run_command(git commit *)',
    'run_command(npm test)',
    'run_command(npm run build *)',
    'run_command(echo *)',
    'run_command(cat *)',
    'run_command(ls *)',
    'run_command(grep *)',
    'run_command(sort *)',
    'run_command(sed *)',
    'run_command(find *)',
    'run_command(curl *)',
    'run_command(mkdir *)',
    'run_command(tar *)',
    'run_command(wc *)',
    'run_command(node --version)',
    'run_command(git fetch)',
    'run_command(timeout 5 make check)',
    'run_command(python scripts/report.py)',
    String.raw`run_command(git add \*.md)`,
    'fetch_url(domain:nodejs.org)',
    'write_file(out/**)',
  ],
  ask: ['run_command(git log --all *)'],
  deny: [
    'run_command(git push *)',
    'run_command(npm publish *)',
    'run_command(rm *)',
    'run_command(sudo *)',
    'read_file(.env)',
    'read_file(secrets/**)',
    'write_file(locked/**)',
    'fetch_url(domain:evil.io)',
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
