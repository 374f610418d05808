import { holdNamed } from '../branch/enter-branch.ts';
import { defineCommand } from '../command/command.ts';
import { workspace } from '../command/shared-options.ts';
import { trackedRoot } from '../hands/workspace-root.ts';

export const command = defineCommand({
  details: 'Prints the folder and keeps it there until Ctrl+C. What an editor saves there is a change of the branch.',
  arguments: { '<name>': 'the branch' },
  options: { workspace },
  examples: [['synapse branch path fix-login', 'a folder for your editor']],
  async run({ arguments: { name }, options, out, err, signal }) {
    const root = trackedRoot(options.workspace, err);
    using held = await holdNamed(name, root, signal, err);
    out.write(`${held.path(root)}\n`);
    err.write('The folder exists until Ctrl+C.\n', 'dim');
    const { promise, resolve } = Promise.withResolvers<void>();
    signal.addEventListener('abort', () => resolve(), { once: true });
    // A waiting promise alone keeps no process alive.
    const alive = setInterval(() => {}, 2 ** 30);
    if (!signal.aborted) await promise;
    clearInterval(alive);
    return 0;
  },
});
