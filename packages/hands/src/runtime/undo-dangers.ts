import type { ProtectedChange } from '../journal/plan-undo.ts';
import { bytesAfter } from '../journal/step-text.ts';
import { placeGuards } from '../policy/call-guards.ts';
import { decide } from '../policy/decide.ts';
import { reasonFor } from '../policy/decision.ts';
import { displayPath } from '../workspace/byte-name.ts';
import { judgeSteps } from '../workspace/changes/judge-changes.ts';
import { describeStep, type Step } from '../workspace/changes/step.ts';
import type { Runtime } from './runtime.ts';

/** The paths of steps, for display. */
export function pathsOf(steps: readonly Step[]): string[] {
  return [...new Set(steps.map(describeStep).flatMap(({ path, to }) => (to === undefined ? [path] : [path, to])))];
}

/** What the rules say about the paths that an undo changes. */
export interface UndoVerdicts {
  /** Why a rule denies a path. */
  readonly denied: readonly ProtectedChange[];
  /** Why a path needs approval. */
  readonly asked: readonly ProtectedChange[];
}

/** Judges each path of an undo by the rules. */
export function judgeByRules({ authorizer }: Runtime, paths: readonly string[]): UndoVerdicts {
  const policy = authorizer.policy.current;
  const judged = paths.map((path) => {
    const { verdict, decisive } = decide(policy, { tool: 'undo', permissions: [{ action: 'write', resource: path }], restores: true });
    return { path, verdict, reason: reasonFor(decisive) };
  });
  const those = (verdict: string): typeof judged => judged.filter((one) => one.verdict === verdict);
  return { denied: those('deny'), asked: those('ask') };
}

/** Returns the changes of files that other programs would execute or obey afterwards, without those that the user allows in general. */
export async function undoDangers({ powers, authorizer, rootNames, closing }: Runtime, steps: readonly Step[]): Promise<ProtectedChange[]> {
  const found = new Map<string, string>();
  const guards = placeGuards({ tool: 'undo', permissions: [], restores: true }, authorizer.policy.current, rootNames);
  const collecting = {
    ...guards,
    // What goes along with a moved folder is judged when that is done.
    moves: () => () => undefined,
    approved(location: Parameters<typeof guards.approved>[0], _isFolder: boolean, reason = ''): boolean {
      found.set(displayPath(location), reason);
      return true;
    },
  };
  const judgement = { guards: collecting, confinement: powers.whole, elsewhere: await powers.elsewhere.current(), signal: closing };
  judgeSteps(judgement, steps, (step, maxBytes) => bytesAfter(powers.journal.powers(), step, maxBytes));
  return Array.from(found, ([path, reason]) => ({ path, reason }));
}
