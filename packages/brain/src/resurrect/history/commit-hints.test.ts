import { expect, it } from 'vitest';
import { commitHint, isMerge, isRelease, subject } from './commit-hints.ts';

it.each([
  ['WIP: the parser', 'work-in-progress'],
  ['fixup! parser', 'work-in-progress'],
  ['Revert "feat: x"', 'revert'],
  ['fix ci', 'failing-ci'],
  ['fix(deps): repair the build on node 20', 'failing-ci'],
  ['ci: fix cache', 'failing-ci'],
  ['tests are failing on windows', 'broken'],
  ["doesn't compile yet", 'broken'],
  ['feat: wipe the cache', undefined],
  ['fix: circle', undefined],
  ['docs: how to revert a commit', undefined],
  ['feat: x\n\nWIP in the body only', undefined],
  ['', undefined],
])('%j hints at %s', (message, hint) => {
  expect(commitHint(message)).toBe(hint);
});

it('reads a message of one endless line in time', () => {
  expect(commitHint(`fix ${'ci'.repeat(500_000)}`)).toBeUndefined();
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
