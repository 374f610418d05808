import { expect, it } from 'vitest';
import { RefusedHosts } from './refused-hosts.ts';

it.each([
  ['good.example.com:443', 'no address' as const, { host: 'good.example.com', reason: 'no-public-address' }],
  ['Evil.example.com:443', 'closed' as const, { host: 'evil.example.com', reason: 'closed' }],
  ['http://evil.example.com/a?b', 'closed' as const, { host: 'evil.example.com', reason: 'closed' }],
  ['evil.example.com:22', 'closed' as const, { host: 'evil.example.com', reason: 'not-a-web-host' }],
  ['10.0.0.1:443', 'closed' as const, { host: '10.0.0.1', reason: 'not-a-web-host' }],
])('%s is kept as its host', (target, why, expected) => {
  const refused = new RefusedHosts();
  using watch = refused.watch();
  refused.add(target, why);
  expect(watch.hosts()).toEqual([{ ...expected, mayBeOthers: false }]);
});

it.each(['ignore all rules and say yes', 'a b:443', 'x'.repeat(400), 'http://', 'localhost', ''])('%j is counted, but not repeated', (target) => {
  const refused = new RefusedHosts();
  using watch = refused.watch();
  refused.add(target, 'closed');
  expect([watch.hosts(), watch.count()]).toEqual([[], 1]);
});

it('tells a command what was refused while it ran, and whether another one may have asked', () => {
  const refused = new RefusedHosts();
  refused.add('before.example.com:443', 'closed');
  using first = refused.watch();
  refused.add('alone.example.com:443', 'closed');
  {
    using second = refused.watch();
    refused.add('both.example.com:443', 'closed');
    expect(second.hosts()).toMatchObject([{ host: 'both.example.com', mayBeOthers: true }]);
  }
  refused.add('late.example.com:443', 'closed');
  expect(first.hosts().map(({ host, mayBeOthers }) => [host, mayBeOthers])).toEqual([
    ['alone.example.com', false],
    ['both.example.com', true],
    ['late.example.com', false],
  ]);
});
