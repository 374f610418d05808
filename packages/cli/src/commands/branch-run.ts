import { SynapseError } from '@synapse/protocol';
import { enterBranch } from '../branch/enter-branch.ts';
import { givenCommand } from '../branch/given-command.ts';
import { defineCommand } from '../command/command.ts';
import { workspace } from '../command/shared-options.ts';
import { trackedRoot } from '../hands/workspace-root.ts';

export const command = defineCommand({
  details: 'As you would run it yourself: without a sandbox, without rules, and with your environment. Only the files are those of the branch.',
  arguments: { '<name>': 'the branch', '[command...]': 'the command and its arguments, or one line for the shell, after --' },
  options: { workspace },
  examples: [
    ['synapse branch run fix-login -- npm test', 'run the tests of a branch'],
    ["synapse branch run fix-login -- 'npm test && npm run lint'", 'run a line of the shell'],
    ['synapse branch run fix-login -- bash', 'look around in it'],
  ],
  async run({ arguments: { name, command: argv }, options, err, signal }) {
    const [program, ...words] = argv;
    if (program === undefined)
      throw new SynapseError('invalid_arguments', 'Missing command.', { hint: `Write it after --: synapse branch run ${name} -- npm test` });
    const root = trackedRoot(options.workspace, err);
    return await enterBranch({ name, root, argv: givenCommand([program, ...words], root), folder: root, err, signal, isUnrecorded: true });
  },
});
