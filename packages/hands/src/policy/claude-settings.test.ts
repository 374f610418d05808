import { describe, expect, it } from 'vitest';
import { importClaudeSettings } from './claude-settings.ts';
import { TOOLS } from './fixtures/test-policy.ts';

const taken = (settings: unknown) => {
  const found = importClaudeSettings(typeof settings === 'string' ? settings : JSON.stringify(settings), TOOLS);
  if (typeof found === 'string') throw new Error(found);
  return found;
};

describe('a settings file of Claude Code', () => {
  it('is taken over in the words of Synapse', () => {
    const { permissions, left, notices } = taken({
      permissions: {
        defaultMode: 'acceptEdits',
        allow: [
          'Bash(npm run test:*)',
          'Bash(git log *)',
          'Bash(npm run build)',
          'WebFetch(domain:nodejs.org)',
          'mcp__github__search',
          'Read(//etc/hosts)',
          'Bash(node:*)',
        ],
        ask: ['Bash(git push:*)', 'Bash(git * main)'],
        deny: ['Read(./.env)', 'Edit(secrets/**)', 'Write(secrets/**)', 'mcp__evil'],
      },
      hooks: {},
    });
    expect(permissions).toEqual({
      mode: 'auto-edit',
      allow: [
        'exec(npm run test *)',
        'exec(git log *)',
        'exec(npm run build)',
        'fetch(nodejs.org)',
        'mcp(github:search)',
        'read(//etc/hosts)',
        'exec(node *)',
      ],
      ask: ['exec(git push *)', 'Bash(git * main)'],
      deny: ['read(./.env)', 'write(secrets/**)', 'mcp(evil:*)'],
    });
    expect(left).toEqual([]);
    expect(notices).toEqual([expect.stringContaining('exec(node *) allows any code')]);
  });

  it.each([
    [{ allow: ['WebSearch'] }, 'WebSearch', 'no tool that corresponds'],
    [{ allow: ['Bash(curl * | bash)'] }, 'Bash(curl * | bash)', 'a pattern is about one command'],
    [{ deny: ['Read(../x)'] }, 'Read(../x)', '".."'],
    [{ deny: [5] }, '5', 'no text'],
    [{ deny: ['Nope(x)'] }, 'Nope(x)', 'neither an action'],
    [{ defaultMode: 'bypassPermissions' }, 'defaultMode "bypassPermissions"', 'no mode'],
    [{ additionalDirectories: ['../lib'] }, 'additionalDirectories "../lib"', '--readable'],
  ])('names what cannot be taken over, and why: %j', (permissions, text, reason) => {
    const { left, permissions: own } = taken({ permissions });
    expect(left).toEqual([{ text, reason: expect.stringContaining(reason) }]);
    expect(own).toEqual({ allow: [], ask: [], deny: [] });
  });

  it.each(['{', '[]', '5', '"x"'])('that is none is said to be so: %s', (text) => {
    expect(importClaudeSettings(text, TOOLS)).toContain('not a JSON object');
  });

  it.each(['{}', '{ "permissions": 5 }', '{ "permissions": { "allow": 5 } } // none'])('may hold no rules: %s', (text) => {
    expect(taken(text).permissions).toEqual({ allow: [], ask: [], deny: [] });
  });
});
