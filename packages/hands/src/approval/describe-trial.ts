import { changeLine, effectNotes } from '../dry-run/show-effect.ts';
import { withoutGitData } from '../dry-run/repository-changes.ts';
import type { Trial } from './approver.ts';
import { visibleLines, visibleSpan } from './visible-span.ts';

/** The kind of a line. Added and removed text is shown as in a diff. */
export type RequestLineKind = 'plain' | 'added' | 'removed';

/** One line of a question, with all characters visible. */
export interface RequestLine {
  readonly kind: RequestLineKind;
  readonly text: string;
}

/** The result of a trial, in text in which nothing is hidden. */
export interface DescribedTrial {
  /** The changes, as diffs. */
  readonly changes: readonly RequestLine[];
  /** The output of the call. */
  readonly output: readonly RequestLine[];
  readonly notes: readonly string[];
  readonly completion: Trial['completion'];
  /** Why these changes cannot be applied; undefined if they can. */
  readonly blocked: string | undefined;
}

const KINDS: Readonly<Record<string, RequestLine['kind']>> = { '+': 'added', '-': 'removed' };

/** The file names of a diff. They are already shown above it. */
const NAMES = /^---[^\n]*\n\+\+\+[^\n]*\n/u;

function diffLines(diff: string): RequestLine[] {
  return diff
    .replace(NAMES, '')
    .trimEnd()
    .split('\n')
    .map((line) => ({ kind: KINDS[line.charAt(0)] ?? 'plain', text: `  ${visibleSpan(line)}` }));
}

type Change = Trial['effect']['changes'][number];

const GIT_FILE = /(?:^|\/)\.git(?:\/|$)/u;

/** Puts git's own files last: a screen shows the beginning, and the files that a commit contains matter more than its objects. */
function gitFilesLast(changes: readonly Change[]): readonly Change[] {
  return changes.toSorted((one, other) => Number(GIT_FILE.test(one.path)) - Number(GIT_FILE.test(other.path)));
}

/** Describes a trial in text. */
export function describeTrial({ effect, output, completion }: Trial): DescribedTrial {
  const { changes, repositories } = withoutGitData(effect);
  const lines = gitFilesLast(changes).flatMap((change) => [
    { kind: 'plain' as const, text: visibleSpan(changeLine(change)) },
    ...(change.diff === undefined ? [] : diffLines(change.diff)),
  ]);
  return {
    changes: [...lines, ...repositories.map((text) => ({ kind: 'plain' as const, text: visibleSpan(text) }))],
    output: output === '' ? [] : visibleLines(output.replace(/\n$/u, '')).map((text) => ({ kind: 'plain', text })),
    notes: effectNotes(effect).map(visibleSpan),
    completion,
    blocked: effect.blocked === undefined ? undefined : visibleSpan(effect.blocked),
  };
}
