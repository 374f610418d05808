import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from './fixtures/mutants.ts';
import type { Op, PartyName } from './fixtures/ops.ts';
import { World } from './fixtures/world.ts';

const SEED = process.env['SYNAPSE_MODEL_SEED'];

const party = fc.constantFrom<PartyName>('h1', 'h1', 'h1', 'h2', 'b1', 'b1', 'b2');
const anyone = fc.oneof(party, fc.constant('relay' as const));
const pick = fc.nat(1_000);
const moves = fc.record({ op: fc.constantFrom('up', 'down', 'connect'), party, times: fc.integer({ min: 1, max: 8 }) });
const faults = fc.record({ op: fc.constantFrom('repeatUp', 'repeatDown', 'swapUp', 'swapDown', 'cut'), party, times: fc.constant(1) });

const damages = fc.record({
  op: fc.constant('damage'),
  party,
  way: fc.constantFrom('up', 'down'),
  how: fc.constantFrom('flip', 'field', 'field', 'field', 'cutOff', 'stale'),
  at: fc.nat(100_000),
});

const op: fc.Arbitrary<Op> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('call'),
      brain: fc.constantFrom('b1', 'b1', 'b2'),
      kind: fc.constantFrom('quick', 'quick', 'quick', 'quick', 'quick', 'ask', 'ask', 'large'),
    }),
  },
  { weight: 6, arbitrary: fc.record({ op: fc.constantFrom('finish', 'finish', 'allow', 'allowWrong', 'cancel'), pick }) },
  // Enough at once to use up the credit of a line.
  { weight: 2, arbitrary: fc.record({ op: fc.constant('progress'), pick, times: fc.integer({ min: 1, max: 40 }) }) },
  { weight: 30, arbitrary: moves },
  { weight: 8, arbitrary: fc.record({ op: fc.constant('flow'), rounds: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 4, arbitrary: faults },
  { weight: 4, arbitrary: damages },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('kill'), party: anyone }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('losePower'), party: fc.constantFrom<'h1' | 'h2'>('h1', 'h1', 'h2') }) },
  { weight: 6, arbitrary: fc.record({ op: fc.constant('start'), party: anyone }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('crash'), party: anyone, after: fc.nat(12) }) },
  // Between the first effects of what comes next.
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant('crash'), party: fc.constantFrom<PartyName | 'relay'>('b1', 'b2', 'h1', 'relay'), after: fc.nat(2) }),
  },
  // 10 and 30 are moments in which what is late settles.
  { weight: 4, arbitrary: fc.record({ op: fc.constant('tick'), ms: fc.constantFrom(10, 10, 30, 30, 100, 6_000, 30_000, 61_000) }) },
);

// `max` and no smaller: with the default size a mutant passed 50,000 runs.
const history = fc.record({
  ops: fc.array(op, { size: 'max', minLength: 200, maxLength: 300 }),
  last: fc.constantFrom<'h1' | 'h2'>('h1', 'h1', 'h1', 'h2'),
  durable: fc.boolean(),
  paired: fc.boolean(),
});

function run(
  { ops, last, durable, paired = false }: { ops: readonly Op[]; last: 'h1' | 'h2'; durable: boolean; paired?: boolean },
  { startsEarly = false, ...options }: ConstructorParameters<typeof World>[0] & { readonly startsEarly?: boolean } = {},
): readonly string[] {
  const world = new World({ paired, durable, ...options });
  for (const hands of Object.values(world.hands)) hands.startsEarly = startsEarly;
  for (const one of ops) world.act(one);
  world.quiesce(last);
  return world.violations();
}

describe('whatever breaks, in whatever order', () => {
  it('no call runs twice, and each gets exactly one result', () => {
    fc.assert(
      fc.property(history, (given) => {
        expect(run(given)).toEqual([]);
      }),
      // A failure prints its seed; SYNAPSE_MODEL_SEED repeats it.
      { numRuns: Number(process.env['SYNAPSE_MODEL_RUNS'] ?? 60), ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
    );
  }, 600_000);

  it('a machine that returns while the brain is away is asked what the relay has lost', () => {
    const ops: readonly Op[] = [
      { op: 'call', brain: 'b2', kind: 'quick' },
      { op: 'flow', rounds: 2 },
      { op: 'crash', party: 'h1', after: 0 },
      { op: 'kill', party: 'relay' },
      { op: 'start', party: 'relay' },
      { op: 'flow', rounds: 1 },
      { op: 'tick', ms: 61_000 },
    ];
    expect(run({ ops, last: 'h1', durable: false })).toEqual([]);
  });

  it('finds out where the start of a call does not wait for the disk', () => {
    const { failed, counterexample } = fc.check(
      fc.property(history, (given) => run(given, { startsEarly: true }).length === 0),
      { numRuns: 2_000, endOnFailure: true, seed: 7 },
    );
    expect(failed).toBe(true);
    // The loss of power is what shows it.
    const [{ ops, ...rest }] = counterexample ?? [{ ops: [], last: 'h1', durable: true, paired: false }];
    const kills = ops.map((one): Op => (one.op === 'losePower' ? { op: 'kill', party: one.party } : one));
    expect(run({ ...rest, ops: kills }, { startsEarly: true })).toEqual([]);
  });

  it.each(Object.entries(MUTANTS))(
    'finds out where %s',
    (_, cores) => {
      const { failed } = fc.check(
        fc.property(history, (given) => run(given, { cores, paired: false }).length === 0),
        { numRuns: 2_000, endOnFailure: true, seed: 7 },
      );
      expect(failed).toBe(true);
    },
    120_000,
  );
});
