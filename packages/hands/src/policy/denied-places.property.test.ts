import fc from 'fast-check';
import { expect, it } from 'vitest';
import { displayPath, nameFromBytes } from '../workspace/byte-name.ts';
import { decide } from './decide.ts';
import { mayDenyPlaces } from './call-guards.ts';
import { testPolicy } from './fixtures/test-policy.ts';
import type { PermissionSettings, Policy } from './policy.ts';

/** Names that a lax file system takes for each other, and names that gitignore patterns treat in ways of their own. */
const segment = fc.constantFrom(
  'a',
  'A',
  'b',
  'src',
  'Src',
  'secrets',
  'SECRETS',
  'secrets.',
  'sec\u200drets',
  '\u017fecrets',
  '\uff53ecrets',
  'x.key',
  'X.KEY',
  '.env',
  '.ENV',
  '.env.local',
  'git~1',
  '[a]',
  'a b',
  '\u00e9',
  'e\u0301',
  '#x',
  '!x',
);
const patternSegment = fc.oneof(segment, fc.constantFrom('*', '**', '?', '*.key', '[ab]', 's*', String.raw`\#x`));
const pattern = fc
  .tuple(fc.constantFrom('', '/', './', '//ws/', '**/'), fc.array(patternSegment, { minLength: 1, maxLength: 4 }), fc.constantFrom('', '/', '/**'))
  .map(([start, segments, end]) => start + segments.join('/') + end);
const rule = fc.oneof(
  fc.tuple(fc.constantFrom('read', 'write', 'run_command', 'edit_file'), pattern).map(([name, text]) => `${name}(${text})`),
  fc.constantFrom('read', 'write', 'exec', 'run_*', 'exec(ls *)', '*', 'fetch(a.b)'),
);
const location = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((names) => names.map((name) => nameFromBytes(Buffer.from(name))))
  .chain((names) => fc.constantFrom(names, [...names, nameFromBytes(Buffer.from([0x78, 0xff]))]));

function policyOf(settings: PermissionSettings): Policy | undefined {
  try {
    return testPolicy(settings);
  } catch {
    // A pattern that means nothing.
    return undefined;
  }
}

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
