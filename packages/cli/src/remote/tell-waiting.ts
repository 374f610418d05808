import type { RemoteCallOptions } from '@synapse/remote/brain';
import type { Output } from '../output/output.ts';
import { inLine } from '../output/visible-text.ts';

/** Tells a person that a remote call waits for approval. */
export const tellWaiting =
  (err: Output): NonNullable<RemoteCallOptions['onApproval']> =>
  ({ tool, reason }) =>
    err.write(`Waiting for approval of ${inLine(tool)} at the machine or by an approver: ${inLine(reason)}. Ctrl+C cancels.\n`, 'yellow');
