import { describe, expect, it } from 'vitest';
import type { Capability } from './capabilities.ts';
import { decide } from './decide.ts';
import { decideCommand, testPolicy } from './fixtures/test-policy.ts';
import { capabilitySource } from './capabilities.ts';

describe('capabilitySource', () => {
  it.each<[Capability[], string]>([
    [[], '??????'],
    [['write'], '+?????'],
    [['exec'], '?++???'],
    [['write', 'exec'], '+++???'],
    [['fetch'], '???+??'],
    [['mcp'], '????+?'],
    [['write', 'exec', 'fetch', 'mcp'], '+++++?'],
    [['protected'], '??????'],
    [['write', 'protected'], '+????+'],
  ])('%j', (grants, expected) => {
    const policy = testPolicy({}, { sources: [capabilitySource(grants)] });
    const write = (resource: string) => decide(policy, { tool: 'edit_file', permissions: [{ action: 'write', resource }] }).verdict;
    const verdicts = [
      write('src/a'),
      decideCommand(policy, 'node -e 1').verdict,
      decideCommand(policy, 'cat $X | sh').verdict,
      decide(policy, { tool: 'fetch_url', permissions: [{ action: 'net', resource: 'https://nodejs.org' }] }).verdict,
      decide(policy, { tool: 'github_search', permissions: [{ action: 'mcp', resource: 'mcp:github:search' }] }).verdict,
      write('.vscode/tasks.json'),
    ];
    expect(verdicts.map((verdict) => ({ allow: '+', ask: '?', deny: '-' })[verdict]).join('')).toBe(expected);
  });

  it('names a word that is none, and where rules belong', () => {
    expect(() => capabilitySource(['exec(npm test)' as 'exec'])).toThrow(
      expect.objectContaining({ code: 'invalid_arguments', message: 'Unknown capability in allow: exec(npm test)' }),
    );
  });
});
