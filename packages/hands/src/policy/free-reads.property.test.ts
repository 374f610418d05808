import fc from 'fast-check';
import { expect, it } from 'vitest';
import { displayPath } from '../workspace/byte-name.ts';
import { decide } from './decide.ts';
import { location, policyOf, rule, segment } from './fixtures/random-rules.ts';
import { testPolicy } from './fixtures/test-policy.ts';
import { freeReads } from './free-reads.ts';
import { SECRET_PATTERNS } from './guarded-location.ts';

const TOOL = 'run_command';
const secret = fc.constantFrom(
  '.docker',
  'config.json',
  '.config',
  'gh',
  'gcloud',
  'id_rsa',
  'id_rsa.pub',
  '.ssh',
  '.envrc',
  '_netrc',
  'etc',
  'shadow',
);
/** As a person or a program may write it. */
const written = fc
  .tuple(
    fc.constantFrom('', '', '', '/', './', '/ws/', '/etc/', '../'),
    fc.array(fc.oneof(segment, secret, fc.constantFrom('.', '..', '')), { maxLength: 4 }),
  )
  .map(([start, names]) => start + names.join('/'));
const path = fc.oneof(location.map(displayPath), written);

it('a path that is free to read is allowed', () => {
  let [free, left] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 2 }),
      fc.array(rule, { maxLength: 1 }),
      fc.array(rule, { maxLength: 1 }),
      fc.constantFrom('ask' as const, 'read-only' as const),
      fc.constantFrom(['/ws'], ['/'], ['/etc'], ['/etc/ssh', '/other']),
      fc.array(path, { minLength: 1, maxLength: 8 }),
      (deny, ask, allow, mode, roots, paths) => {
        const policy = policyOf({ deny, ask, allow, mode }, { roots });
        if (policy === undefined) return;
        const { path: isFree } = freeReads(policy, TOOL);
        // In turn, as a look does: what is known of the last folder is remembered.
        for (const one of paths) {
          if (isFree(one)) free += 1;
          else left += 1;
          if (isFree(one)) expect(decide(policy, { tool: TOOL, permissions: [{ action: 'read', resource: one }] }).verdict, one).toBe('allow');
        }
      },
    ),
    { numRuns: Number(process.env['RUNS'] ?? 3_000) },
  );
  // It saves something, and it leaves something.
  expect(Math.min(free, left)).toBeGreaterThan(100);
});

it.each(['src/index.ts', 'index.js', 'node_modules/.bin/vitest', '.github/workflows/ci.yml', '@types/node/index.d.ts'])(
  '%s needs no decision, and none beside rules about other places',
  (one) => {
    expect(freeReads(testPolicy(), TOOL).path(one)).toBe(true);
    expect(freeReads(testPolicy({ deny: ['read(secrets/**)', 'read(*.secret)'] }), TOOL).path(one)).toBe(true);
  },
);

it('no secret place is named by more than two names, of which the last decides', () => {
  expect(SECRET_PATTERNS.filter((pattern) => pattern.split('/').filter((name) => name !== '').length > 2)).toEqual([]);
});
