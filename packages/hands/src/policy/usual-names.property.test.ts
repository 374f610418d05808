import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PROTECTED_PLACES, protectedEntry } from '../danger/protected-places.ts';
import { decide } from './decide.ts';
import { readsUsualNames } from './free-reads.ts';
import { policyOf, rule, segment } from './fixtures/random-rules.ts';
import { testPolicy } from './fixtures/test-policy.ts';
import { SECRET_PATTERNS } from './guarded-location.ts';
import { hasUsualNames } from './usual-names.ts';

const known = [
  ...SECRET_PATTERNS.flatMap((pattern) => pattern.replace('!', '').split('/')),
  ...PROTECTED_PLACES.flatMap(({ names }) => names),
  'HEAD',
].filter((name) => name !== '');
const usual = fc.constantFrom('index.js', 'README.md', 'src', 'x', '_base.js', 'a-b+c@1.2.3.tgz', 'config', 'config.json', 'key', 'pem', 'agents');
const special = fc
  .tuple(
    fc.constantFrom(...known).map((name) => name.replace('*', 'x')),
    fc.constantFrom(
      (name: string) => name,
      (name: string) => name,
      (name: string) => name.toUpperCase(),
      (name: string) => `${name}.`,
      (name: string) => `${name}:x`,
      (name: string) => `x${name}`,
      (name: string) => `${name}.js`,
      (name: string) => `${name.slice(0, 2)}\u200d${name.slice(2)}`,
      (name: string) => name.replace('s', '\u017f'),
    ),
  )
  .map(([name, written]) => Buffer.from(written(name)).toString('latin1'));
const name = fc.oneof(
  { arbitrary: usual, weight: 3 },
  special,
  segment.map((one) => Buffer.from(one).toString('latin1')),
);
const utf8 = (path: string): string => Buffer.from(path, 'latin1').toString();

it('what has a usual name is neither denied nor protected', () => {
  let [skipped, looked] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 2 }),
      fc.array(rule, { maxLength: 1 }),
      fc.constantFrom('ask' as const, 'read-only' as const),
      fc.array(name, { maxLength: 3 }),
      fc.array(fc.tuple(fc.constantFrom('f', 'd'), name), { minLength: 1, maxLength: 3 }),
      (deny, ask, mode, folder, entries) => {
        const policy = policyOf({ deny, ask, mode });
        if (policy === undefined) return;
        const path = folder.join('/');
        const isUsual = readsUsualNames(policy, utf8(path)) && hasUsualNames(path, entries.map((entry) => entry.join('')).join('/'));
        if (isUsual) skipped += 1;
        else looked += 1;
        for (const [, entry] of isUsual ? entries : []) {
          const at = path === '' ? entry : `${path}/${entry}`;
          expect(protectedEntry(at), at).toBeUndefined();
          expect(decide(policy, { tool: 'run_command', permissions: [{ action: 'read', resource: utf8(at) }] }).verdict, at).toBe('allow');
        }
      },
    ),
    { numRuns: Number(process.env['RUNS'] ?? 5_000) },
  );
  // It saves something, and it leaves something.
  expect(Math.min(skipped, looked)).toBeGreaterThan(100);
});

it.each([
  'ssocket',
  'llink',
  'oother',
  'f.env',
  'd.git',
  'fserver.PEM',
  'fid_rsa',
  'f_netrc',
  'fopencode.json',
  'fa.code-workspace',
  'fa.',
  'fgit~1',
])('the entry %s is unusual, wherever it is in a listing', (entry) => {
  for (const listing of [entry, `fa/${entry}`, `${entry}/fb`, `fa/${entry}/fb`]) expect(hasUsualNames('', listing), listing).toBe(false);
});

it.each(['', 'fa', 'fa/dnode_modules/fpackage.json', 'f_base.js/fkey/fpem/fenv/fconfig.json'])(
  'the listing "%s" is usual, but in folders such as .docker',
  (listing) => {
    expect(hasUsualNames('node_modules/.pnpm', listing)).toBe(true);
    for (const folder of ['.docker', 'a/.DOCKER', '.cargo', '.github', '.docker.', '.jj/repo'])
      expect(hasUsualNames(folder, listing), folder).toBe(false);
  },
);

it('rules about a folder count for usual names as well', () => {
  const policy = testPolicy({ deny: ['read(secrets/**)'] });
  expect([
    readsUsualNames(policy, ''),
    readsUsualNames(policy, 'src'),
    readsUsualNames(policy, 'secrets'),
    readsUsualNames(policy, '.env.example'),
  ]).toEqual([false, true, false, false]);
});
