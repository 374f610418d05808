/** What a policy says of a call, from the laxest to the strictest. */
export const VERDICTS = ['allow', 'ask', 'deny'] as const;
export type Verdict = (typeof VERDICTS)[number];

const STRICTNESS: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 };

/** Whether one verdict is stricter than another. */
export function isStricter(verdict: Verdict, than: Verdict): boolean {
  return STRICTNESS[verdict] > STRICTNESS[than];
}
