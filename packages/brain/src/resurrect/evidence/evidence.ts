import type { Answer, NoAnswer } from '../notebook.ts';
import { quote, type SafeText } from './safe-text.ts';

const seen = Symbol('seen in an answer');

/** Where something was seen. Made from an answer only, so that nothing can be cited that no call has shown. */
export type Evidence =
  | { readonly [seen]: true; readonly kind: 'line'; readonly path: string; readonly line: number }
  | { readonly [seen]: true; readonly kind: 'file'; readonly path: string }
  | { readonly [seen]: true; readonly kind: 'commit'; readonly sha: string }
  | { readonly [seen]: true; readonly kind: 'call'; readonly tool: string };

/** A line of a file that a call has shown. Lines count from 1; where the number is not known, the file is cited. */
export function atLine(answer: Answer<unknown>, path: string, line: number): Evidence {
  return line < 1 ? atFile(answer, path) : { [seen]: true, kind: 'line', path, line };
}

/** The presence of a file. */
export function atFile(_answer: Answer<unknown>, path: string): Evidence {
  return { [seen]: true, kind: 'file', path };
}

/** A commit. */
export function atCommit(_answer: Answer<unknown>, sha: string): Evidence {
  return { [seen]: true, kind: 'commit', sha };
}

/** The answer of a tool as a whole; that it had none is evidence too. */
export function inAnswer(answer: Answer<unknown> | NoAnswer): Evidence {
  return { [seen]: true, kind: 'call', tool: answer.tool };
}

/** Characters of a commit id that are shown. */
const SHORT_SHA = 9;

function citation(evidence: Evidence): string {
  if (evidence.kind === 'line') return `${evidence.path}:${evidence.line}`;
  if (evidence.kind === 'file') return evidence.path;
  return evidence.kind === 'commit' ? evidence.sha.slice(0, SHORT_SHA) : evidence.tool;
}

/** As it stands in the report: `src/a.ts:12`, `c263b7c1f` or `git_status`. */
export function cite(evidence: Evidence): SafeText {
  return quote(citation(evidence));
}
