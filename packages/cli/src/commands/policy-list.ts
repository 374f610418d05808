import type { PolicyReport, SavedGrant } from '@synapse/hands';
import { columns } from '../columns.ts';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { openHands } from '../open-hands.ts';
import { printJson } from '../print-json.ts';
import { inLine } from '../visible-text.ts';

const day = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ');

function ruleRow({ verdict, rule, layer, origin, reason }: PolicyReport['rules'][number]): string[] {
  return [verdict, rule, `${layer}: ${origin}${reason === undefined ? '' : `, ${reason}`}`];
}

/** A saved approval in one row, with the number it is revoked by. */
export function grantRow({ rules, scope, expiresAt }: SavedGrant, index: number): string[] {
  return [`${index + 1}`, rules.map(inLine).join(', '), `${scope}${expiresAt === undefined ? '' : `, until ${day(expiresAt)}`}`];
}

export const command = defineCommand({
  details: 'Rules stand in config.jsonc: in /etc/synapse, in ~/.config/synapse, and in .synapse of a project. The strictest that matches decides.',
  options: { workspace, json },
  examples: [
    ['synapse policy', 'the rules in force here, and the saved approvals'],
    ['synapse policy --json', 'for a program'],
  ],
  async run({ options, out, err }) {
    await using hands = await openHands(options, err);
    const report = hands.policy();
    if (options.json) {
      printJson(out, report);
      return 0;
    }
    out.write(`mode ${report.mode} (${report.modeOrigin})\n`);
    // Those of approvals have a list of their own.
    out.write(columns(report.rules.filter(({ layer }) => layer !== 'grant').map(ruleRow)));
    if (report.grants.length > 0) {
      out.write('\nSaved approvals (synapse policy revoke <number>):\n');
      out.write(columns(report.grants.map(grantRow)));
    }
    for (const notice of report.notices) err.write(`${notice}\n`, 'yellow');
    return 0;
  },
});
