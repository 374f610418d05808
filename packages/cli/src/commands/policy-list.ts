import type { PolicyReport, SavedGrant } from '@synapse/hands';
import { columns } from '../columns.ts';
import type { CommandAction } from '../command.ts';
import { openHands } from '../open-hands.ts';
import { inLine, visibleJson } from '../visible-text.ts';

const day = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ');

function ruleRow({ verdict, rule, layer, origin, reason }: PolicyReport['rules'][number]): string[] {
  return [verdict, rule, `${layer}: ${origin}${reason === undefined ? '' : `, ${reason}`}`];
}

/** A saved approval in one row, with the number it is revoked by. */
export function grantRow({ rules, scope, expiresAt }: SavedGrant, index: number): string[] {
  return [`${index + 1}`, rules.map(inLine).join(', '), `${scope}${expiresAt === undefined ? '' : `, until ${day(expiresAt)}`}`];
}

/** Lists the rules in force and the approvals that are saved. */
export const policyList: CommandAction = async ({ options, out, err }) => {
  await using hands = await openHands(options, err);
  const report = hands.policy();
  if (options.json) {
    out.write(`${visibleJson(JSON.stringify(report, null, out.isTerminal ? 2 : 0))}\n`);
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
};
