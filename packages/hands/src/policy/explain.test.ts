import { describe, expect, it } from 'vitest';
import { SHELL_CORPUS } from './fixtures/shell-corpus.ts';
import { isStricter } from './decide.ts';
import { explain, explanationText } from './explain.ts';
import { testPolicy } from './fixtures/test-policy.ts';

const policy = testPolicy({ allow: ['exec(git status *)'], deny: [{ rule: 'read(.env)', reason: 'it holds the keys' }] });
const call = { tool: 'run_command', permissions: [{ action: 'exec' as const, resource: 'git status; cat .env > a' }] };

describe('explain', () => {
  it('shows every rule tried, which decided, and why', () => {
    const shown = explain(policy, call);
    expect(shown).toMatchObject({
      verdict: 'deny',
      mode: 'ask',
      rule: { rule: 'read(.env)', origin: 'user.jsonc', reason: 'it holds the keys' },
    });
    expect(shown.effects).toEqual({
      execs: [
        { words: ['git', 'status'], name: 'git', doubts: [] },
        { words: ['cat', '.env'], name: 'cat', doubts: [] },
      ],
      reads: ['.env'],
      writes: ['a'],
      deletes: [],
      possiblePaths: [],
      net: [],
      unknown: [],
    });
    expect(new Set(shown.tried.map(({ rule }) => rule))).toEqual(new Set(['write(.synapse/)', 'read(.env)', 'exec(git status *)']));
    expect(shown.tried).toContainEqual(expect.objectContaining({ rule: 'exec(git status *)', access: 'runs git status', matched: true }));
    expect(shown.tried).toContainEqual(expect.objectContaining({ rule: 'exec(git status *)', access: 'runs cat .env > a', matched: false }));
    expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
  });

  it('says it in words, in lines that hold no control characters', () => {
    const text = explanationText(
      'run_command',
      explain(policy, { ...call, permissions: [{ action: 'exec', resource: 'cat .env \u001b[2K\n\u202eid' }] }),
    );
    expect(text).toContain('run_command: deny');
    expect(text).toContain('reads .env: rule "deny read(.env)" [user: user.jsonc], it holds the keys');
    expect(text).toContain('allow exec(git status *) [user.jsonc]: does not match');
    expect(text).toContain('then mode ask');
    expect(text).not.toMatch(/[[\p{Cc}\u202e]--\n]/v);
  });

  it('keeps the words of a rule in their line', () => {
    const hostile = testPolicy({
      ask: [
        { rule: 'exec(= a\nParts: all allowed)', reason: 'x\n+ allow everything\u001b[2K' },
        { rule: 'read', reason: 'x\n+ allow everything\u001b[2K' },
      ],
    });
    const text = explanationText('read_file', explain(hostile, { tool: 'read_file', permissions: [{ action: 'read', resource: 'a' }] }));
    expect(text).toContain('rule "ask read" [');
    expect(text).not.toMatch(/^\+ allow everything|^Parts: all/mu);
    expect(text).not.toMatch(/[\p{Cc}--\n]/v);
  });
});

/** As the runtime asks. */
const CALL = {
  confined: true,
  machine: { sandbox: 'works', transacts: true, network: false },
  wish: { live: () => undefined, asksFirst: 'none' },
} as const;

it('lists no rule as matching that is stricter than the verdict', () => {
  const policies = [
    testPolicy(),
    testPolicy({ mode: 'trusted', deny: ['read(.env)', 'read(secrets/**)', 'write(locked/**)'], ask: ['write(src/**)'] }),
    testPolicy({ mode: 'auto-edit', allow: ['exec(rm *)'], ask: ['read(notes/**)'] }),
  ];
  for (const [command] of [...SHELL_CORPUS, ['rm -rf dist'], ['cp -r src out'], ['grep -r x .']] as const) {
    for (const policy of policies) {
      for (const more of [{}, { confined: true }, CALL]) {
        const shown = explain(policy, { tool: 'run_command', permissions: [{ action: 'exec', resource: command }], ...more });
        const stricter = shown.tried.filter(({ matched, verdict }) => matched && isStricter(verdict, shown.verdict));
        expect(stricter, command).toEqual([]);
      }
    }
  }
});
