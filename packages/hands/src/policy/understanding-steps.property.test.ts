import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decide } from './decide.ts';
import type { PolicyCall } from './decision.ts';
import { MAX_STEPS, type Steps } from './effects.ts';
import { testPolicy } from './fixtures/test-policy.ts';
import { proposeGrants } from './grant.ts';
import { listed } from './program-table.ts';
import { PROGRAM_FILES } from './programs.ts';
import { shellEffects } from './shell-effects.ts';

const SEED = 20_261_126;
/** Each program that runs another, and how it takes it: as words, or as a text. */
const RUNNERS = PROGRAM_FILES.flat()
  .filter(({ wrapper, holds, shell, runs, runsIn, runsInstalled }) =>
    [wrapper, holds, shell, runs, runsIn, runsInstalled].some((one) => one !== undefined),
  )
  .flatMap(({ names, runsIn }) =>
    listed(names).flatMap((name) => [name, ...Object.values(runsIn ?? {}).flatMap((all) => all.map((one) => `${name} ${one}`))]),
  );
const PREFIXES = [
  ...RUNNERS,
  'find . -exec',
  'find . -name x -execdir',
  'git -c alias.x=push',
  'git submodule foreach',
  'timeout 5',
  'env A=b',
  'env -S',
  'xargs -n 1',
  'sudo -u root',
  'nice -n 5',
  '$(',
  '`',
  '((',
  '{ ',
  '<(',
  'if ',
  '"$(',
  "sh -c '",
  'sh -c "',
  'x | ',
  'cd a && ',
  '{a,b}',
  'sed "p;  p;  ',
  '<<a ',
];
const END = fc.constantFrom('x', 'git push', 'rm -rf "$X"', '{} \\;', '{} +', ')', '`', "'", '"');
const command = fc
  .tuple(fc.array(fc.constantFrom(...PREFIXES), { minLength: 1, maxLength: 60 }), fc.array(END, { minLength: 1, maxLength: 3 }))
  .map(([prefixes, ends]) => [...prefixes, ...ends].join(' '));
/** One prefix many times: the worst case of most of them. */
const repeated = fc
  .tuple(fc.constantFrom(...PREFIXES), fc.integer({ min: 2, max: 400 }), fc.constantFrom('x', '$X', '{} \\;'))
  .map(([prefix, times, end]) => `${`${prefix} `.repeat(times)}${end}`);

const TOO_MUCH = 'it is too long or too nested to be understood';

function measure(text: string): { steps: number; cells: number; unknown: readonly string[] } {
  const steps: Steps = { left: MAX_STEPS };
  const { execs, reads, writes, deletes, possiblePaths, unknown } = shellEffects(text, '', true, steps);
  // What a rule is compared with later.
  const forms = execs.reduce((sum, { words, forms: all }) => sum + words.length + all.reduce((cells, form) => cells + form.length, 0), 0);
  return { steps: MAX_STEPS - steps.left, cells: forms + reads.length + writes.length + deletes.length + possiblePaths.length, unknown };
}

it('a command is understood in a bounded number of steps, or not understood', () => {
  let [most, over] = [0, 0];
  fc.assert(
    fc.property(fc.oneof(command, repeated), (text) => {
      const { steps, cells, unknown } = measure(text);
      // The last step may be a large one: a text that is parsed.
      if (steps > MAX_STEPS) over += 1;
      else most = Math.max(most, steps);
      expect(steps <= MAX_STEPS || unknown.includes(TOO_MUCH), text.slice(0, 200)).toBe(true);
      expect(cells, text.slice(0, 200)).toBeLessThanOrEqual(MAX_STEPS + text.length);
    }),
    { seed: SEED, numRuns: 1_500 },
  );
  // The corpus has both kinds, or it shows nothing.
  expect([most > 10_000, over > 0], `seed ${SEED}: ${most} steps at most, ${over} over the bound`).toEqual([true, true]);
});

it.each([
  ['find . -exec find . -exec', 'find . -exec '.repeat(24), 5_000],
  ['nested shells', `${'sh -c "'.repeat(30)}x`, 5_000],
  ['wrappers', `${'env '.repeat(30)}x`, 5_000],
  ['a sed script with spaces', `sed '${'p;  '.repeat(100)}e'`, 500],
])('%s take few steps', (_name, text, bound) => {
  expect(measure(text).steps).toBeLessThan(bound);
});

const HOSTILE = ['$(', '<<a ', '`', '((', '{a,', '${', '<(', '[', '{', '\\', '"$(', "$'", 'cat <<a;', 'a/../b ', '-exec a \\; ', '/', '-', 'a$(b)'];

it.each(HOSTILE)('64,000 characters of %s are judged, and rules for them proposed, within the bound', (unit) => {
  const policy = testPolicy({ deny: ['exec(git push *)', 'read(secrets/**)'] });
  for (const start of ['', 'mv ', "sh -c '"]) {
    const text = start + unit.repeat(64_000 / unit.length);
    const call: PolicyCall = { tool: 'run_command', permissions: [{ action: 'exec', resource: text }] };
    const decision = decide(policy, call);
    expect(decision.verdict).toBe('ask');
    expect(proposeGrants(policy, call, decision).length).toBeLessThanOrEqual(2);
    expect(measure(text).cells).toBeLessThanOrEqual(MAX_STEPS + text.length);
  }
});

it('a long file in quotes is understood', () => {
  const text = `mkdir -p src && cat > src/a.ts <<'EOF'\n${'const a = `${b()}` + $(c); // <<x\n'.repeat(3_000)}EOF\n`;
  expect(shellEffects(text, '', true)).toMatchObject({ unknown: [], writes: [{ path: 'src' }, { path: 'src/a.ts' }] });
});
