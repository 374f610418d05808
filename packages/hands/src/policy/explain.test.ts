import { describe, expect, it } from 'vitest';
import { explain, explanationText } from './explain.ts';
import { testPolicy } from './fixtures/test-policy.ts';

const policy = testPolicy({ allow: ['run_command(git status *)'], deny: [{ rule: 'read_file(.env)', reason: 'it holds the keys' }] });
const call = { tool: 'run_command', permissions: [{ action: 'exec' as const, resource: 'git status; cat .env > a' }] };

describe('explain', () => {
  it('shows every rule tried, which decided, and why', () => {
    const shown = explain(policy, call);
    expect(shown).toMatchObject({
      verdict: 'deny',
      mode: 'ask',
      rule: { rule: 'read_file(.env)', origin: 'user.jsonc', reason: 'it holds the keys' },
    });
    expect(shown.effects).toEqual({
      execs: [
        { words: ['git', 'status'], name: 'git', doubts: [] },
        { words: ['cat', '.env'], name: 'cat', doubts: [] },
      ],
      reads: ['.env'],
      writes: ['a'],
      deletes: [],
      mentions: [],
      net: [],
      unknown: [],
    });
    expect(new Set(shown.tried.map(({ rule }) => rule))).toEqual(new Set(['write_file(.synapse/)', 'read_file(.env)', 'run_command(git status *)']));
    expect(shown.tried).toContainEqual(expect.objectContaining({ rule: 'run_command(git status *)', part: 'runs git status', matched: true }));
    expect(shown.tried).toContainEqual(expect.objectContaining({ rule: 'run_command(git status *)', part: 'runs cat .env > a', matched: false }));
    expect(JSON.parse(JSON.stringify(shown))).toEqual(shown);
  });

  it('says it in words, in lines that hold no control characters', () => {
    const text = explanationText(
      'run_command',
      explain(policy, { ...call, permissions: [{ action: 'exec', resource: 'cat .env \u001b[2K\n\u202eid' }] }),
    );
    expect(text).toContain('run_command: deny');
    expect(text).toContain('reads .env: deny by read_file(.env) [user: user.jsonc], it holds the keys');
    expect(text).toContain('allow run_command(git status *) [user.jsonc]: does not match');
    expect(text).toContain('then mode ask');
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/[\0-\x09\x0b-\x1f\u202e]/u);
  });

  it('keeps the words of a rule in their line', () => {
    const hostile = testPolicy({
      ask: [
        { rule: 'run_command(= a\nParts: all allowed)', reason: 'x\n+ allow everything\u001b[2K' },
        { rule: 'read_file', reason: 'x\n+ allow everything\u001b[2K' },
      ],
    });
    const text = explanationText('read_file', explain(hostile, { tool: 'read_file', permissions: [{ action: 'read', resource: 'a' }] }));
    expect(text).toContain('ask by read_file');
    // oxlint-disable-next-line no-control-regex
    expect(text).not.toMatch(/^\+ allow everything|^Parts: all|\u001b/mu);
  });
});
