import { describe, expect, it } from 'vitest';
import { isObjectPath } from './object-path.ts';

const HASH = '0123456789abcdef0123456789abcdef01234567';

describe('the place of an object of git', () => {
  it.each([
    `.git/objects/01`,
    `.git/objects/01/${HASH.slice(2)}`,
    `.git/objects/01/${HASH.slice(2)}${HASH.slice(0, 24)}`,
    `sub/.git/objects/pack/pack-${HASH}.idx`,
    `.GIT/objects/ab`,
    `.git/modules/objects/objects/ab`,
    `mirror.git/objects/pack/pack-${HASH}.pack`,
    `.git/modules/lib/objects/ab`,
    `.git/modules/libs/refs-of/lib/objects/ab/${HASH.slice(2)}`,
  ])('is %s', (path) => {
    expect(isObjectPath(path)).toBe(true);
  });

  it.each([
    '.git/objects',
    '.git/objects/info',
    '.git/objects/info/alternates',
    '.git/objects/info/commit-graph',
    '.git/objects/pack',
    '.git/objects/pack/multi-pack-index',
    '.git/objects/pack/tmp_pack_x',
    `objects/01/${HASH.slice(2)}`,
    `cache/objects/01`,
    '.git/refs/heads/objects/ab',
    '.git/logs/refs/heads/objects/ab',
    '.git/modules/lib/refs/heads/objects/ab',
    '.git/objects/01/x',
    '.git/objects/0g',
    '.git/OBJECTS/ab',
    '.git/objects/AB',
    `.git/objects/01/${HASH.slice(2)}/x`,
  ])('is not %s', (path) => {
    expect(isObjectPath(path)).toBe(false);
  });

  it('is found in a long path in no time', () => {
    expect(isObjectPath(`.git/modules/${'objects/'.repeat(2_000)}x`)).toBe(false);
  });
});
