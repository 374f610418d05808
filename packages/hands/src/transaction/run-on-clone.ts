import { chmodSync, statSync } from 'node:fs';
import type { ProcessRequest } from '../process/processes.ts';
import { SynapseError } from '@synapse/protocol';
import type { CopyingSandbox } from '../sandbox/open-sandbox.ts';
import { namesOf } from '../quarantine/take-away.ts';
import { kernelTick } from '../workspace/file-seconds.ts';
import type { AttributeWorker } from './attribute-worker.ts';
import type { CopyPlan, OverlayCommand } from './copy-plan.ts';
import { userOfProcess } from '../workspace/process-identity.ts';
import { prepareLayer } from './transaction-area.ts';
import { WorkspaceClone } from './workspace-clone.ts';

/** Milliseconds for what a cancelled command changed. */
const SETTLE_MS = 30_000;

/** To git, each file of a clone looks changed by its inode and exact time, and it would read all of them. */
const GIT_SETTINGS: ReadonlyArray<readonly [name: string, value: string]> = [
  ['core.checkStat', 'minimal'],
  ['core.trustctime', 'false'],
];

function withGitSettings(environment: ProcessRequest['environment'] = {}): Record<string, string> {
  const count = Number(environment['GIT_CONFIG_COUNT'] ?? 0);
  const settings = GIT_SETTINGS.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${count + index}`, name],
    [`GIT_CONFIG_VALUE_${count + index}`, value],
  ]);
  return { ...environment, ...Object.fromEntries(settings), GIT_CONFIG_COUNT: String(count + GIT_SETTINGS.length) };
}

/**
 * Runs a command in a clone of the workspace, where nothing can be mounted in place of it. Afterwards the area is as an overlay would have
 * left it, so that all that reads and judges changes is the same.
 *
 * @throws SynapseError `unavailable` if the workspace is too large; the command was not run
 */
export async function runOnClone(
  sandbox: CopyingSandbox,
  request: ProcessRequest,
  { area, root, mode, hide, attributes, readsNothing = false }: CopyPlan & { readonly attributes: AttributeWorker },
): Promise<OverlayCommand> {
  prepareLayer(area.upper, root);
  const permissions = statSync(area.upper).mode;
  // Before anything is read: what others change later may not be in the clone.
  const startedAt = await kernelTick(area.path);
  const clone = await WorkspaceClone.make({ area, root, attributes, signal: request.signal });
  const outcome = await sandbox.runIn(
    { mode, ...request, environment: withGitSettings(request.environment) },
    {
      hide: async (places) => {
        await hide(places);
        await clone.hide(places.map(({ path }) => namesOf(path)));
        return true;
      },
      readsNothing,
      ready: Promise.resolve(),
      source: area.merged,
      wrap: (argv) => argv,
      user: userOfProcess(),
    },
  );
  // Another process could replace what is moved from the clone by a link.
  if (outcome.survivors > 0) {
    throw new SynapseError('unavailable', 'Processes of the command could not be ended. Nothing it did was applied.', {
      hint: 'End them, and repeat the command.',
    });
  }
  await clone.settle(outcome.aborted ? AbortSignal.timeout(SETTLE_MS) : request.signal);
  const rootChanged = statSync(area.upper).mode !== permissions;
  // The command may have removed the user's own permissions.
  chmodSync(area.upper, 0o700);
  return { outcome, startedAt, rootChanged };
}
