import type { Hands } from '@synapse/hands';
import type { HandsEffect, LedgerCall } from '@synapse/protocol/remote';

export type RunEffect = Extract<HandsEffect, { type: 'run' }>;

/** The calls to start after the steps of a turn, and the ids of the rows to write. */
export interface Turn {
  readonly starts: readonly RunEffect[];
  readonly rows: ReadonlySet<string>;
}

/**
 * Whether running a call twice is the same as running it once: its tool only reads, and says that repeating it changes nothing. Calls in
 * a dialect do not count, because one of them may use several tools.
 */
export function onlyReads(hands: Hands, { tool, dialect }: LedgerCall): boolean {
  if (dialect !== undefined) return false;
  const found = hands.tools().find(({ name }) => name === tool);
  return found?.effects === 'read' && found.idempotent === true;
}

/** Whether a turn does nothing but start calls that only read, in workspaces that are open. */
export function isForReading(handsOf: (call: LedgerCall) => Hands | undefined, { starts, rows }: Turn): boolean {
  const reads = ({ call }: RunEffect): boolean => {
    const hands = handsOf(call);
    return hands !== undefined && onlyReads(hands, call);
  };
  return starts.length > 0 && rows.size === starts.length && starts.every(reads);
}
