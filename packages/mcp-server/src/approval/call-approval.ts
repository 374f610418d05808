import type { InputRequiredResult } from '@modelcontextprotocol/server';
import type { CallOptions } from '@synapse/hands';

/** Who answers for one call. */
export interface CallApproval {
  /** For the call; empty where the client cannot ask its person. */
  readonly options: Pick<CallOptions, 'approver' | 'asksFirst'>;
  /** What to answer in place of `approval_required`; undefined for just that. */
  question(): Promise<InputRequiredResult | undefined>;
}
