import { defaultStateFolder, Quarantine } from '@synapse/hands/internal';
import { defineCommand } from '../command/command.ts';
import { json, workspace, yes } from '../command/shared-options.ts';
import { confirmOrThrow } from '../input/confirm-or-fail.ts';
import { printJson } from '../output/print-json.ts';
import { visibleText } from '../output/visible-text.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';

export const command = defineCommand({
  details:
    'Commands are locked if not everything that one left could be checked. Check the named folder first: a git command there may run a program.',
  options: { workspace, yes, json },
  examples: [['synapse quarantine unlock', 'after a look at that folder']],
  async run(context) {
    const { options, out, err } = context;
    const quarantine = new Quarantine(defaultStateFolder(), workspaceRoot(options.workspace));
    const lock = quarantine.locked();
    if (lock !== undefined) {
      if (!options.json) err.write(`Locked since ${lock.time.slice(0, 16).replace('T', ' ')}: ${visibleText(lock.reason)}\n`);
      await confirmOrThrow('Let commands run again?', 'commands stay locked', context);
      quarantine.unlock();
    }
    if (options.json) printJson(out, { unlocked: lock !== undefined });
    else err.write(lock === undefined ? 'Commands are not locked here.\n' : 'Commands run again.\n');
    return 0;
  },
});
