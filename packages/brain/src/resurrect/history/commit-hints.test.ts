import { expect, it } from 'vitest';
import { commitHint, isByBot, isMerge, isRelease, subject } from './commit-hints.ts';

it.each([
  ['WIP: the parser', 'work-in-progress'],
  ['fixup! parser', 'work-in-progress'],
  ['Revert "feat: x"', 'revert'],
  ['fix ci', 'failing-ci'],
  ['fix(deps): repair the build on node 20', 'failing-ci'],
  ['ci: fix cache', 'failing-ci'],
  ['tests are failing on windows', 'broken'],
  ["doesn't compile yet", 'broken'],
  ['Skip failing tests', 'broken'],
  ['docs: remove the link temporarily', 'broken'],
  ['a temporary workaround for SIGPIPE', 'broken'],
  ['Minimal fix to CI (#2884)', 'failing-ci'],
  ['Fixed the .NET 4.0 build.', 'failing-ci'],
  ['Fix broken fish completion', undefined],
  ['Clean up the temporary history file (#13601)', undefined],
  ['chore: update broken links in changelog', undefined],
  ['Fix GitHub CI Workflow Badge URL (#3188)', undefined],
  ['fix(build): empty the folder before a rebuild', undefined],
  ['Fix broken links about the book [ci skip]', undefined],
  ['fix moduleSideEffects in build script on Windows', undefined],
  ['feat: wipe the cache', undefined],
  ['fix: circle', undefined],
  ['docs: how to revert a commit', undefined],
  ['feat: x\n\nWIP in the body only', undefined],
  ['', undefined],
])('%j hints at %s', (message, hint) => {
  expect(commitHint(message)).toBe(hint);
});

it('reads a message of one endless line in time', () => {
  for (const text of [`fix ${'ci'.repeat(500_000)}`, 'fix '.repeat(200_000), 'broken fix '.repeat(100_000), '('.repeat(500_000)])
    expect(commitHint(text)).toBeUndefined();
  expect(subject('x'.repeat(1_000_000))).toHaveLength(300);
});

it.each([
  ['chore(release): 1.2.0', true],
  ['v1.2.3', true],
  ['1.2.3', true],
  ['release 4', true],
  ['feat: 1.2.3', false],
])('%j marks a release: %s', (message, expected) => {
  expect(isRelease(message)).toBe(expected);
});

it.each([
  ["Merge branch 'a' into b", true],
  ['Merge pull request #1 from x', true],
  ['Merge the two parsers', false],
])('%j only joins: %s', (message, expected) => {
  expect(isMerge(message)).toBe(expected);
});

it.each([
  ['dependabot[bot]', true],
  ['renovate[bot]', true],
  ['Renovate Bot', true],
  ['github-actions', true],
  ['Robot Smith', false],
  ['Abbot', false],
])('%j is a program: %s', (author, expected) => {
  expect(isByBot(author)).toBe(expected);
});
