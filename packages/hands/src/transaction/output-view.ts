import { join } from 'node:path';
import type { Confinement } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { isMissing } from '../workspace/target.ts';
import { WithOutputs, type OutputView } from '../workspace/with-outputs.ts';
import { readState, stateOf } from './output-state.ts';
import { readPending } from './pending-record.ts';
import { TransactionArea } from './transaction-area.ts';

/** The workspace as file tools read it while build output is kept apart; undefined if nothing is. Dispose it after use. */
export function openOutputView(areas: string, confinement: Confinement, onPartial: OutputView['onPartial']): WithOutputs | undefined {
  const state = readState(areas);
  if (state === undefined) return undefined;
  const area = new TransactionArea(join(areas, state.area));
  // A person applied or dropped it. The state stays until the next command.
  if (readPending(area) === undefined) return undefined;
  using root = confinement.openDirectory([]);
  // What a person built since counts.
  const folders = state.folders.filter(({ path, over }) => stateOf(root, path).text === over);
  if (folders.length === 0) return undefined;
  const layer = openLayer(area);
  return layer === undefined ? undefined : new WithOutputs(confinement, { layer, folders, onPartial });
}

function openLayer({ upper }: TransactionArea): HandleConfinement | undefined {
  try {
    return new HandleConfinement(upper);
  } catch (error) {
    // Dropped in this moment.
    if (isMissing(error)) return undefined;
    throw error;
  }
}
