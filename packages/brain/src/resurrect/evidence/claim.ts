import type { Evidence } from './evidence.ts';
import type { SafeText } from './safe-text.ts';

/** At least one piece of evidence. */
export type Proof = readonly [Evidence, ...Evidence[]];

/** A statement of the report with what it rests on. There is no way to make one without evidence. */
export interface Claim {
  readonly text: SafeText;
  readonly evidence: Proof;
}

/** States something that calls have shown. */
export function claim(text: SafeText, ...evidence: Proof): Claim {
  return { text, evidence };
}

/** A list of evidence as a proof, where there is any. */
export function proof(evidence: readonly Evidence[]): Proof | undefined {
  const [first, ...rest] = evidence;
  return first === undefined ? undefined : [first, ...rest];
}

/** States something for which there may be no evidence; then nothing is stated. */
export function claimIf(text: SafeText, evidence: readonly Evidence[]): Claim[] {
  const found = proof(evidence);
  return found === undefined ? [] : [claim(text, ...found)];
}
