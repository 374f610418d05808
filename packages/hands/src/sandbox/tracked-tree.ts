import type { RunningTree } from '../process/processes.ts';
import type { ProcessEntry } from '../process/process-table.ts';
import { withoutHolder } from './held-command.ts';

/** What a sandbox adds to a running command. */
interface Tracking {
  /** Whether two shells hold the command, so that it can outlive this process. */
  readonly isHeld: boolean;
  readonly handOver: (owner: string) => void;
  /** Undefined if the command does not write to the workspace itself. */
  readonly check: RunningTree['check'];
  /** Undefined if the network refuses nothing, or is not counted. */
  readonly refused: ((running: readonly ProcessEntry[]) => { readonly count: number; readonly hint: string }) | undefined;
}

/** Adds to a running command what its sandbox can do with it. */
export function trackedTree(tree: RunningTree, { isHeld, handOver, check, refused }: Tracking): RunningTree {
  const held: Partial<RunningTree> = {
    list: () => withoutHolder(tree.list(), tree.root.pid),
    handOver: (owner) => {
      handOver(owner);
      tree.handOver?.(owner);
    },
  };
  return {
    ...tree,
    ...(isHeld ? held : {}),
    ...(check === undefined ? {} : { check }),
    ...(refused === undefined ? {} : { refused: () => refused(tree.list()) }),
  };
}
