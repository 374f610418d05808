import { join } from 'node:path';
import type { Confinement } from '../workspace/confinement.ts';
import { HandleConfinement } from '../workspace/handle-confinement.ts';
import { WithOutputs, type OutputView } from '../workspace/with-outputs.ts';
import { readState, stateOf } from './output-state.ts';
import { TransactionArea } from './transaction-area.ts';

/** The workspace as file tools read it while build output is kept apart; undefined if nothing is. Dispose it after use. */
export function openOutputView(areas: string, confinement: Confinement, onPartial: OutputView['onPartial']): WithOutputs | undefined {
  const state = readState(areas);
  if (state === undefined) return undefined;
  using root = confinement.openDirectory([]);
  // What a person built since counts.
  const folders = state.folders.filter(({ path, over }) => stateOf(root, path).text === over);
  if (folders.length === 0) return undefined;
  return new WithOutputs(confinement, { layer: new HandleConfinement(new TransactionArea(join(areas, state.area)).upper), folders, onPartial });
}
