import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { printJson } from '../output/print-json.ts';

export const command = defineCommand({
  arguments: { '<server>': 'its name, as `synapse mcp list` shows it' },
  options: { workspace, json },
  examples: [['synapse mcp logout github', 'delete the stored tokens']],
  async run(context) {
    const { arguments: words, options, out, err } = context;
    await using hands = await openHands({ workspace: options.workspace }, context, undefined, { connect: 'demand' });
    const was = await hands.mcp.logOut(words.server);
    if (options.json) printJson(out, { loggedOut: was });
    else err.write(was ? `The login at ${words.server} is deleted.\n` : `There was no login at ${words.server}.\n`);
    return 0;
  },
});
