import { defaultStateFolder, Quarantine } from '@synapse/hands';
import type { CommandAction } from '../command.ts';
import { declined } from '../declined.ts';
import { visibleJson, visibleText } from '../visible-text.ts';
import { workspaceRoot } from '../workspace-root.ts';

/** Lets commands run again in a workspace, once a person has seen why they are locked. */
export const quarantineUnlock: CommandAction = async (context) => {
  const { options, out, err } = context;
  const quarantine = new Quarantine(defaultStateFolder(), workspaceRoot(options.workspace));
  const lock = quarantine.locked();
  if (lock !== undefined) {
    if (!options.json) err.write(`Locked since ${lock.time.slice(0, 16).replace('T', ' ')}: ${visibleText(lock.reason)}\n`);
    const no = await declined('Let commands run again?', 'commands stay locked', context);
    if (no !== undefined) return no;
    quarantine.unlock();
  }
  if (options.json) out.write(`${visibleJson(JSON.stringify({ unlocked: lock !== undefined }, null, out.isTerminal ? 2 : 0))}\n`);
  else err.write(lock === undefined ? 'Commands are not locked here.\n' : 'Commands run again.\n');
  return 0;
};
