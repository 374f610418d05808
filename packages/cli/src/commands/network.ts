import { defaultStateFolder, networkLogFile, readNetworkLog, size, workspaceId, type NetworkEntry } from '@synapse/hands/internal';
import { defineCommand } from '../command/command.ts';
import { flag } from '../command/option.ts';
import { json, limit, workspace } from '../command/shared-options.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';
import { columns } from '../output/columns.ts';
import { printJson } from '../output/print-json.ts';

const DEFAULT_LIMIT = 50;

/** What a person can do about an entry, or why it failed. */
const advice = ({ rule, about = '' }: NetworkEntry): string => (rule === undefined ? about : `--network "${rule}"`);

export const command = defineCommand({
  details:
    'What sandboxed commands asked for where hosts are open by name, and what would allow what was refused. Methods and paths are known of hosts with a ' +
    'secret or with rules about requests, with the bytes that were sent; of others only that a connection was made (CONNECT).',
  options: { workspace, limit, refused: flag('only what was not allowed, or failed'), json },
  examples: [
    ['synapse network', 'the last 50 requests'],
    ['synapse network --refused', 'those that were not allowed'],
  ],
  showsRecords: true,
  run({ options, out, err }) {
    const file = networkLogFile(defaultStateFolder(), workspaceId(workspaceRoot(options.workspace)));
    const all = readNetworkLog(file, Number.MAX_SAFE_INTEGER);
    const entries = (options.refused ? all.filter(({ outcome }) => outcome !== 'sent') : all).slice(-(options.limit ?? DEFAULT_LIMIT));
    if (options.json) printJson(out, { requests: entries });
    else if (entries.length === 0)
      err.write('No command asked for anything by name yet. Commands have no network by default: --network HOST opens one.\n', 'dim');
    else {
      out.write(
        columns(
          entries.map((entry) => [
            entry.time.slice(0, 19).replace('T', ' '),
            entry.outcome,
            `${entry.count}x`,
            `${entry.method} ${entry.host}${entry.path}`,
            entry.sent === undefined ? '' : `${size(entry.sent)} sent`,
            advice(entry),
          ]),
        ),
      );
    }
    return Promise.resolve(0);
  },
});
