import { expect, it } from 'vitest';
import { computedMs } from '../testing/computing-time.ts';
import { dangerousSettings } from './executable-git-config.ts';
import { settingEffects } from './push-hosts.ts';

const remote = (key: string, value: string): string => `[remote "origin"]\n\t${key} = ${value}\n`;
const HOME = remote('url', 'https://github.com/a/b.git');

it.each<[string, string, string[]]>([
  ['the same host', remote('url', 'git@github.com:a/c.git'), []],
  ['another host', remote('url', 'https://evil.example/a/b'), ['remote.url to evil.example instead of github.com']],
  ['the same host as a user name', remote('url', 'https://github.com@evil.example/a/b'), ['remote.url to evil.example instead of github.com']],
  ['two user names', remote('url', 'https://github.com@github.com@evil.example/a'), ['remote.url to evil.example instead of github.com']],
  [
    'a host that ends before the user name',
    remote('url', 'https://evil.example?@github.com/a'),
    ['remote.url to https://…@github.com/a instead of github.com'],
  ],
  ['another host for pushes', HOME + remote('pushurl', 'git@evil.example:a'), ['remote.pushurl to evil.example instead of github.com']],
  ['a branch with an address', `${HOME}[branch "main"]\n\tremote = ssh://evil.example:22/a\n`, ['branch.remote to evil.example']],
  ['a branch with a name', `${HOME}[branch "main"]\n\tremote = upstream\n`, []],
  ['a folder as a URL', remote('url', 'file://github.com/x'), ['remote.url to file://github.com/x instead of github.com']],
  ['a folder', remote('url', '/tmp/x'), ['remote.url to /tmp/x instead of github.com']],
  [
    'a rewritten address',
    `${HOME}[url "https://evil.example/"]\n\tpushInsteadOf = https://github.com/\n`,
    ['url.pushinsteadof to evil.example instead of github.com'],
  ],
  [
    'a rewritten address, for fetches too',
    `${HOME}[url "git@evil.example:"]\n\tinsteadOf = https://github.com/\n`,
    ['url.insteadof to evil.example instead of github.com'],
  ],
  ['a rewritten address on the same host', `${HOME}[url "git@github.com:"]\n\tpushInsteadOf = https://github.com/\n`, ['url.pushinsteadof']],
  ['a rewritten address that is not used', `${HOME}[url "https://evil.example/"]\n\tpushInsteadOf = https://x/\n`, ['url.pushinsteadof']],
  ['a shared repository', `${HOME}[core]\n\tsharedRepository = 0666\n`, ['core.sharedrepository']],
])('tells where pushes go: %s', (_, text, expected) => expect(dangerousSettings(text, HOME)).toEqual(expected));

it('takes the first host for no change', () => expect(dangerousSettings(HOME, '[core]\n\tbare = false\n')).toEqual([]));

const TWO = `${HOME}[remote "up"]\n\turl = https://gitlab.example/a/b\n[branch "main"]\n\tremote = origin\n`;

it.each<[string, string, string[]]>([
  [
    'the address of one remote for another',
    TWO.replace('https://github.com/a/b.git', 'https://gitlab.example/x'),
    ['remote.url to gitlab.example instead of github.com', 'branch.remote to gitlab.example instead of github.com'],
  ],
  ['a branch to another remote', TWO.replace('= origin', '= up'), ['branch.remote to gitlab.example instead of github.com']],
  ['pushes of a branch', `${TWO}[branch "main"]\n\tpushRemote = up\n`, ['branch.pushremote to gitlab.example instead of github.com']],
  ['all pushes', `${TWO}[remote]\n\tpushDefault = up\n`, ['remote.pushdefault to gitlab.example instead of github.com']],
  ['a new branch of a known remote', `${TWO}[branch "x"]\n\tremote = up\n`, []],
  ['a new submodule', `${TWO}[submodule "s"]\n\turl = https://third.example/a\n`, []],
  [
    'addresses of a branch to another host',
    `${TWO}[url "https://gitlab.example/"]\n\tpushInsteadOf = https://github.com/\n`,
    ['url.pushinsteadof to gitlab.example instead of github.com'],
  ],
])('tells where pushes go that went to another known host: %s', (_, text, expected) => expect(dangerousSettings(text, TWO)).toEqual(expected));

it.each<[string, string[]]>([
  ['[user]\n\temail = b@c\n', ['user.email is now "b@c" instead of "a@b"']],
  ['', ['user.email is no longer "a@b"']],
  ['[user]\n\temail = a@b\n[remote "o"]\n\turl = https://u:secret@h/x\n', ['remote.o.url is now "https://…@h/x"']],
  ['[user]\n\temail = a@b\n[remote "o"]\n\turl = https://ghp_SECRET@h/x\n', ['remote.o.url is now "https://…@h/x"']],
  ['[user]\n\temail = a@b\n[remote "o"]\n\turl = git@h:x\n\turl = SECRET@i:x\n', ['remote.o.url is now "git@h:x and …@i:x"']],
  ['[user]\n\temail = a@b\n[remote "o"]\n\turl = me:SECRET@i:x\n', ['remote.o.url is now "…@i:x"']],
  ['[user]\n\temail = a@b\n[remote "https://SECRET@h/"]\n\turl = https://h/x\n', ['remote.https://…@h/.url is now "https://h/x"']],
  ['[user]\n\temail = a@b\n[branch "x"]\n\tremote = o\n', []],
])('describes the effect of %j', (text, expected) => expect(settingEffects(text, '[user]\n\temail = a@b\n')).toEqual(expected));

it('shows no credentials of the earlier address', () => {
  const [old, now] = [remote('url', 'https://ghp_SECRET@h/x'), remote('url', 'https://h/x')];
  expect(settingEffects(now, old)).toEqual(['remote.origin.url is now "https://h/x" instead of "https://…@h/x"']);
  const odd = remote('url', 'https://ghp_SECRET?@h/x');
  expect(dangerousSettings(odd, HOME)).toEqual(['remote.url to https://…@h/x instead of github.com']);
  expect(dangerousSettings(HOME, odd)).toEqual(['remote.url to github.com instead of https://…@h/x']);
});

const many = (line: (index: number) => string): string => Array.from({ length: 15_000 }, (_, index) => line(index)).join('');
const ADDRESSES = `[remote "origin"]\n${many((index) => `\turl = https://h${index}/a\n`)}`;

it.each<[string, string, string]>([
  ['branches and addresses of a remote', HOME, ADDRESSES + many((index) => `[branch "${index}"]\n\tremote = origin\n`)],
  [
    'remotes and prefixes',
    HOME,
    many((index) => `[remote "r${index}"]\n\turl = https://h${index}/a\n[url "x${index}"]\n\tinsteadOf = https://h${index}\n`),
  ],
  [
    'branches that went elsewhere before',
    many((index) => `[remote "r${index}"]\n\turl = https://o${index}/a\n[branch "${index}"]\n\tremote = r${index}\n`),
    ADDRESSES + many((index) => `[branch "${index}"]\n\tremote = origin\n`),
  ],
])('takes no time that grows with the square: %s', (_, before, after) => {
  const start = computedMs();
  expect(dangerousSettings(after, before).length).toBeGreaterThan(0);
  // About a second. Comparing each with each takes minutes.
  expect(computedMs() - start).toBeLessThan(15_000);
});
