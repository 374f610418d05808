import type { CallStatus } from './frames.ts';
import type { FinishedCall } from './ledger.ts';
import { sha256 } from './sha256.ts';

/** Returns the text of a result that the model reads. */
export function outputOf(body: string): string {
  const value: unknown = JSON.parse(body);
  return typeof value === 'object' && value !== null && 'output' in value && typeof value.output === 'string' ? value.output : '';
}

/** Creates a result without the tool, for a call that did not run or did not finish. */
export function ownResult(status: CallStatus, output: string): FinishedCall {
  const body = JSON.stringify({ output, isError: true });
  return { status, bytes: new TextEncoder().encode(body).length, sha256: sha256(body), body };
}

export const CANCELLED = ownResult('cancelled', 'Error: Cancelled before it was started.');
export const INTERRUPTED = ownResult(
  'interrupted',
  'Error: The machine stopped while this call ran. What it did is not known; look before you repeat it.',
);
export const EXPIRED = ownResult('expired', 'Error: Expired: the call was not started in time, and did not run.');
export const ELSEWHERE = ownResult('interrupted', 'Error: This call was sent to another machine. Whether it ran there is not known.');
export const FORGOTTEN = ownResult(
  'expired',
  'Error: Expired: the call is older than what this machine remembers, and did not run. If it is new, the clock of the machine that made it is wrong.',
);

/** Result of a call whose brain has confirmed that it got the result, and whose body was dropped since. */
export const droppedResult = (status: CallStatus): FinishedCall =>
  ownResult(status, `Error: This call ended (${status}), and its result was received before. The machine no longer keeps the text.`);

/** Result of a call that a relay refused, and that its machine has not run. */
export const refusedResult = (message: string): FinishedCall => ownResult('denied', `Error: ${message}`);
