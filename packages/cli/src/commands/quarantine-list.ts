import { defaultStateFolder, Quarantine, type QuarantinedItem } from '@synapse/hands';
import { columns } from '../columns.ts';
import type { CommandAction } from '../command.ts';
import { visibleJson, visibleText } from '../visible-text.ts';
import { workspaceRoot } from '../workspace-root.ts';

/** Something in one row, with the id that it is called by. */
export function itemRow({ id, time, path, reason, detail }: QuarantinedItem): string[] {
  return [id, time.slice(0, 16).replace('T', ' '), path, `${reason}: ${detail}`];
}

/** Lists what was taken away after commands. */
export const quarantineList: CommandAction = async ({ options, out, err }) => {
  const quarantine = new Quarantine(defaultStateFolder(), workspaceRoot(options.workspace));
  const items = quarantine.list();
  const lock = quarantine.locked();
  if (options.json) {
    out.write(`${visibleJson(JSON.stringify({ items, ...(lock === undefined ? {} : { locked: lock }) }, null, out.isTerminal ? 2 : 0))}\n`);
    return 0;
  }
  out.write(columns(items.map(itemRow)));
  if (items.length === 0) err.write('Nothing was taken away here.\n', 'dim');
  else err.write(`To look at one: ${items[0]?.keptAs}\nTo put one back: synapse quarantine restore <id>\n`, 'dim');
  if (lock !== undefined) err.write(`Commands are locked: ${visibleText(lock.reason)}\nTo unlock, after a look: synapse quarantine unlock\n`);
  return 0;
};
