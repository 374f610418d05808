import { changeLine, effectNotes } from '../dry-run/show-effect.ts';
import { packageFile } from '../meaning/package-files.ts';
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
  /** What the changes mean, one sentence each: `creates branch x`. Empty if only the changes are known. */
  readonly meaning: readonly string[];
  /** The changes, as diffs; those of packages and output folders counted at the end. */
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
/** What `showChange` says of ordinary contents. Any other note says something that a person should see. */
const USUAL_NOTE = /^(?:a folder|binary\b[^;]*)$/u;

/** The places of changes in a question, first to last: a screen shows the beginning. */
const PLACES: ReadonlyArray<(change: Change) => boolean> = [
  // Links, permissions, and what cannot be shown.
  ({ path, note = '' }) => !GIT_FILE.test(path) && note !== '' && !USUAL_NOTE.test(note),
  ({ path }) => packageFile(path) === 'manifest',
  ({ path }) => packageFile(path) === 'lock',
  // The files that a commit contains matter more than its objects.
  ({ path }) => !GIT_FILE.test(path),
  () => true,
];

const placeOf = (change: Change): number => PLACES.findIndex((fits) => fits(change));

/** @param asked what the question is about, which stays first */
function inOrder(changes: readonly Change[], asked: ReadonlySet<string>): readonly Change[] {
  const isAsked = ({ path }: Change): number => Number(!asked.has(path));
  return changes.toSorted((one, other) => isAsked(one) - isAsked(other) || placeOf(one) - placeOf(other));
}

/** Describes a trial in text. */
export function describeTrial({ effect, output, completion }: Trial): DescribedTrial {
  const { changes, repositories } = withoutGitData(effect);
  const lines = inOrder(changes, new Set(effect.asked)).flatMap((change) => [
    { kind: 'plain' as const, text: visibleSpan(changeLine(change)) },
    ...(change.diff === undefined ? [] : diffLines(change.diff)),
  ]);
  return {
    meaning: (effect.meaning ?? []).map((text) => visibleSpan(text.replaceAll('\n', '⏎'))),
    changes: [...lines, ...repositories.map((text) => ({ kind: 'plain' as const, text: visibleSpan(text.replaceAll('\n', '⏎')) }))],
    output: output === '' ? [] : visibleLines(output.replace(/\n$/u, '')).map((text) => ({ kind: 'plain', text })),
    notes: effectNotes(effect).map(visibleSpan),
    completion,
    blocked: effect.blocked === undefined ? undefined : visibleSpan(effect.blocked),
  };
}
