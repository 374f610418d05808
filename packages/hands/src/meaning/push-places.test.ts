import { expect, it } from 'vitest';
import { readSettings } from '../danger/git-settings.ts';
import { pushSentences, repositoryPlace } from './push-places.ts';
import { submoduleSentences } from './submodule-sentences.ts';

it.each([
  ['https://github.com/a/b.git', 'github.com/a/b'],
  ['https://user:token@GitHub.com/a/b', 'github.com/a/b'],
  ['git@github.com:a/b.git', 'github.com/a/b'],
  ['ssh://git@example.com:2222/a/b.git', 'example.com:2222/a/b'],
  ['../other', '"../other"'],
  ['file://github.com/a/b', '"file://github.com/a/b"'],
  ['https://g\u0456thub.com/a/b', 'xn--gthub-n2e.com/a/b'],
  ['https://\uff47ithub.com/a/b', '"?ithub.com/a/b"'],
  ['https://github.com@evil.example/a', 'evil.example/a'],
  ['https://evil.example/github.com/a b', '"evil.example/github.com/a b"'],
  ['ext::sh -c evil', 'a helper program, "ext::sh -c evil"'],
  ['https://ghp_SECRET@github.com/a/b', 'github.com/a/b'],
  ['https://github.com@x@evil.example/a', 'evil.example/a'],
  ['ghp_SECRET@github.com:a/b', 'github.com/a/b'],
  ['https://evil.example?@github.com/a', '"https://…@github.com/a"'],
  ['https://evil.example\\\\@github.com/a', '"https://…@github.com/a"'],
  ['me:SECRET@github.com:a/b', 'me/…@github.com:a/b'],
  ['ext::sh -c https://SECRET@h/a', 'a helper program, "ext::sh -c https://…@h/a"'],
])('names the place of %s', (address, place) => {
  expect(repositoryPlace(address)).toBe(place);
});

const of = (sentences: typeof pushSentences, before: string, after: string): string[] =>
  sentences(readSettings(before).settings, readSettings(after).settings);
const ORIGIN = '[remote "origin"]\n\turl = https://github.com/a/b.git\n';

it.each([
  ['nothing', ORIGIN, `${ORIGIN}[core]\n\tbare = false\n`, []],
  ['a new remote', ORIGIN, `${ORIGIN}[remote "up"]\n\turl = git@example.com:a/b\n`, ['adds remote up at example.com/a/b']],
  ['another host', ORIGIN, ORIGIN.replace('github.com', 'evil.example'), ['changes where later pushes go: remote origin to evil.example/a/b']],
  [
    'a push address',
    ORIGIN,
    `${ORIGIN}\tpushurl = https://evil.example/x\n`,
    ['changes where later pushes go: pushes to remote origin to evil.example/x'],
  ],
  ['a remote that is gone', ORIGIN, '', ['removes remote origin']],
  ['a branch', ORIGIN, `${ORIGIN}[branch "x"]\n\tremote = origin\n`, ['changes where later pushes go: branch x to remote origin']],
  [
    'a rewritten address',
    ORIGIN,
    `${ORIGIN}[url "https://evil.example/"]\n\tpushInsteadOf = https://github.com/\n`,
    ['changes where later pushes go: pushes to addresses that begin with "https://github.com/" to "https://evil.example/"'],
  ],
  ['who commits', ORIGIN, `${ORIGIN}[user]\n\temail = x@y\n`, ['changes who makes later commits: "x@y"']],
  ['who committed', `${ORIGIN}[user]\n\temail = x@y\n`, ORIGIN, ['changes who makes later commits: user.email is removed']],
  ['references', ORIGIN, `${ORIGIN}\tpush = main:prod\n`, ['changes what later pushes send: to remote origin: "main:prod"']],
  ['a mirror', ORIGIN, `${ORIGIN}\tmirror = true\n`, ['changes what later pushes send: to remote origin: mirror is "true"']],
  ['a default', ORIGIN, `${ORIGIN}[push]\n\tdefault = matching\n`, ['changes what later pushes send: "matching"']],
  ['one address less', `${ORIGIN}\turl = https://b.example/x\n`, ORIGIN, ['changes where later pushes go: remote origin to github.com/a/b']],
  [
    'another order of names',
    `${ORIGIN}[user]\n\tname = a\n\tname = b\n`,
    `${ORIGIN}[user]\n\tname = b\n\tname = a\n`,
    ['changes who makes later commits: "a"'],
  ],
  ['a submodule', ORIGIN, `${ORIGIN}[submodule "x"]\n\turl = https://a.example/x\n`, ['changes where submodules come from: x from a.example/x']],
  [
    'a helper program',
    ORIGIN,
    ORIGIN.replace('https://github.com/a/b.git', 'ext::sh -c evil'),
    ['changes where later pushes go: remote origin to a helper program, "ext::sh -c evil"'],
  ],
  [
    'a token in rewritten addresses',
    ORIGIN,
    `${ORIGIN}[url "https://ghp_SECRET@github.com/"]\n\tinsteadOf = https://me:SECRET@github.com/\n`,
    ['changes where later pushes go: addresses that begin with "https://…@github.com/" to "https://…@github.com/"'],
  ],
  [
    'a token in the address of a branch',
    ORIGIN,
    `${ORIGIN}[branch "x"]\n\tremote = https://ghp_SECRET@evil.example/a\n`,
    ['changes where later pushes go: branch x to remote "https://…@evil.example/a"'],
  ],
  [
    'a token in the name of a remote',
    ORIGIN,
    `${ORIGIN}[remote "https://ghp_SECRET@h/"]\n\turl = https://h/a\n`,
    ['adds remote "https://…@h/" at h/a'],
  ],
])('says what a configuration means for pushes: %s', (_, before, after, sentences) => {
  expect(of(pushSentences, before, after)).toEqual(sentences);
});

it.each([
  ['', '[submodule "x"]\n\tpath = lib/x\n\turl = https://github.com/a/x.git\n', ['adds submodule lib/x from github.com/a/x']],
  ['[submodule "x"]\n\tpath = lib/x\n\turl = a\n', '', ['removes submodule lib/x']],
  [
    '[submodule "x"]\n\tpath = x\n\turl = https://github.com/a/x\n',
    '[submodule "x"]\n\tpath = x\n\turl = https://evil.example/x\n',
    ['changes where submodule x comes from: evil.example/x'],
  ],
])('says what happens to submodules: %j to %j', (before, after, sentences) => {
  expect(of(submoduleSentences, before, after)).toEqual(sentences);
});
