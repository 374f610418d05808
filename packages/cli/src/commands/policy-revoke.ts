import { SynapseError } from '@synapse/protocol';
import type { CommandAction } from '../command.ts';
import { openHands } from '../open-hands.ts';
import { visibleJson } from '../visible-text.ts';

/** Takes back a saved approval; hands that are open elsewhere keep to that from their next call on. */
export const policyRevoke: CommandAction = async (context) => {
  const { options, out, err } = context;
  const [which = ''] = context.arguments;
  await using hands = await openHands(options, err);
  const revoked = hands.revoke(/^\d{1,6}$/u.test(which) ? Number(which) : which);
  if (revoked.length === 0) {
    const amount = hands.policy().grants.length;
    throw new SynapseError('not_found', `There is no saved approval ${JSON.stringify(which.slice(0, 80))}.`, {
      hint: amount === 0 ? 'None is saved for this project.' : 'synapse policy list shows them with their numbers.',
    });
  }
  if (options.json) out.write(`${visibleJson(JSON.stringify(revoked, null, out.isTerminal ? 2 : 0))}\n`);
  else for (const { rules } of revoked) out.write(`Revoked: ${rules.join(', ')}\n`);
  return 0;
};
