import { expect, it } from 'vitest';
import { leadsInside } from './change-judges.ts';

it.each<[string[], string | Buffer, boolean]>([
  [['l'], 'a', true],
  [['l'], '..', false],
  [['d', 'l'], '..', true],
  [['d', 'l'], '../..', false],
  [['d', 'l'], '../../w/a', false],
  [['l'], 'a/../../b', false],
  [['l'], '/w/a', true],
  [['l'], '/w', true],
  [['l'], '/w/../etc', false],
  [['l'], '/wide', false],
  [['l'], '/proc/self/root', false],
  [['l'], Buffer.from([0xff, 0x2f, 0x2e, 0x2e]), true],
  [['l'], Buffer.from('../\xff', 'latin1'), false],
])('judges a link at %j to %s by its text', (location, target, inside) => {
  expect(leadsInside(location, target, '/w')).toBe(inside);
});
