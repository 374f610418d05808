import { FIRST_HANDLE } from '../process/processes.ts';
import { bubblewrapArguments, type SandboxPlan } from './bubblewrap-arguments.ts';
import type { Bubblewrap } from './find-bubblewrap.ts';
import { openCallFilter } from './seccomp/call-filter.ts';
import { tryRun, type TryRunResult } from './try-run.ts';
import { machineMounts } from './view/machine-view.ts';

/** Tries a sandbox. The test run starts like a command, so that it detects the same problems. */
export async function tryBubblewrap({ program }: Bubblewrap, network: SandboxPlan['network']): Promise<TryRunResult> {
  using filter = openCallFilter();
  const plan: SandboxPlan = {
    mounts: machineMounts(),
    network,
    temporaryBytes: 2 ** 20,
    environment: {},
    ...(filter === undefined ? {} : { filter: FIRST_HANDLE }),
  };
  return await tryRun(program, [...bubblewrapArguments(plan), '--', '/bin/sh', '-c', ':'], '/', filter === undefined ? [] : [filter.descriptor]);
}
