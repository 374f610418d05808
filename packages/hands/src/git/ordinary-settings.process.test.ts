import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

async function run(command: string) {
  await using place = await temporaryHands({ 'a.txt': 'a' }, { sandbox: 'required' });
  git(place.folder, 'init', '-q', '-b', 'main');
  git(place.folder, 'add', '.');
  git(place.folder, 'commit', '-q', '-m', 'one');
  git(place.folder, 'update-ref', 'refs/remotes/origin/main', 'main');
  git(place.folder, 'remote', 'add', 'origin', 'https://example.com/x.git');
  const result = await place.hands.call('run_command', { command });
  return { result, config: readFileSync(place.at('.git/config'), 'utf8'), data: result.ok ? result.data : undefined };
}

describe.skipIf((await findBubblewrap()) === undefined)('a command may set in .git/config', () => {
  it.each([
    ['git checkout -q -b topic origin/main', /\[branch "topic"\]\s+remote = origin\s+merge = refs\/heads\/main/u],
    ['git remote add fork https://example.com/fork.git', /\[remote "fork"\]\s+url = https:\/\/example\.com\/fork\.git/u],
    ['git branch -q -u origin/main', /\[branch "main"\]\s+remote = origin/u],
    ['git config user.email me@example.com', /email = me@example\.com/u],
    ['git remote set-url origin https://example.com/y.git', /url = https:\/\/example\.com\/y\.git/u],
  ])('%s', async (command, expected) => {
    const { config, data } = await run(command);
    expect(data).toMatchObject({ exit_code: 0, quarantined: [] });
    expect(config).toMatch(expected);
  });

  it.each([
    'git config core.hooksPath hooks',
    'git config core.fsmonitor ./program',
    'git config alias.x "!sh -c y"',
    'git config include.path ../other',
    'git config remote.origin.url "ext::sh -c x"',
    'git config credential.helper ./program',
    `perl -e 'open F, ">>", ".git/con"."fig"; print F "[core]\\n\\tsshCommand = ./program\\n"'`,
  ])('not: %s', async (command) => {
    const { config, data } = await run(command);
    expect(data?.quarantined).toEqual([expect.objectContaining({ path: '.git/config' })]);
    expect(config).not.toMatch(/program|hooksPath|sh -c|other/u);
  });
});
