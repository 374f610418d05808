import { isSynapseError } from '@synapse/protocol';
import { describe, expect, it } from 'vitest';
import { decideCommand, testPolicy } from './fixtures/test-policy.ts';
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
        "allow": ["run_command(npm test)",],
        "deny": [{ "rule": "run_command(git push *)", "match": ["git push"], "notMatch": ["git pull"], "reason": "ask Ada" }],
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
    ['{"deny": ["read_file"]}', 'user.jsonc:1:2: "deny" belongs into "permissions"'],
    ['{"mode": "read-only"}', '"mode" belongs into "permissions"'],
    ['{"permissions": {"deny": "read_file"}}', 'user.jsonc:1:26: "deny" must be a list'],
    ['{"permissions": {"deny": [1]}}', 'user.jsonc:1:27: a rule is a text'],
    ['{"permissions": {"deny": [{"match": []}]}}', 'a rule object needs'],
    ['{"permissions": {"deny": [{"rule": "read_file", "match": [1]}]}}', '"match" must be a list of texts'],
    ['{"permissions": {"deny": [{"rule": "read_file", "guarded": "yes"}]}}', '"guarded" must be a boolean'],
    ['{"permissions": {"mode": "yolo"}}', 'user.jsonc:1:26: "mode" must be one of read-only, ask, auto-edit, trusted'],
    [
      '{"permissions": {\n"deny": ["read_file(a)",\n  "raed_file(.env)"]}}',
      'user.jsonc:3:3: deny rule "raed_file(.env)": there is no tool named raed_file; did you mean read_file?',
    ],
    [
      '{"permissions": {\n"allow": ["run_command(python *)"]}}',
      'user.jsonc:2:11: allow rule "run_command(python *)": it would allow any code: "python"',
    ],
    ['{"permissions": {"deny": [{"rule": "run_command(git push *)", "match": ["git pull"]}]}}', 'match "git pull"'],
  ])('%s: %s', (text, message) => {
    expect(failure(text)).toContain(`invalid_arguments: `);
    expect(failure(text)).toContain(message);
    expect(failure(text)).not.toContain('?.');
  });

  it('tells of every problem at once', () => {
    const message = failure('{"permissions": {"allow": ["nope", "read_file(!x)"], "deny": ["run_command(a;b)"]}}');
    expect(message.match(/user\.jsonc:1:/gu)).toHaveLength(3);
  });
});

describe('layers', () => {
  const permissions = (value: object): string => JSON.stringify({ permissions: value });

  it('lets a project only tighten until it is trusted', () => {
    const text = permissions({ mode: 'trusted', allow: ['run_command(npm test)'], deny: ['read_file(x)'] });
    const untrusted = load({ layer: 'project', label: '.synapse/config.jsonc', text });
    expect(untrusted.mode).toBe('ask');
    expect(decideCommand(untrusted, 'npm test').verdict).toBe('ask');
    expect(decideCommand(untrusted, 'cat x').verdict).toBe('deny');
    expect(untrusted.notices).toEqual([
      '.synapse/config.jsonc: allow rule run_command(npm test) is ignored until the folder is trusted with it (synapse projects trust).',
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
      { layer: 'project', label: 'p', text: permissions({ mode: 'trusted', allow: ['run_command(npm test)'] }), trusted: true },
      { layer: 'user', label: 'u', text: permissions({ mode: 'auto-edit', deny: ['run_command(npm test)'] }) },
      { layer: 'managed', label: 'm', text: permissions({ mode: 'ask', ask: ['run_command(make)'] }) },
    );
    expect([policy.mode, policy.modeOrigin]).toEqual(['ask', 'm']);
    expect(decideCommand(policy, 'npm test').rule).toMatchObject({ verdict: 'deny', layer: 'user' });
    expect(decideCommand(policy, 'make').rule).toMatchObject({ verdict: 'ask', layer: 'managed' });
  });
});
