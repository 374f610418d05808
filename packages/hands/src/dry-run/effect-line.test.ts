import { describe, expect, it } from 'vitest';
import { effectLine } from './effect-line.ts';
import type { EffectChange, ShownEffect } from './show-effect.ts';

const NOTHING: ShownEffect = { changes: [], more: 0, omitted: [], cautions: [] };
const made = (path: string, note?: string): EffectChange => ({ kind: 'created', path, ...(note === undefined ? {} : { note }) });

describe('effectLine', () => {
  it.each<readonly [what: string, effect: Partial<ShownEffect>, text: string, changed: number]>([
    ['nothing', {}, '', 0],
    [
      'git data that leads out of the repository, which is more than data',
      { changes: [made('.git/objects/ab', 'link to /elsewhere'), made('.git/objects/cd')], repositories: [] },
      'create .git/objects/ab (link to /elsewhere), git: 1 file of its own data',
      2,
    ],
    [
      'commits that are not all listed',
      {
        repositories: ['git in a: branch main is new, at 0123456', '  0123456 one', '  and older commits', 'git in b: HEAD moves from x to y'],
      },
      'git in a: branch main is new, at 0123456, more than 1 commit: 0123456 one, …, git in b: HEAD moves from x to y',
      2,
    ],
    [
      'more than a line holds',
      { changes: Array.from({ length: 22 }, (_, index) => made(`${index}/a`)), more: 3 },
      `${Array.from({ length: 20 }, (_, index) => `create ${index}/a`).join(', ')}, and 5 more changes`,
      25,
    ],
  ])('describes %s', (_, effect, text, changed) => {
    expect(effectLine({ ...NOTHING, ...effect })).toEqual({ text, changed });
  });
});
