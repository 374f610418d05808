import { describe, expect, it } from 'vitest';
import type { Output } from '../output/output.ts';
import { chooseHunks, numbered, parseHunks } from './choose-hunks.ts';

const [FIRST, SECOND] = ['@@ -1,1 +1,1 @@\n-a\n+\u001b[2Jb\n', '@@ -9,1 +9,1 @@\n-y\n+z\n'];
const change = { kind: 'changed', path: 'x', diff: `--- a/x\n+++ b/x\n${FIRST}${SECOND}` } as const;
const EFFECT = { changes: [change], more: 0, omitted: [], cautions: [] };

/** A person who gives some answers. */
function person(...answers: string[]) {
  const written: string[] = [];
  const err: Output = { isTerminal: answers.length > 0, columns: 80, write: (text) => void written.push(text), show: () => {} };
  const stdin = { isTTY: answers.length > 0 } as NodeJS.ReadStream;
  return { written, asking: { err, stdin, signal: AbortSignal.timeout(5_000), nextLine: async () => answers.shift() } };
}

describe('hunks', () => {
  it.each([
    ['1', [1]],
    ['1,3', [1, 3]],
    ['ask', 'ask'],
    ['', undefined],
    ['0', undefined],
    ['1,', undefined],
    ['1-3', undefined],
    ['one', undefined],
  ])('given as %j', (given, expected) => {
    expect(parseHunks(given)).toEqual(expected);
  });

  it('have numbers in each changed file', () => {
    const created = { ...change, kind: 'created' as const, path: 'y' };
    const { changes } = numbered({ ...EFFECT, changes: [change, created, { ...change, path: 'z' }] });
    expect(changes.map(({ diff }) => diff?.match(/^.*@@/gmu))).toEqual([
      ['[1] @@ -1,1 +1,1 @@', '[2] @@ -9,1 +9,1 @@'],
      ['@@ -1,1 +1,1 @@', '@@ -9,1 +9,1 @@'],
      ['[1] @@ -1,1 +1,1 @@', '[2] @@ -9,1 +9,1 @@'],
    ]);
  });

  it('are chosen one by one at a terminal, which shows each', async () => {
    const { written, asking } = person('n', 'y');
    expect(await chooseHunks('ask', ['x'], EFFECT, asking)).toEqual({ path: 'x', take: [2], seen: [SECOND] });
    expect(written.join('')).toBe(
      '  @@ -1,1 +1,1 @@\n  -a\n  +␛[2Jb\nApply hunk 1 of 2? [y/N]   @@ -9,1 +9,1 @@\n  -y\n  +z\nApply hunk 2 of 2? [y/N] ',
    );
    expect(await chooseHunks('ask', ['x'], EFFECT, person('n', '').asking)).toBeUndefined();
    await expect(chooseHunks('ask', ['x'], EFFECT, person().asking)).rejects.toMatchObject({ code: 'approval_required' });
  });

  it('are those of one file, with what was seen of them', async () => {
    const { asking } = person();
    expect(await chooseHunks([2], ['x'], EFFECT, asking)).toEqual({ path: 'x', take: [2], seen: [SECOND] });
    expect(await chooseHunks([2, 7], ['x'], EFFECT, asking)).toEqual({ path: 'x', take: [2, 7] });
    for (const paths of [[], ['x', 'y']]) await expect(chooseHunks([1], paths, EFFECT, asking)).rejects.toMatchObject({ code: 'invalid_arguments' });
  });
});
