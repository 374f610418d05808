import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dangerousSettings } from '../danger/executable-git-config.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { git, write } from '../testing/git-repository.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { personSettings } from './person-config.ts';

const entry = (key: string, value: string, scope = 'global') => ({ scope, key, value });

describe('what commands get of the settings of a person', () => {
  it.each([
    ['user.name', 'Ada "A." Lovelace'],
    ['user.email', 'ada@example.com'],
    ['init.defaultbranch', 'trunk'],
    ['core.autocrlf', 'input'],
    ['pull.rebase', 'true'],
    ['push.default', 'current'],
    ['format.signoff', 'true'],
    ['alias.st', 'status -sb'],
  ])('%s', (key, value) => {
    const text = personSettings([entry(key, value)]);
    expect(text).toContain(value.replaceAll('"', String.raw`\"`));
    // The other judge of settings finds nothing in it.
    if (!/^(?:alias|format)\./u.test(key)) expect(dangerousSettings(text)).toEqual([]);
    expect(personSettings([entry(key, value, 'local')])).toBe('');
  });

  it.each([
    ['core.hookspath', '/hooks'],
    ['core.editor', 'vim'],
    ['core.pager', 'less'],
    ['core.fsmonitor', 'program'],
    ['core.sshcommand', 'ssh -i key'],
    ['core.excludesfile', '~/.ignore'],
    ['credential.helper', 'store'],
    ['credential.https://x.helper', '!program'],
    ['include.path', '~/other'],
    ['includeif.gitdir:~/projects/.path', '~/other'],
    ['filter.lfs.clean', 'git-lfs clean -- %f'],
    ['commit.gpgsign', 'true'],
    ['gpg.program', 'gpg'],
    ['user.signingkey', 'KEY'],
    ['diff.external', 'program'],
    ['merge.tool', 'meld'],
    ['url.https://token@host/.insteadof', 'https://host/'],
    ['http.extraheader', 'Authorization: x'],
    ['alias.run', '!sh -c x'],
    ['alias.run', ' !sh'],
    ['alias.a\nb', 'x'],
  ])('not %s = %s', (key, value) => {
    expect(personSettings([entry(key, value)])).toBe('');
  });
});

describe.skipIf((await findBubblewrap()) === undefined)('a commit in the sandbox', () => {
  async function commit(
    files: Readonly<Record<string, string>>,
    variables: Readonly<Record<string, string>> = {},
    command = 'git commit -q --allow-empty -m one',
  ) {
    const home = mkdtempSync(join(tmpdir(), 'synapse-home-'));
    write(home, files);
    const environment = { HOME: home, ...Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, join(home, value)])) };
    await using place = await temporaryHands({ 'a.txt': 'a' }, { sandbox: 'required', environment });
    git(place.folder, 'init', '-q');
    const result = await place.hands.call('run_command', { command });
    const author =
      result.ok && result.data.exit_code === 0 && command.startsWith('git commit') ? git(place.folder, 'log', '-1', '--format=%an <%ae>') : undefined;
    return { result, author, output: result.ok ? result.output : result.error.message };
  }

  it.each<readonly [string, Readonly<Record<string, string>>, Readonly<Record<string, string>>]>([
    [
      '~/.gitconfig',
      { '.gitconfig': '[user]\n\tname = Grace\n\temail = grace@example.com\n[core]\n\thooksPath = /nowhere\n[commit]\n\tgpgsign = true\n' },
      {},
    ],
    ['XDG_CONFIG_HOME', { 'c/git/config': '[user]\nname = Grace\nemail = grace@example.com\n' }, { XDG_CONFIG_HOME: 'c' }],
    ['~/.config', { '.config/git/config': '[user]\nname = Grace\nemail = grace@example.com\n' }, {}],
    ['an included file', { '.gitconfig': '[include]\npath = who\n', who: '[user]\nname = Grace\nemail = grace@example.com\n' }, {}],
  ])('has the identity of %s', async (_, files, variables) => {
    expect((await commit(files, variables)).author).toBe('Grace <grace@example.com>');
  });

  it('without an identity says what to set', async () => {
    const { output, author } = await commit({ '.gitconfig': '[user]\nuseConfigOnly = true\n' });
    expect(author).toBeUndefined();
    expect(output).toMatch(/git knows no identity: a person sets it with git config --global/u);
  });

  it('has aliases, may set its own, and sees nothing else of the person', async () => {
    const files = { '.gitconfig': '[alias]\n\tst = status --short\n\trun = !echo ran\n[credential]\n\thelper = secret-helper\n' };
    const { output } = await commit(files, {}, 'git st; git run; git config --global a.b c && git config a.b; cat ~/.gitconfig');
    expect(output).toContain('?? a.txt');
    expect(output).toMatch(/^c$/mu);
    expect(output).not.toMatch(/secret-helper|^ran$/mu);
  });
});
