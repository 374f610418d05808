import { defaultStateFolder, openKeptCaches, size } from '@synapse/hands/internal';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';
import { columns } from '../output/columns.ts';
import { printJson } from '../output/print-json.ts';
import { cacheRow } from './on-caches.ts';

export const command = defineCommand({
  details:
    'What sandboxed commands write to caches in your home folder is kept for later commands of the same project. Neither you nor other projects see it. ' +
    'Over the budget, the caches that were not used for longest are deleted.',
  options: { workspace, json },
  examples: [['synapse cache', 'which caches, their size, and when they were last written to']],
  run({ options, out, err }) {
    const kept = openKeptCaches(defaultStateFolder(), workspaceRoot(options.workspace)).list();
    if (options.json) printJson(out, kept);
    else {
      out.write(columns(kept.caches.map(cacheRow)));
      const bytes = kept.caches.reduce((sum, cache) => sum + cache.bytes, 0);
      err.write(`${kept.caches.length === 0 ? 'No caches are kept here' : `${size(bytes)} kept`}, of at most ${size(kept.budgetBytes)}.\n`, 'dim');
      if (kept.caches.length > 0) err.write('To delete them: synapse cache clear\n', 'dim');
    }
    return Promise.resolve(0);
  },
});
