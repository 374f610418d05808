import { workingFolder } from '../agent/working-folder.ts';
import { estimateTextTokens, findProtocol, systemPromptParts, toolDescriptions } from '@synapse/brain';
import { columns } from '../output/columns.ts';
import { defineCommand } from '../command/command.ts';
import { text } from '../command/option.ts';
import { handsOptions, json } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { printJson } from '../output/print-json.ts';
import { visibleText } from '../output/visible-text.ts';

export const command = defineCommand({
  details: 'Prints the system prompt of synapse run, and on stderr the approximate tokens of each part.',
  options: {
    ...handsOptions,
    model: text('<name>', 'the model to name in it', { short: 'm' }),
    protocol: text('<id>', 'with the steps of a protocol', { short: 'p' }),
    json,
  },
  examples: [
    ['synapse prompt', 'the prompt a model gets'],
    ['synapse prompt -p project-resurrection > prompt.txt', 'with a protocol, into a file'],
  ],
  async run(context) {
    const { options, out, err } = context;
    await using hands = await openHands(options, context);
    const spoken = options.dialect === undefined ? hands : hands.dialect(options.dialect);
    const parts = await systemPromptParts({
      workspace: hands.workspace,
      model: options.model ?? '(not chosen)',
      toolDescriptions: toolDescriptions(spoken),
      operatorPrompt: 'optional',
      constraints: hands.constraints(),
      ...workingFolder(hands.workspace),
      ...(options.protocol === undefined ? {} : { protocol: await findProtocol(hands.workspace, options.protocol) }),
    });
    const counted = parts.map((part) => ({ ...part, tokens: estimateTextTokens(part.text) }));
    const total = counted.reduce((sum, { tokens }) => sum + tokens, 0);
    if (options.json) {
      printJson(out, { parts: counted, tokens: total });
      return 0;
    }
    const whole = `${parts.map((part) => part.text).join('\n\n')}\n`;
    out.write(out.isTerminal ? visibleText(whole) : whole);
    err.write(columns([...counted.map(({ name, tokens }) => [name, `~${tokens} tokens`]), ['total', `~${total} tokens`]]), 'dim');
    return 0;
  },
});
