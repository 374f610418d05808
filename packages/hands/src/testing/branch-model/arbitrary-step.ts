import fc from 'fast-check';
import { NAMES, PATHS, type Who } from './content.ts';
import type { Operation } from './operations.ts';
import type { Call, Change, Step } from './steps.ts';

const [who, path, name] = [fc.constantFrom<Who>(...NAMES, 'person'), fc.constantFrom(...PATHS), fc.constantFrom(...NAMES)];
/** Mostly the workspace, which branches are applied to: a call in a branch starts a process. */
const caller = fc.oneof({ weight: 6, arbitrary: fc.constant('person' as const) }, { weight: 1, arbitrary: name });
const MANNERS: ReadonlyArray<readonly [as: Call['as'], weight: number]> = [
  ['file', 6],
  ['command', 5],
  ['later', 3],
  ['tried', 1],
  ['program', 2],
  ['failing', 1],
];
const manner = fc.oneof(...MANNERS.map(([as, weight]) => ({ weight, arbitrary: fc.constant(as) })));

type Weighted = fc.WeightedArbitrary<Step>;

/** What programs change, which nothing records but the workspace and the branches themselves. */
function changes(line: fc.Arbitrary<number>): readonly Weighted[] {
  const kind = fc.constantFrom<Change['kind']>('line', 'line', 'line', 'ends', 'ends', 'whole', 'binary', 'delete');
  const part = { path: fc.option(path, { nil: undefined, freq: 3 }), hunk: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined, freq: 2 }) };
  return [
    { weight: 30, arbitrary: fc.record({ kind, who, path, line, atomic: fc.boolean() }) },
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('move' as const), who, path, to: path }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('commit' as const), who }) },
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('apply' as const), name, ...part }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), name }) },
  ];
}

/** Calls of hands and what becomes of them, and commands of a person in branches. */
function calls(line: fc.Arbitrary<number>): readonly Weighted[] {
  const kind = fc.constant('call' as const);
  const operation: fc.Arbitrary<Operation> = fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('line' as const), path, line }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constantFrom('whole', 'remove', 'link', 'executable', 'plain'), path }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), path, to: path }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('folder' as const), from: fc.constantFrom('d', 'f') }) },
  );
  const operations = fc.array(operation, { minLength: 1, maxLength: 3 });
  const back = fc.constantFrom(0, 0, 0, 1, 1, 2, 3);
  const take = fc.constantFrom('branch', 'workspace', 'merged');
  return [
    { weight: 20, arbitrary: fc.record({ kind, who: caller, as: manner, operations }) },
    { weight: 14, arbitrary: fc.record({ kind, who: name, as: fc.constant('own' as const), operations }) },
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('undo' as const), who: caller, back }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('pending' as const), who: caller, take: fc.constantFrom(true, true, true, false) }) },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('resolve' as const), name, take }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('past' as const), name, back }) },
  ];
}

/** @param lines of a file at first */
export function arbitraryStep(lines: number, withCalls: boolean): fc.Arbitrary<Step> {
  const line = fc.nat({ max: lines - 1 });
  return fc.oneof(...changes(line), ...(withCalls ? calls(line) : []));
}
