import type { GrantScope } from '@synapse/hands/policy';

/** A person's answer to a question. */
export type TypedAnswer =
  | { readonly choice: 'allow'; readonly scope: GrantScope; readonly proposal: number }
  | { readonly choice: 'deny' }
  | { readonly choice: 'view' }
  /** Run it on a copy first. */
  | { readonly choice: 'try' };

const SCOPES: Readonly<Record<string, GrantScope>> = { y: 'once', yes: 'once', s: 'session', a: 'project' };

/** Parses an answer; undefined if it is invalid. There is no default: an empty line decides nothing. */
export function parseAnswer(
  text: string,
  { proposals, canTry, session = true }: { readonly proposals: number; readonly canTry: boolean; readonly session?: boolean },
): TypedAnswer | undefined {
  const [, word = '', number] = /^([a-z]+)(\d)?$/u.exec(text.trim().toLowerCase()) ?? [];
  if (number === undefined && (word === 'n' || word === 'no')) return { choice: 'deny' };
  if (number === undefined && word === 'v') return { choice: 'view' };
  if (number === undefined && word === 't' && canTry) return { choice: 'try' };
  const scope = Object.hasOwn(SCOPES, word) ? SCOPES[word] : undefined;
  if (scope === undefined || (scope === 'once' && number !== undefined) || (scope === 'session' && !session)) return undefined;
  if (scope === 'once') return { choice: 'allow', scope, proposal: 0 };
  // With several rules, the answer must name one.
  if (number === undefined && proposals !== 1) return undefined;
  const proposal = number === undefined ? 0 : Number(number) - 1;
  return proposal >= 0 && proposal < proposals ? { choice: 'allow', scope, proposal } : undefined;
}

/** A person's answer to the changes of a dry run. */
export type TrialAnswer = 'apply' | 'deny' | 'back' | 'view';

const TRIAL_ANSWERS: Readonly<Record<string, TrialAnswer>> = { y: 'apply', yes: 'apply', n: 'deny', no: 'deny', b: 'back', v: 'view' };

/** Parses an answer to a dry run; undefined if it is invalid. */
export function parseTrialAnswer(text: string): TrialAnswer | undefined {
  const word = text.trim().toLowerCase();
  return Object.hasOwn(TRIAL_ANSWERS, word) ? TRIAL_ANSWERS[word] : undefined;
}
