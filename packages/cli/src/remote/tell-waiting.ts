import type { RemoteCallOptions } from '@synapse/remote/brain';
import type { Output } from '../output/output.ts';
import { inLine } from '../output/visible-text.ts';

/**
 * Tells a person that a remote call waits for approval.
 *
 * @param asksHere whether this command asks, if the answer of this device counts
 */
export const tellWaiting =
  (err: Output, asksHere = false): NonNullable<RemoteCallOptions['onApproval']> =>
  ({ tool, reason, may_decide: mayDecide }) => {
    if (mayDecide === true && asksHere) return;
    const where = mayDecide === true ? 'at the machine, by an approver, or here if you run this in a terminal' : 'at the machine or by an approver';
    err.write(`Waiting for approval of ${inLine(tool)} ${where}: ${inLine(reason)}. Ctrl+C cancels.\n`, 'yellow');
  };
