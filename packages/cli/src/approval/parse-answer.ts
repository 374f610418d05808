import type { GrantScope } from '@synapse/hands';

/** What a person typed at a question. */
export type TypedAnswer =
  | { readonly choice: 'allow'; readonly scope: GrantScope; readonly proposal: number }
  | { readonly choice: 'deny' }
  | { readonly choice: 'view' }
  /** Run it on a copy first. */
  | { readonly choice: 'try' };

const SCOPES: Readonly<Record<string, GrantScope>> = { y: 'once', yes: 'once', s: 'session', a: 'project' };

/** Reads an answer; undefined where it is none. There is no default: an empty line decides nothing. */
export function parseAnswer(text: string, { proposals, canTry }: { readonly proposals: number; readonly canTry: boolean }): TypedAnswer | undefined {
  const [, word = '', number] = /^([a-z]+)(\d)?$/u.exec(text.trim().toLowerCase()) ?? [];
  if (number === undefined && (word === 'n' || word === 'no')) return { choice: 'deny' };
  if (number === undefined && word === 'v') return { choice: 'view' };
  if (number === undefined && word === 't' && canTry) return { choice: 'try' };
  const scope = Object.hasOwn(SCOPES, word) ? SCOPES[word] : undefined;
  if (scope === undefined || (scope === 'once' && number !== undefined)) return undefined;
  if (scope === 'once') return { choice: 'allow', scope, proposal: 0 };
  // Of several rules the one must be named that is meant.
  if (number === undefined && proposals !== 1) return undefined;
  const proposal = number === undefined ? 0 : Number(number) - 1;
  return proposal >= 0 && proposal < proposals ? { choice: 'allow', scope, proposal } : undefined;
}

/** What a person typed at what a trial changed. */
export type TrialAnswer = 'apply' | 'deny' | 'back' | 'view';

const TRIAL_ANSWERS: Readonly<Record<string, TrialAnswer>> = { y: 'apply', yes: 'apply', n: 'deny', no: 'deny', b: 'back', v: 'view' };

/** Reads an answer to a trial; undefined where it is none. */
export function parseTrialAnswer(text: string): TrialAnswer | undefined {
  const word = text.trim().toLowerCase();
  return Object.hasOwn(TRIAL_ANSWERS, word) ? TRIAL_ANSWERS[word] : undefined;
}
