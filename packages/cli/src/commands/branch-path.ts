import { holdUnrecorded } from '../branch/enter-branch.ts';
import { defineCommand } from '../command/command.ts';
import { workspace } from '../command/shared-options.ts';
import { trackedRoot } from '../hands/workspace-root.ts';
import { untilAborted } from '../output/until-aborted.ts';

export const command = defineCommand({
  details: 'Prints the folder and keeps it there until Ctrl+C. What an editor saves there is a change of the branch.',
  arguments: { '<name>': 'the branch' },
  options: { workspace },
  examples: [['synapse branch path fix-login', 'a folder for your editor']],
  async run({ arguments: { name }, options, out, err, signal }) {
    const root = trackedRoot(options.workspace, err);
    using held = await holdUnrecorded(name, root, signal, err);
    out.write(`${held.path(root)}\n`);
    err.write('The folder exists until Ctrl+C.\n', 'dim');
    await untilAborted(signal);
    return 0;
  },
});
