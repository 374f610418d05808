import type { Hands } from '@synapse/hands';
import type { LedgerCall } from '@synapse/protocol/remote';

/**
 * Whether running a call twice is the same as running it once: its tool only reads, and says that repeating it changes nothing. Calls in
 * a dialect do not count, because one of them may use several tools.
 */
export function onlyReads(hands: Hands, { tool, dialect }: LedgerCall): boolean {
  if (dialect !== undefined) return false;
  const found = hands.tools().find(({ name }) => name === tool);
  return found?.effects === 'read' && found.idempotent === true;
}
