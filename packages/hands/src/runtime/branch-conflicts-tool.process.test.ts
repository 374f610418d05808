import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { createHands } from './create-hands.ts';

async function withTool({ folder }: TemporaryHands) {
  const configFolder = join(folder, '..', 'config');
  mkdirSync(configFolder);
  writeFileSync(
    join(configFolder, 'config.jsonc'),
    '{ "tools": { "branch_conflicts": true }, "permissions": { "deny": ["write(fixed.txt)", "read(.env)"] } }',
  );
  return await createHands({ workspace: folder, stateFolder: join(folder, '..', 'state'), configFolder, allow: ['write'] });
}

/** The same line, changed by both sides. */
async function makeConflicts(hands: Awaited<ReturnType<typeof withTool>>, at: TemporaryHands['at']): Promise<void> {
  {
    await using branch = await hands.branch('fix');
    for (const path of ['a.txt', 'b.txt']) expect(await branch.call('write_file', { path, content: 'one\nbranch\n' })).toMatchObject({ ok: true });
  }
  for (const path of ['a.txt', 'b.txt']) writeFileSync(at(path), 'one\nworkspace\n');
}

describe.skipIf((await findBubblewrap())?.usable !== true)('the tool for conflicts of a branch', () => {
  it('lists them, shows the versions, and takes a merged text, which counts when a person applies the branch', async () => {
    await using place = await temporaryHands({ 'a.txt': 'one\ntwo\n', 'b.txt': 'one\ntwo\n' });
    await using hands = await withTool(place);
    await makeConflicts(hands, place.at);
    const ask = async (input: object) => await hands.call<string>('branch_conflicts', { branch: 'fix', ...input });
    const conflicts = ['a.txt', 'b.txt'].map((path) => ({ path, branch: 'changed', workspace: 'changed' }));
    expect(await ask({})).toMatchObject({ ok: true, data: { conflicts } });
    const marked = 'one\n<<<<<<< workspace\nworkspace\n||||||| base\ntwo\n=======\nbranch\n>>>>>>> branch\n';
    expect(await ask({ path: 'a.txt' })).toMatchObject({ ok: true, output: expect.stringContaining(marked) as string, data: { marked } });
    expect(await ask({ path: 'a.txt', content: marked })).toMatchObject({
      ok: false,
      error: { code: 'invalid_arguments', message: 'A mark of a conflict is left in the content, on line 2: <<<<<<< workspace' },
    });
    expect(await ask({ path: 'a.txt', content: 'one\nboth\n' })).toMatchObject({ ok: true, data: { take: 'content' } });
    expect(await ask({ path: 'b.txt', places: ['both'] })).toMatchObject({ ok: true, data: { take: 'places' } });
    expect([readFileSync(place.at('a.txt'), 'utf8'), readFileSync(place.at('b.txt'), 'utf8')]).toEqual(['one\nworkspace\n', 'one\nworkspace\n']);
    expect(await ask({})).toMatchObject({ output: 'No conflicts: a person can apply the branch.', data: { conflicts: [] } });
    expect(await hands.applyBranch('fix')).toMatchObject({ ok: true, data: { conflicts: [] } });
    expect([readFileSync(place.at('a.txt'), 'utf8'), readFileSync(place.at('b.txt'), 'utf8')]).toEqual(['one\nboth\n', 'one\nworkspace\nbranch\n']);
  });

  it('needs what reading and writing the file needs, and changes nothing in a dry run', async () => {
    await using place = await temporaryHands({ 'a.txt': 'one\ntwo\n', 'b.txt': 'one\ntwo\n', 'fixed.txt': '1\n', '.env': 'KEY=hidden words\n' });
    await using hands = await withTool(place);
    await makeConflicts(hands, place.at);
    const ask = async (input: object, options = {}) => await hands.call<string>('branch_conflicts', { branch: 'fix', ...input }, options);
    for (const input of [{ path: 'fixed.txt', take: 'branch' }, { path: '.env' }, { path: '../a.txt' }, { path: '/etc/passwd' }]) {
      const result = await ask(input);
      expect(result.ok, JSON.stringify(input)).toBe(false);
      expect(JSON.stringify(result)).not.toContain('hidden words');
    }
    expect(await ask({ path: 'a.txt', take: 'branch' }, { dryRun: true })).toMatchObject({ ok: false });
    expect(await ask({})).toMatchObject({ data: { conflicts: { length: 2 } } });
    expect(await ask({ take: 'branch' })).toMatchObject({ error: { code: 'invalid_arguments', message: 'Missing "path".' } });
    expect(await ask({ path: 'a.txt', take: 'branch', content: '' })).toMatchObject({ error: { code: 'invalid_arguments' } });
    expect(await ask({ path: 'a.txt', take: 'branch', places: ['both'] })).toMatchObject({
      error: { message: '"take" and "places" were given.', hint: 'Give one of them.' },
    });
    expect(await ask({ path: 'fixed.txt', places: ['both'] })).toMatchObject({ ok: false });
    expect(await hands.call<string>('branch_conflicts', { branch: 'other' })).toMatchObject({ error: { code: 'not_found' } });
  });
});
