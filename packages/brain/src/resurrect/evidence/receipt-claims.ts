import type { Hands, NewestReceipt } from '@synapse/hands';
import { checkOf } from '../../report/claims/command-kinds.ts';
import { commandParts } from '../../report/claims/command-line.ts';
import { claim, type Claim } from './claim.ts';
import { ofReceipt } from './evidence.ts';
import { amount, join, quote, say } from './safe-text.ts';

/** Maximum number of checks to name. */
const SHOWN_CHECKS = 5;
/** Maximum number of changed files to name. */
const SHOWN_FILES = 3;

/** Whether a command checks something, and its exit code says how that went. */
const checks = ({ command }: NewestReceipt): boolean => commandParts(command).some((part) => part.counts && checkOf(part) !== undefined);

function claimOf(receipt: NewestReceipt): Claim {
  const { command, exit_code: code, state, changed } = receipt;
  const proof = ofReceipt(receipt.call);
  const how = code === 0 ? say`passed` : say`failed`;
  if (state === 'valid') return claim(say`${quote(command)} ${how} on exactly these files.`, proof);
  const more = changed.length > SHOWN_FILES ? say` and ${amount(changed.length - SHOWN_FILES, 'other file')}` : say``;
  const since =
    changed.length === 0
      ? say`files changed since`
      : say`since then changed: ${join(changed.slice(0, SHOWN_FILES).map((path) => quote(path)))}${more}`;
  return claim(say`${quote(command)} ${how} the last time it ran; ${since}.`, proof);
}

/** What checks ran in a workspace, and whether that still counts: by their receipts. */
export async function receiptClaims(hands: Pick<Hands, 'receipts'>): Promise<Claim[]> {
  const receipts = await hands.receipts();
  return receipts
    .filter((receipt) => receipt.state !== 'unknown' && checks(receipt))
    .slice(0, SHOWN_CHECKS)
    .map((receipt) => claimOf(receipt));
}
