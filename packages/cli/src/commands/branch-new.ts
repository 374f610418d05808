import { SynapseError } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { text } from '../command/option.ts';
import { json, workspace } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { printJson } from '../output/print-json.ts';

export const command = defineCommand({
  details:
    'A branch is a copy-on-write copy of the workspace, with ignored files, packages and caches. What is changed in it stays in it until it is applied.',
  arguments: { '<name>': 'lowercase letters, digits, dots, hyphens and underscores' },
  options: {
    workspace,
    from: text('<branch>', 'the branch that it is based on (default: the workspace)'),
    at: text('<call>', 'as the workspace was before this call: synapse log'),
    json,
  },
  examples: [
    ['synapse branch new fix-login', 'make it'],
    ['synapse branch run fix-login -- npm test', 'run a command in it'],
    ['synapse branch new before --at 7c60', 'the workspace before a call'],
    ['synapse branch new second --from fix-login', 'with what was changed in another one'],
  ],
  async run(context) {
    const { arguments: words, options, out, err, signal } = context;
    if (options.at !== undefined && options.from !== undefined)
      throw new SynapseError('invalid_arguments', '--at is for a branch of the workspace.', { hint: 'Leave --from out.' });
    await using hands = await openHands({ workspace: options.workspace }, context);
    const { from, at } = options;
    await hands.createBranch(words.name, { signal, ...(from === undefined ? {} : { from }), ...(at === undefined ? {} : { at }) });
    const made = hands.branches().find(({ name }) => name === words.name);
    if (options.json) printJson(out, made);
    else err.write(`Branch ${words.name} created. To work in it: synapse chat --branch ${words.name}\n`);
    return 0;
  },
});
