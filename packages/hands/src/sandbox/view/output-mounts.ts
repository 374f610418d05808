import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { SYSTEM_PATH } from '../find-bubblewrap.ts';
import type { AppliedOutput } from './output-source.ts';

const TABLE = 'output-table';
const FAILED = 'failed';
/** The name in the folder of a layer that leads to the folder of the workspace. */
export const BELOW = 'below';
/** The descriptor by which {@link MOUNT_OUTPUTS} holds that folder: a layer below it is named by it. */
export const HELD = '/proc/self/fd/9';

/**
 * Mounts the layers of build output. A command that runs can swap the folder in the workspace for a link, which would bring a folder of
 * this machine below the layer. So it is opened once, compared with the folder that Synapse holds open, and mounted by its descriptor: one that was
 * opened outside the namespace cannot be mounted. A failure leaves a mark that commands cannot reach, and nothing runs: otherwise they
 * would write to an empty folder, and what they wrote would be lost.
 */
export const MOUNT_OUTPUTS = `[ ! -e "$1/${TABLE}" ] || (
  cd "$1" && PATH=${SYSTEM_PATH} && while read -r place id; do
    exec 9< "$place/${BELOW}/." && [ "$(stat -L -c %d:%i ${HELD})" = "$id" ] &&
      mount -t overlay overlay -o "lowerdir=$place/lower0:$place/lower1,upperdir=$place/upper,workdir=$place/work,userxattr,volatile" "$place/merged" || exit 1
  done < ${TABLE}
) 2>/dev/null || { : > "$1/${FAILED}"; exit 1; }`;

/** Writes the table of {@link MOUNT_OUTPUTS}. */
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
