import type { Evidence } from './evidence.ts';
import type { SafeText } from './safe-text.ts';

/** At least one piece of evidence. */
export type Proof = readonly [Evidence, ...Evidence[]];

/** A statement of the report with its evidence. It cannot exist without evidence. */
export interface Claim {
  readonly text: SafeText;
  readonly evidence: Proof;
}

/** Creates a claim. */
export function claim(text: SafeText, ...evidence: Proof): Claim {
  return { text, evidence };
}

/** Converts a list of evidence to a proof; undefined if it is empty. */
export function proof(evidence: readonly Evidence[]): Proof | undefined {
  const [first, ...rest] = evidence;
  return first === undefined ? undefined : [first, ...rest];
}

/** Creates a claim, or nothing if the evidence is empty. */
export function claimIf(text: SafeText, evidence: readonly Evidence[]): Claim[] {
  const found = proof(evidence);
  return found === undefined ? [] : [claim(text, ...found)];
}
