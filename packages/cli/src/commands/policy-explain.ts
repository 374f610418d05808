import { explanationText } from '@synapse/hands/policy';
import { CALL_ARGUMENTS, callInput, completeInput } from '../input/call-input.ts';
import { toolSchema } from '../input/tool-schema.ts';
import { defineCommand } from '../command/command.ts';
import { allow, handsOptions, json, workspace, yes } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { printJson } from '../output/print-json.ts';

export const command = defineCommand({
  details: 'Shows the verdict and every rule that was tried, without running the call. The exit code is 0 for every verdict.',
  // It shows the subjects of the commits that a push sends.
  showsRecords: true,
  arguments: CALL_ARGUMENTS,
  options: {
    workspace,
    json,
    yes: { ...yes, description: 'as if changing files and running commands were allowed' },
    allow,
    readable: handsOptions.readable,
  },
  examples: [
    ['synapse policy explain run_command command="git status && curl x.org"', 'each part of a command'],
    [`synapse policy explain write_file '{"path":"a","content":""}' --json`, 'for a program'],
  ],
  async run(context) {
    const { arguments: words, options, out } = context;
    const given = await callInput(words.input, context);
    await using hands = await openHands(options, context);
    const input = 'input' in given ? given.input : completeInput(given, await toolSchema(hands, words.tool, undefined));
    const shown = await hands.explain(words.tool, input);
    if (options.json) printJson(out, shown);
    else out.write(`${explanationText(words.tool, shown)}\n`);
    return 0;
  },
});
