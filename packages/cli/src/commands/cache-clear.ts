import { defaultStateFolder, openKeptCaches } from '@synapse/hands/internal';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';
import { columns } from '../output/columns.ts';
import { printJson } from '../output/print-json.ts';
import { cacheRow } from './on-caches.ts';

export const command = defineCommand({
  details: 'Your own caches stay as they are. The next commands download and compile again what they need.',
  options: { workspace, json },
  examples: [['synapse cache clear', 'free their space, or start anew after a suspicious command']],
  async run({ options, out, err }) {
    const deleted = await openKeptCaches(defaultStateFolder(), workspaceRoot(options.workspace)).clear();
    if (options.json) printJson(out, { deleted: deleted.caches });
    else {
      out.write(columns(deleted.caches.map(cacheRow)));
      err.write(deleted.caches.length === 0 ? 'No caches are kept here.\n' : 'They are deleted.\n', 'dim');
    }
    return 0;
  },
});
