import { changeLine, effectNotes } from '../dry-run/show-effect.ts';
import type { Trial } from './approver.ts';
import type { RequestLine } from './request-line.ts';
import { visibleLines, visibleSpan } from './visible-span.ts';

/** What came of a trial, in words in which nothing is hidden. */
export interface DescribedTrial {
  /** What it changed: the changes as diffs. */
  readonly changes: readonly RequestLine[];
  /** What it said. */
  readonly output: readonly RequestLine[];
  readonly notes: readonly string[];
  readonly completion: Trial['completion'];
  /** Why exactly this cannot be done; undefined where it can. */
  readonly blocked: string | undefined;
}

const KINDS: Readonly<Record<string, RequestLine['kind']>> = { '+': 'added', '-': 'removed' };

/** The names of the file stand above its diff already. */
const NAMES = /^---[^\n]*\n\+\+\+[^\n]*\n/u;

function diffLines(diff: string): RequestLine[] {
  return diff
    .replace(NAMES, '')
    .trimEnd()
    .split('\n')
    .map((line) => ({ kind: KINDS[line.charAt(0)] ?? 'plain', text: `  ${visibleSpan(line)}` }));
}

/** Puts a trial into words. */
export function describeTrial({ effect, output, completion }: Trial): DescribedTrial {
  return {
    changes: effect.changes.flatMap((change) => [
      { kind: 'plain' as const, text: visibleSpan(changeLine(change)) },
      ...(change.diff === undefined ? [] : diffLines(change.diff)),
    ]),
    output: output === '' ? [] : visibleLines(output.replace(/\n$/u, '')).map((text) => ({ kind: 'plain', text })),
    notes: effectNotes(effect).map(visibleSpan),
    completion,
    blocked: effect.blocked === undefined ? undefined : visibleSpan(effect.blocked),
  };
}
