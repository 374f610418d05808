import { SynapseError } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { printJson } from '../output/print-json.ts';

export const command = defineCommand({
  details: 'Also applies to running Synapse processes, from their next call on.',
  arguments: { '<approval>': 'its number in `synapse policy`, or a rule that it holds' },
  options: { workspace, json },
  examples: [
    ['synapse policy revoke 2', 'the second one'],
    ["synapse policy revoke 'exec(npm test)'", 'every one that holds this rule'],
  ],
  async run(context) {
    const { approval } = context.arguments;
    const { options, out } = context;
    await using hands = await openHands(options, context);
    const revoked = hands.revoke(/^\d{1,6}$/u.test(approval) ? Number(approval) : approval);
    if (revoked.length === 0) {
      const amount = hands.policy().grants.length;
      throw new SynapseError('not_found', `Saved approval not found: ${approval.slice(0, 80)}`, {
        hint: amount === 0 ? 'None is saved for this project.' : 'synapse policy lists them with their numbers.',
      });
    }
    if (options.json) printJson(out, revoked);
    else for (const { rules } of revoked) out.write(`Revoked: ${rules.join(', ')}\n`);
    return 0;
  },
});
