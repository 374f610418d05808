import { defaultStateFolder } from '@synapse/hands/internal';
import { deviceId } from '@synapse/protocol/remote';
import { awaitRevoked, type ProjectGrant } from '@synapse/remote';
import type { Output } from '../output/output.ts';
import { inLine } from '../output/visible-text.ts';

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/**
 * Waits until what a device ran under grants has ended, and says how much that was.
 *
 * @param since when the grants were taken away, in milliseconds since 1970
 */
export async function tellEnded(identity: string, grants: readonly ProjectGrant[], since: number, err: Output): Promise<void> {
  for (const { session, pid, ended } of await awaitRevoked(defaultStateFolder(), deviceId(identity), grants, since)) {
    const where = inLine(session);
    const serving = pid === undefined ? 'the `synapse connect` that serves it' : `process ${pid}`;
    if (ended === undefined) err.write(`${where}: not everything of it has ended after two seconds. End ${serving} to be sure.\n`, 'yellow');
    else {
      const [calls, jobs, ports] = [
        counted(ended.calls, 'running call'),
        counted(ended.jobs, 'background job'),
        counted(ended.ports, 'forwarded port'),
      ];
      err.write(`${where}: ended ${calls}, ${jobs} and ${ports}.\n`);
    }
  }
}
