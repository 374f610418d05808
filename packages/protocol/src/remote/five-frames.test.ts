import { expect, it } from 'vitest';
import { CORES, MUTANTS, type Cores } from './fixtures/mutants.ts';
import type { Damage } from './fixtures/wires.ts';
import type { PartyName, Way } from './fixtures/ops.ts';
import { World } from './fixtures/world.ts';

/** The frames that are delivered in each order, before all faults end. */
const FRAMES = 5;

/** Each kind of damage: a character near the begin and in the middle, each field that counts, a cut, and an earlier frame in its place. */
const DAMAGES: ReadonlyArray<readonly [how: Damage, at: number]> = [
  ['flip', 12],
  ['flip', 101],
  ['field', 0],
  ['field', 1],
  ['field', 2],
  ['field', 3],
  ['cutOff', 50],
  ['stale', 3],
];

/** The delivery of the next frame of a line. */
interface Move {
  readonly party: PartyName;
  readonly way: Way;
  readonly damage?: readonly [how: Damage, at: number];
}

/** A world in which all are connected, and two agents have just made a call. */
function begun(paired: boolean, durable: boolean, cores: Cores): World {
  const world = new World({ paired, durable, cores });
  world.act({ op: 'flow', rounds: 3 });
  for (const brain of ['b1', 'b2'] as const) world.act({ op: 'call', brain, kind: 'quick' });
  return world;
}

function follow(world: World, moves: readonly Move[]): World {
  for (const { party, way, damage } of moves) {
    if (damage !== undefined) world.act({ op: 'damage', party, way, how: damage[0], at: damage[1] });
    world.deliver(party, way);
    // A call that runs ends, so that its result is among the frames.
    world.act({ op: 'finish', pick: 0 });
  }
  return world;
}

/** All orders of up to five frames, of which one at most is damaged, in each way. */
function* histories(make: () => World, moves: readonly Move[] = []): Generator<readonly Move[]> {
  const next = moves.length < FRAMES ? follow(make(), moves).inTransit() : [];
  if (next.length === 0) yield moves;
  const isWhole = moves.every(({ damage }) => damage === undefined);
  for (const [party, way] of next) {
    yield* histories(make, [...moves, { party, way }]);
    for (const damage of isWhole ? DAMAGES : []) yield* histories(make, [...moves, { party, way, damage }]);
  }
}

/** The first history that breaks an invariant, with what it breaks, and the number of those before. */
function firstBroken(make: () => World, most = Number.POSITIVE_INFINITY): { readonly count: number; readonly broken: unknown } {
  let count = 0;
  for (const moves of histories(make)) {
    const world = follow(make(), moves);
    world.quiesce('h1');
    const violations = world.violations();
    if (violations.length > 0) return { count, broken: { moves, violations } };
    count += 1;
    if (count >= most) break;
  }
  return { count, broken: undefined };
}

it.each([
  [false, true],
  [true, false],
])(
  'each order of five frames of which one is damaged: no call runs twice or has a false answer (paired: %s, durable: %s)',
  (paired, durable) => {
    const { count, broken } = firstBroken(() => begun(paired, durable, CORES));
    expect(broken).toBeUndefined();
    expect(count).toBeGreaterThan(500);
  },
  300_000,
);

it.each(['a machine believes damaged texts', 'a brain believes damaged texts'])('finds out where %s', (name) => {
  expect(firstBroken(() => begun(false, true, MUTANTS[name] ?? CORES)).broken).toBeDefined();
});
