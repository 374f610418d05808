import type { GrantScope } from '@synapse/hands/policy';

/** A person's answer to a question. */
export type TypedAnswer =
  | { readonly choice: 'allow'; readonly scope: GrantScope; readonly proposal: number }
  | { readonly choice: 'deny' }
  | { readonly choice: 'view' }
  /** Run it on a copy first. */
  | { readonly choice: 'try' };

const SCOPES: Readonly<Record<string, GrantScope>> = { y: 'once', yes: 'once', s: 'session', a: 'project' };

/** Answers that name no rule. */
const PLAIN: Readonly<Record<string, Exclude<TypedAnswer, { choice: 'allow' }>>> = {
  n: { choice: 'deny' },
  no: { choice: 'deny' },
  v: { choice: 'view' },
  t: { choice: 'try' },
};

/** The rule that a number names, counted from 0; undefined if there is none. With several rules, the answer must name one. */
function proposalOf(number: string | undefined, proposals: number): number | undefined {
  if (number === undefined) return proposals === 1 ? 0 : undefined;
  const proposal = Number(number) - 1;
  return proposal >= 0 && proposal < proposals ? proposal : undefined;
}

const entryOf = <Value>(table: Readonly<Record<string, Value>>, word: string): Value | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;

/** Parses an answer; undefined if it is invalid. There is no default: an empty line decides nothing. */
export function parseAnswer(
  text: string,
  { proposals, canTry, session = true }: { readonly proposals: number; readonly canTry: boolean; readonly session?: boolean },
): TypedAnswer | undefined {
  const [, word = '', number] = /^([a-z]+)(\d)?$/u.exec(text.trim().toLowerCase()) ?? [];
  const plain = entryOf(PLAIN, word);
  if (plain !== undefined) return number === undefined && (plain.choice !== 'try' || canTry) ? plain : undefined;
  const scope = entryOf(SCOPES, word);
  if (scope === undefined || (scope === 'session' && !session)) return undefined;
  if (scope === 'once') return number === undefined ? { choice: 'allow', scope, proposal: 0 } : undefined;
  const proposal = proposalOf(number, proposals);
  return proposal === undefined ? undefined : { choice: 'allow', scope, proposal };
}

/** A person's answer to the changes of a dry run. */
export type TrialAnswer = 'apply' | 'deny' | 'back' | 'view';

const TRIAL_ANSWERS: Readonly<Record<string, TrialAnswer>> = { y: 'apply', yes: 'apply', n: 'deny', no: 'deny', b: 'back', v: 'view' };

/** Parses an answer to a dry run; undefined if it is invalid. */
export function parseTrialAnswer(text: string): TrialAnswer | undefined {
  const word = text.trim().toLowerCase();
  return Object.hasOwn(TRIAL_ANSWERS, word) ? TRIAL_ANSWERS[word] : undefined;
}
