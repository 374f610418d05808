import type { CheckedClaim } from './check-claims.ts';

/** Maximum number of characters of a claim in a line. */
const SHOWN = 120;

/** Says in one line what does not back a claim. */
export function claimNote({ claim, verdict, reason, call }: CheckedClaim): string {
  const text = claim.replaceAll(/\s+/gu, ' ').trim();
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN).toWellFormed()}…` : text;
  const word = verdict === 'contradicted' ? 'Contradicted' : 'Not backed';
  return `${word}: "${shown}" ${reason}${call === undefined ? '' : ` (call ${call})`}`;
}
