import fc from 'fast-check';
import { expect, it } from 'vitest';
import { displayPath } from '../workspace/byte-name.ts';
import { decide } from './decide.ts';
import { mayDenyPlaces } from './call-guards.ts';
import { location, policyOf, rule } from './fixtures/random-rules.ts';

it('a place that may not be denied is not', () => {
  let [kept, spared] = [0, 0];
  fc.assert(
    fc.property(
      fc.array(rule, { maxLength: 3 }),
      fc.array(rule, { maxLength: 2 }),
      fc.constantFrom('ask' as const, 'ask' as const, 'read-only' as const),
      fc.array(location, { minLength: 1, maxLength: 8 }),
      (deny, ask, mode, places) => {
        const policy = policyOf({ deny, ask, mode });
        if (policy === undefined) return;
        const mayDeny = mayDenyPlaces(policy, 'run_command');
        // In turn, as a walk does: the rules of the last folder are remembered.
        for (const place of places) {
          const shown = displayPath(place);
          if (mayDeny(place)) {
            kept += 1;
            continue;
          }
          spared += 1;
          for (const action of ['read', 'write'] as const)
            expect(decide(policy, { tool: 'run_command', permissions: [{ action, resource: shown }] }).verdict, `${action} ${shown}`).not.toBe(
              'deny',
            );
        }
      },
    ),
    { numRuns: Number(process.env['RUNS'] ?? 3_000) },
  );
  // It saves something, and it leaves something.
  expect(Math.min(kept, spared)).toBeGreaterThan(100);
});
