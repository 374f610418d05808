import { expect, it } from 'vitest';
import { dangerousSettings } from './git-orders.ts';

const remote = (key: string, value: string): string => `[remote "origin"]\n\t${key} = ${value}\n`;
const HOME = remote('url', 'https://github.com/a/b.git');

it.each<[string, string, string[]]>([
  ['the same host', remote('url', 'git@github.com:a/c.git'), []],
  ['another host', remote('url', 'https://evil.example/a/b'), ['remote.url to evil.example']],
  ['the same host as a user name', remote('url', 'https://github.com@evil.example/a/b'), ['remote.url to evil.example']],
  ['another host for pushes', HOME + remote('pushurl', 'git@evil.example:a'), ['remote.pushurl to evil.example']],
  ['a branch with an address', `${HOME}[branch "main"]\n\tremote = ssh://evil.example:22/a\n`, ['branch.remote to evil.example']],
  ['a branch with a name', `${HOME}[branch "main"]\n\tremote = upstream\n`, []],
  ['a folder', remote('url', '/tmp/x'), ['remote.url to /tmp/x']],
  ['a rewritten address', `${HOME}[url "https://evil.example/"]\n\tpushInsteadOf = https://github.com/\n`, ['url.pushinsteadof']],
  ['a shared repository', `${HOME}[core]\n\tsharedRepository = 0666\n`, ['core.sharedrepository']],
])('tells where pushes go: %s', (_, text, expected) => expect(dangerousSettings(text, HOME)).toEqual(expected));

it('takes the first host for no change', () => expect(dangerousSettings(HOME, '[core]\n\tbare = false\n')).toEqual([]));
