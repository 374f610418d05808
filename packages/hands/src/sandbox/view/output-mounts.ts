import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import type { AppliedOutput } from './output-source.ts';

/** Names in the folder of layers, and the descriptor, that `layers.sh` uses. */
const TABLE = 'output-table';
const FAILED = 'failed';
/** The name in the folder of a layer that leads to the folder of the workspace. */
export const BELOW = 'below';
/** The descriptor by which the program holds that folder: a layer below it is named by it. */
export const HELD = '/proc/self/fd/9';

/** Writes the table of `layers.sh`. */
export function writeOutputTable(folder: string, shown: ReadonlyArray<{ readonly place: string; readonly output: AppliedOutput }>): void {
  const lines = shown.map(({ place, output }) => {
    const { dev, ino } = statSync(output.below.self, { bigint: true });
    return `${place} ${dev}:${ino}\n`;
  });
  if (lines.length > 0) writeFileSync(join(folder, TABLE), lines.join(''), { mode: 0o600 });
}

/** Throws if the layers could not be mounted; the command was then not run. */
export function assertOutputsMounted(folder: string): void {
  if (!existsSync(join(folder, FAILED))) return;
  throw new SynapseError(
    'conflict',
    'The command was not run: the build output of earlier commands could not be shown to it, as its folder changed.',
    {
      hint: 'Repeat it. If that fails again, a person applies or drops the output: synapse changes pending.',
      retryable: true,
    },
  );
}
