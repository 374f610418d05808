import { expect, it } from 'vitest';
import type { SecretWay } from './secret.ts';
import { unseenValues } from './unseen-values.ts';

const basic = `Basic ${Buffer.from('me:correct-horse').toString('base64')}`;

it.each<readonly [SecretWay, string, string[]]>([
  [{ kind: 'bearer' }, 'me:correct-horse', []],
  [{ kind: 'basic' }, 'me:correct-horse', ['correct-horse']],
  [{ kind: 'basic' }, 'me:correct:horse', ['correct:horse']],
  // Of a longer one, nothing else could be seen.
  [{ kind: 'basic' }, 'someone:short', []],
  [{ kind: 'basic' }, 'someone:aaaaaaaaaaaa', []],
  [{ kind: 'basic', user: 'me' }, 'correct:horse', []],
  [{ kind: 'header', name: 'authorization' }, 'Token 0123456789ab', ['0123456789ab']],
  [{ kind: 'header', name: 'x-key' }, '0123456789ab', []],
  [{ kind: 'header', name: 'authorization' }, basic, [basic.slice(6), 'me:correct-horse', 'correct-horse']],
])('of a secret as %j, %s, these parts are secrets alone: %j', (as, value, parts) => {
  expect(unseenValues({ value, places: [{ as }, { as }] })).toEqual([value, ...parts]);
});
