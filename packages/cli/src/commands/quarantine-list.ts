import { defaultStateFolder, Quarantine } from '@synapse/hands/internal';
import { columns } from '../output/columns.ts';
import { branch } from '../command/branch-option.ts';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { visibleText } from '../output/visible-text.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';
import { itemRow } from './on-quarantined.ts';

export const command = defineCommand({
  details:
    'Files that a sandboxed command leaves for git, agents, editors or shells to execute are moved out of the workspace and kept for 90 days. ' +
    'Review them before you restore them.',
  options: { workspace, branch, json },
  examples: [['synapse quarantine', 'what, when, why, and where it is now']],
  async run({ options, out, err }) {
    const quarantine = new Quarantine(defaultStateFolder(), workspaceRoot(options.workspace));
    const items = quarantine.list();
    const locked = quarantine.locked();
    if (options.json) {
      printJson(out, { items, ...(locked === undefined ? {} : { locked }) });
      return 0;
    }
    out.write(columns(items.map(itemRow)));
    if (items.length === 0) err.write('Nothing is in quarantine here.\n', 'dim');
    else err.write(`To look at one: ${items[0]?.keptAs}\nTo put one back: synapse quarantine restore <id>\n`, 'dim');
    if (locked !== undefined) err.write(`Commands are locked: ${visibleText(locked.reason)}\nTo unlock, after a look: synapse quarantine unlock\n`);
    return 0;
  },
});
