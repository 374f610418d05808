import { closeSync } from 'node:fs';
import { FIRST_HANDLE } from '../../process/processes.ts';
import { RUN_MODES } from '../../modes/run-modes.ts';
import { openNamedRun, type NamedRunOptions } from '../named-run.ts';
import type { PreparedRun, Run } from '../run.ts';
import { keepAnonymous, openAnonymous } from '../run-files.ts';
import { keptFilter } from '../seccomp/call-filter.ts';
import { CALLS_UNDER_LANDLOCK, CALLS_UNDER_LANDLOCK_WITH_NETWORK } from '../seccomp/landlock-calls.ts';
import type { Tier } from '../tier.ts';
import { explainLandlock } from './explain-landlock.ts';
import type { Landlock } from './find-landlock.ts';
import { landlockNote } from './lacks.ts';
import { planText, SCOPES_ABI } from './landlock-plan.ts';
import { KEEPER_SIGNAL, openLeft } from './keeper.ts';
import { landlockRules } from './landlock-rules.ts';
import { BASE_PLACES, namesOnDisk } from './places.ts';
import { processRoom } from './process-room.ts';

/** Files of the system that git is closed out of, and warns about. In a namespace they do not exist. */
const NO_SYSTEM_FILES = { GIT_CONFIG_NOSYSTEM: '1', GIT_ATTR_NOSYSTEM: '1' };

/** What the tier needs besides what every run of the sandbox has. */
export interface LandlockTierParts extends NamedRunOptions {
  readonly landlock: Landlock;
}

/** Confines commands with Landlock and a filter of system calls. */
export const landlockTier = (own: LandlockTierParts): Tier => ({
  name: 'landlock',
  program: own.landlock.program,
  copies: 'clone',
  prepare: async (parts, request, overlay, use) => await prepareLandlockRun(own, { parts, request, overlay, use, facts: RUN_MODES[use.mode] }),
});

async function prepareLandlockRun(own: LandlockTierParts, run: Run): Promise<PreparedRun> {
  const { request, overlay, parts } = run;
  const { abi, wrap } = own.landlock;
  request.onNote?.(landlockNote(abi, overlay !== undefined));
  await using stack = new AsyncDisposableStack();
  const { places, hasNetwork: network, cwd, environment, prepared } = await openNamedRun(own, run, stack);
  const { rules, fixed } = landlockRules([...BASE_PLACES, ...places], namesOnDisk);
  const processes = processRoom(parts.support.limits.processes);
  const variables = { ...NO_SYSTEM_FILES, ...environment };
  const plan = keepAnonymous(planText({ abi, rules, network, processes, parent: process.pid, environment: variables }));
  stack.defer(() => closeSync(plan));
  const calls = keptFilter(network ? CALLS_UNDER_LANDLOCK_WITH_NETWORK : CALLS_UNDER_LANDLOCK);
  // Without one the tier does not open.
  if (calls === undefined) throw new TypeError('There is no filter of system calls for this processor.');
  const filter = stack.use(openAnonymous(calls));
  const left = stack.use(openLeft());
  const opened = stack.move();
  return {
    ...prepared,
    argv: wrap([request.argv[0], ...request.argv.slice(1)], FIRST_HANDLE, FIRST_HANDLE + 1, cwd, FIRST_HANDLE + 2),
    environment: own.landlock.environment,
    handles: [{ descriptor: plan }, filter, left],
    endsAllBy: abi >= SCOPES_ABI ? KEEPER_SIGNAL : undefined,
    leftRunning: left.count,
    explain: (outcome, said) => [
      ...explainLandlock({ said, outcome, fixed, rootPath: parts.options.confinement.root }),
      ...prepared.explain(outcome, said),
    ],
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}
