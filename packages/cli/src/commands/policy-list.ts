import { modeTable, type PolicyReport, type Grant } from '@synapse/hands/policy';
import { columns } from '../output/columns.ts';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';

const day = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ');

function ruleRow({ verdict, rule, layer, origin, reason }: PolicyReport['rules'][number]): string[] {
  return [verdict, rule, `${layer}: ${origin}${reason === undefined ? '' : `, ${reason}`}`];
}

/** A row for a saved approval, with its number for `revoke`. */
export function grantRow({ rules, scope, expiresAt }: Grant, index: number): string[] {
  return [`${index + 1}`, rules.map(inLine).join(', '), `${scope}${expiresAt === undefined ? '' : `, until ${day(expiresAt)}`}`];
}

export const command = defineCommand({
  details:
    'Shows what needs approval in the mode of this folder, then the rules. Rules are in config.jsonc: in /etc/synapse, in ~/.config/synapse, and in .synapse of a project. The strictest matching rule decides.',
  options: { workspace, json },
  examples: [
    ['synapse policy', 'the rules in force here, and the saved approvals'],
    ['synapse policy --json', 'for a program'],
  ],
  async run(context) {
    const { options, out, err } = context;
    await using hands = await openHands(options, context);
    const report = hands.policy();
    if (options.json) {
      printJson(out, { ...report, answers: modeTable().map(({ calls, answers }) => ({ calls, answer: answers[report.mode] })) });
      return 0;
    }
    out.write(`Mode ${report.mode} (${report.modeOrigin}). Where no rule matches:\n`);
    out.write(columns(modeTable().map(({ calls, answers }) => [`  ${calls}`, answers[report.mode]])));
    out.write('\nRules (the strictest that matches decides):\n');
    // Rules of approvals are listed separately.
    out.write(columns(report.rules.filter(({ layer }) => layer !== 'grant').map(ruleRow)));
    if (report.grants.length > 0) {
      out.write('\nSaved approvals (synapse policy revoke <number>):\n');
      out.write(columns(report.grants.map(grantRow)));
    }
    for (const notice of report.notices) err.write(`${notice}\n`, 'yellow');
    return 0;
  },
});
