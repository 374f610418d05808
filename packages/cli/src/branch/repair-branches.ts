import { BranchStore, defaultStateFolder } from '@synapse/hands/internal';
import type { Output } from '../output/output.ts';

/** Finishes applying branches, or takes it back, where Synapse was ended meanwhile, and says so. */
export async function repairBranches(root: string, err: Output | undefined): Promise<void> {
  if (new BranchStore(defaultStateFolder(), root).applying().length === 0) return;
  const { createHands } = await import('@synapse/hands');
  await using hands = await createHands({ workspace: root });
  for (const name of await hands.repairBranches())
    err?.write(`The branch ${name} was being applied when Synapse was ended. It has all that was not applied.\n`, 'yellow');
}
