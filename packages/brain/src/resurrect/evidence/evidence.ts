import type { Answer, NoAnswer } from '../call-log.ts';
import { quote, type SafeText } from './safe-text.ts';

const seen = Symbol('seen in an answer');

/** A place where something was seen. Created only from an answer, so a report cannot cite what no call returned. */
export type Evidence =
  | { readonly [seen]: true; readonly kind: 'line'; readonly path: string; readonly line: number }
  | { readonly [seen]: true; readonly kind: 'file'; readonly path: string }
  | { readonly [seen]: true; readonly kind: 'commit'; readonly sha: string }
  | { readonly [seen]: true; readonly kind: 'call'; readonly tool: string }
  | { readonly [seen]: true; readonly kind: 'receipt'; readonly call: string };

/** A line of a file. Lines count from 1; if the number is unknown, the file is cited. */
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

/** The answer of a tool as a whole. A missing answer is evidence too. */
export function inAnswer(answer: Answer<unknown> | NoAnswer): Evidence {
  return { [seen]: true, kind: 'call', tool: answer.tool };
}

/** The receipt of a command. @param call its id */
export function ofReceipt(call: string): Evidence {
  return { [seen]: true, kind: 'receipt', call };
}

/** Characters of the id of a receipt to show. */
const SHORT_RECEIPT = 8;
/** Characters of a commit id to show. */
const SHORT_SHA = 9;

function citation(evidence: Evidence): string {
  if (evidence.kind === 'line') return `${evidence.path}:${evidence.line}`;
  if (evidence.kind === 'file') return evidence.path;
  if (evidence.kind === 'receipt') return `synapse receipt ${evidence.call.slice(0, SHORT_RECEIPT)}`;
  return evidence.kind === 'commit' ? evidence.sha.slice(0, SHORT_SHA) : evidence.tool;
}

/** Formats evidence for the report: `src/a.ts:12`, `c263b7c1f` or `git_status`. */
export function cite(evidence: Evidence): SafeText {
  return quote(citation(evidence));
}
