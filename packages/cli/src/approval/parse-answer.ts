import type { GrantScope } from '@synapse/hands';

/** What a person typed at a question. */
export type TypedAnswer =
  | { readonly choice: 'allow'; readonly scope: GrantScope; readonly proposal: number }
  | { readonly choice: 'deny' }
  | { readonly choice: 'view' };

const SCOPES: Readonly<Record<string, GrantScope>> = { y: 'once', yes: 'once', s: 'session', a: 'project' };

/** Reads an answer; undefined where it is none. There is no default: an empty line decides nothing. */
export function parseAnswer(text: string, proposals: number): TypedAnswer | undefined {
  const [, word = '', number] = /^([a-z]+)(\d)?$/u.exec(text.trim().toLowerCase()) ?? [];
  if (number === undefined && (word === 'n' || word === 'no')) return { choice: 'deny' };
  if (number === undefined && word === 'v') return { choice: 'view' };
  const scope = Object.hasOwn(SCOPES, word) ? SCOPES[word] : undefined;
  if (scope === undefined || (scope === 'once' && number !== undefined)) return undefined;
  if (scope === 'once') return { choice: 'allow', scope, proposal: 0 };
  // Of several rules the one must be named that is meant.
  if (number === undefined && proposals !== 1) return undefined;
  const proposal = number === undefined ? 0 : Number(number) - 1;
  return proposal >= 0 && proposal < proposals ? { choice: 'allow', scope, proposal } : undefined;
}
