import { describe, expect, it } from 'vitest';
import { checkContract } from '../testing/contract.ts';
import { localSite } from '../testing/local-site.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { canFetch } from '../web/http-client.ts';

describe('opencode', () => {
  checkContract('opencode', [
    { says: 'read', tool: 'read', files: { a: 'x\ny\n' }, input: { filePath: 'a', offset: 0 }, output: '1: x\n2: y\n' },
    { says: 'read of a folder', tool: 'read', files: { 'd/a': '' }, input: { filePath: 'd' }, output: /^a /u },
    { says: 'read of nothing', tool: 'read', input: { filePath: 'none' }, output: /^File not found: none/u, isError: true },
    { says: 'write', tool: 'write', input: { filePath: 'a', content: 'x' }, leaves: { a: 'x' } },
    {
      says: 'edit',
      tool: 'edit',
      files: { a: 'x y\n' },
      input: { filePath: 'a', oldString: 'x', newString: 'z' },
      leaves: { a: 'z y\n' },
    },
    {
      says: 'apply_patch',
      tool: 'apply_patch',
      input: { patchText: '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch' },
      leaves: { a: 'x\n' },
    },
    {
      says: 'grep',
      tool: 'grep',
      files: { a: 'no\nyes\n' },
      input: { pattern: 'y', include: 'a' },
      output: 'Found 1 matches\n\na:\n  Line 2: yes\n',
    },
    { says: 'glob', tool: 'glob', files: { 'd/a.ts': '' }, input: { pattern: '**/*.ts' }, output: 'd/a.ts\n' },
    { says: 'list', tool: 'list', files: { 'd/a': '' }, input: {}, output: /^d\/\nd\/a /u },
    { says: 'bash', tool: 'bash', files: { 'd/x': '' }, input: { command: 'ls', workdir: 'd', timeout: 5_000, description: 'List' }, output: 'x\n' },
  ]);

  it.runIf(canFetch())('webfetch', async () => {
    await using site = await localSite();
    await using place = await temporaryHands({}, { policy: { allow: ['fetch(127.0.0.1)'] } });
    const page = await place.hands.dialect('opencode').call('webfetch', { url: `${site.base}/doc`, format: 'text', timeout: 5 });
    expect(page).toMatchObject({ isError: false, output: expect.stringContaining('Some words.') as string });
  });
});
