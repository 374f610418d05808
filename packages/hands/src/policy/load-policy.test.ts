import { isSynapseError } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import { decideCommand, testPolicy } from './fixtures/test-policy.ts';
import { decide } from './decide.ts';
import { reasonFor } from './decision.ts';
import { readPolicyFiles, type PolicyFile } from './load-policy.ts';
import type { Policy } from './policy.ts';

function load(...files: PolicyFile[]): Policy {
  return testPolicy({}, { sources: readPolicyFiles(files) });
}

function failure(text: string): string {
  try {
    load({ layer: 'user', label: 'user.jsonc', text });
  } catch (error) {
    if (isSynapseError(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  return 'loaded';
}

describe('policy files', () => {
  it('reads comments, trailing commas, rule objects and other settings', () => {
    const text = `\ufeff{
      // mine
      "theme": { "permissions": 1 },
      "permissions": {
        "mode": "auto-edit",
        "allow": ["exec(npm test)",],
        "deny": [{ "rule": "exec(git push *)", "match": ["git push"], "notMatch": ["git pull"], "reason": "ask Ada" }],
      },
    }`;
    const policy = load({ layer: 'user', label: 'user.jsonc', text });
    expect(policy.mode).toBe('auto-edit');
    expect(decideCommand(policy, 'npm test').verdict).toBe('allow');
    expect(decideCommand(policy, 'git push').rule).toMatchObject({ verdict: 'deny', reason: 'ask Ada', origin: 'user.jsonc' });
  });

  it.each(['', '{}', '// nothing\n', '{"permissions": {}}'])('takes %j for no rules', (text) => {
    expect(failure(text)).toBe('loaded');
  });

  it.each([
    ['{', 'user.jsonc:1:2: this is not JSON: CloseBraceExpected'],
    ['{\n  "permissions": {\n    "deny": [run]\n  }\n}', 'user.jsonc:3:14: this is not JSON'],
    ['[]', 'user.jsonc:1:1: a configuration is an object'],
    ['{"permissions": []}', 'user.jsonc:1:17: "permissions" must be an object'],
    ['{"permissions": {}, "permissions": {}}', 'user.jsonc:1:21: "permissions" is there twice'],
    ['{"permissions": {"deny": [], "deny": []}}', 'user.jsonc:1:30: "deny" is there twice'],
    ['{"permissions": {"denny": []}}', 'did you mean deny?'],
    ['{"permision": {"deny": []}}', 'user.jsonc:1:2: "permision" is not known here; did you mean permissions?'],
    ['{"deny": ["read"]}', 'user.jsonc:1:2: "deny" belongs into "permissions"'],
    ['{"mode": "read-only"}', '"mode" belongs into "permissions"'],
    ['{"permissions": {"deny": "read_file"}}', 'user.jsonc:1:26: "deny" must be a list'],
    ['{"permissions": {"mode": "yolo"}}', 'user.jsonc:1:26: "mode" must be one of read-only, ask, auto-edit, trusted'],
  ])('%s: %s', (text, message) => {
    expect(failure(text)).toContain(`invalid_arguments: `);
    expect(failure(text)).toContain(message);
    expect(failure(text)).not.toContain('?.');
  });
});

describe('rules that cannot be read', () => {
  const rows: ReadonlyArray<readonly [rules: string, problem: string]> = [
    ['"deny": [1]', 'user.jsonc:1:27: a rule is a text'],
    ['"deny": [{"match": []}]', 'a rule object needs'],
    ['"deny": [{"rule": "read", "match": [1]}]', '"match" must be a list of texts'],
    ['"deny": [{"rule": "read", "guarded": "yes"}]', '"guarded" must be a boolean'],
    ['"deny": [{"rule": "read", "resaon": "x"}]', '"resaon" is not known here; did you mean reason?'],
    [
      '\n"deny": ["read(a)",\n  "raed(.env)"]',
      'user.jsonc:3:3: deny rule "raed(.env)": raed is neither an action (read, write, exec, fetch, mcp) nor a tool; did you mean read',
    ],
    ['"deny": [{"rule": "exec(git push *)", "match": ["git pull"]}]', 'match "git pull"'],
    ['"ask": ["run_command(git push *)"]', 'user.jsonc:1:26: ask rule "run_command(git push *)": write exec(git push *).'],
  ];
  const text = (rules: string): string => `{"permissions": {${rules}}}`;
  const fileOf = (rules: string): PolicyFile => ({ layer: 'user', label: 'user.jsonc', text: text(rules) });

  it.each(rows)('stop changes and commands, but not reading: %s', (rules, problem) => {
    const policy = load(fileOf(rules), { layer: 'flags', label: '--allow', text: text('"allow": ["write", "exec", "fetch", "mcp"]') });
    expect(policy.problems).toEqual([expect.stringContaining(problem)]);
    for (const [action, resource] of [
      ['write', 'a'],
      ['exec', 'ls'],
      ['net', 'https://nodejs.org'],
      ['mcp', 'mcp:a:b'],
    ] as const) {
      const decision = decide(policy, { tool: 'any', permissions: [{ action, resource }] });
      expect(decision.verdict).toBe('deny');
      expect(reasonFor(decision.decisive)).toContain('it cannot be read: user.jsonc:');
    }
    expect(decide(policy, { tool: 'read_file', permissions: [{ action: 'read', resource: 'b' }] }).verdict).toBe('allow');
    // The control: without the rule all of it runs.
    expect(decideCommand(load({ layer: 'flags', label: '--allow', text: text('"allow": ["exec"]') }), 'ls').verdict).toBe('allow');
  });

  it.each(rows)('are left out where they would allow: %s', (rules, problem) => {
    const policy = load(fileOf(rules.replace(/"deny"|"ask"/u, '"allow"')), { layer: 'flags', label: '--allow', text: text('"allow": ["exec(id)"]') });
    expect(policy.problems).toHaveLength(1);
    expect(policy.problems[0]).toContain(problem.replace(/^user\.jsonc:[\d:]+ (?:(?:ask|deny) rule)?/u, ''));
    expect(decideCommand(policy, 'id').verdict).toBe('allow');
    expect(decideCommand(policy, 'git push').verdict).toBe('ask');
  });

  it('are all named at once', () => {
    const { problems, unreadable } = load(fileOf('"allow": ["nope", "read(!x)"], "deny": ["exec(a;b)", 5]'));
    expect(problems).toHaveLength(4);
    expect(problems.every((problem) => problem.startsWith('user.jsonc:1:'))).toBe(true);
    expect(unreadable).toHaveLength(2);
  });

  it('keep a program from starting', () => {
    expect(() => testPolicy({ allow: ['nope'] })).toThrow('nope is neither an action');
  });
});

describe('an allow rule for any code', () => {
  const broad = (rule: string): Policy =>
    load({ layer: 'user', label: 'user.jsonc', text: JSON.stringify({ permissions: { allow: [rule], deny: ['read(x)'] } }) });

  it.each([
    ['exec(node *)', 'node -e 1'],
    ['exec(npx vitest *)', 'npx vitest run a'],
    ['exec(* --version)', 'tool --version'],
    ['Bash(python3:*)', 'python3 a.py'],
  ])('counts in the sandbox only, and says so: %s', (rule, command) => {
    const policy = broad(rule);
    expect(policy.problems).toEqual([]);
    expect(policy.notices).toEqual([
      expect.stringMatching(/^user\.jsonc:1:\d+: allow rule ".*" allows any code, because .*only for commands in the sandbox/u),
    ]);
    expect(decideCommand(policy, command, { confined: true })).toMatchObject({ verdict: 'allow', rule: { text: rule } });
    expect(decideCommand(policy, command).verdict).toBe('ask');
    expect(decideCommand(policy, `PATH=. ${command}`, { confined: true }).verdict).toBe('ask');
  });

  it('answers no question about the network', () => {
    expect(decideCommand(broad('exec(git *)'), 'git push', { confined: true })).toMatchObject({
      verdict: 'ask',
      decisive: { access: { kind: 'net' } },
    });
    expect(decideCommand(broad('exec(git push *)'), 'git push', { confined: true }).verdict).toBe('allow');
  });
});

describe('layers', () => {
  const permissions = (value: object): string => JSON.stringify({ permissions: value });

  it('lets a project only tighten until it is trusted', () => {
    const text = permissions({ mode: 'trusted', allow: ['exec(npm test)'], deny: ['read(x)'] });
    const untrusted = load({ layer: 'project', label: '.synapse/config.jsonc', text });
    expect(untrusted.mode).toBe('ask');
    expect(decideCommand(untrusted, 'npm test').verdict).toBe('ask');
    expect(decideCommand(untrusted, 'cat x').verdict).toBe('deny');
    expect(untrusted.notices).toEqual([
      '.synapse/config.jsonc: allow rule exec(npm test) is ignored until the folder is trusted with it (synapse projects trust).',
      expect.stringContaining('mode "trusted" is ignored'),
    ]);
    const trusted = load({ layer: 'project', label: '.synapse/config.jsonc', text, trusted: true });
    expect(trusted.mode).toBe('trusted');
    expect(decideCommand(trusted, 'npm test').verdict).toBe('allow');
    expect(trusted.notices).toEqual([]);
  });

  it('takes a tighter mode of an untrusted project', () => {
    const policy = load(
      { layer: 'user', label: 'u', text: permissions({ mode: 'auto-edit' }) },
      { layer: 'project', label: 'p', text: permissions({ mode: 'read-only' }) },
    );
    expect([policy.mode, policy.modeOrigin]).toEqual(['read-only', 'p']);
  });

  it('takes the mode of the mightiest layer and the rules of all', () => {
    const policy = load(
      { layer: 'project', label: 'p', text: permissions({ mode: 'trusted', allow: ['exec(npm test)'] }), trusted: true },
      { layer: 'user', label: 'u', text: permissions({ mode: 'auto-edit', deny: ['exec(npm test)'] }) },
      { layer: 'managed', label: 'm', text: permissions({ mode: 'ask', ask: ['exec(make)'] }) },
    );
    expect([policy.mode, policy.modeOrigin]).toEqual(['ask', 'm']);
    expect(decideCommand(policy, 'npm test').rule).toMatchObject({ verdict: 'deny', layer: 'user' });
    expect(decideCommand(policy, 'make').rule).toMatchObject({ verdict: 'ask', layer: 'managed' });
  });
});

describe('the file of a hostile clone', () => {
  const project = (permissions: object): Policy =>
    load({ layer: 'project', label: 'p.jsonc', text: JSON.stringify({ permissions }), trusted: false });
  const nested = 'find . -exec '.repeat(28);

  it('is read, whatever the examples of its rules hold', () => {
    const policy = project({ deny: [{ rule: 'exec(find *)', match: [`${nested}x`] }] });
    expect(policy.problems).toEqual([]);
  });

  it('has a rule refused by name if its examples take too long', () => {
    // Each unknown word may end the command before it.
    const hard = Array.from({ length: 50 }, () => 'find . -exec "$X" '.repeat(100));
    const policy = project({ deny: [{ rule: 'exec(sudo *)', notMatch: hard }, 'exec(git push *)'] });
    expect(policy.problems).toEqual([
      expect.stringMatching(/^p\.jsonc:1:\d+: deny rule "exec\(sudo \*\)": its examples.* take too long to check\.$/u),
    ]);
    expect(decideCommand(policy, 'git push').verdict).toBe('deny');
  });

  it.each([
    ['examples', { rule: 'exec(a)', match: Array.from({ length: 51 }, () => 'a') }, 'more than 50 examples'],
    ['long examples', { rule: 'exec(a)', match: ['a'.repeat(2_001)] }, 'longer than 2000 characters'],
    ['long paths', `read(${'**/a*/'.repeat(200)})`, 'longer than 1000 characters'],
    ['long commands', `exec(${'a* '.repeat(1_000)})`, 'longer than 2000 characters'],
  ])('has a rule with too many or too %s refused by name', (_name, rule, says) => {
    expect(project({ deny: [rule] }).problems).toEqual([expect.stringContaining(says)]);
  });

  it('is refused with too many rules', () => {
    expect(() => project({ deny: Array.from({ length: 1_001 }, () => 'exec(a)') })).toThrow(/p\.jsonc:1:\d+: "deny" has more than 1000 rules/u);
  });

  it('has patterns that no path is matched with for long', () => {
    const policy = project({ deny: [`read(${'**/a*/'.repeat(20)}b)`] });
    const path = `${'a1/'.repeat(30)}c`;
    expect(decide(policy, { tool: 'read_file', permissions: [{ action: 'read', resource: path }] }).verdict).toBe('allow');
    expect(decide(policy, { tool: 'read_file', permissions: [{ action: 'read', resource: `${'a1/'.repeat(30)}b` }] }).verdict).toBe('deny');
  });
});
