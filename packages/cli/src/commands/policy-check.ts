import { LAYERS, type PolicyReport } from '@synapse/hands';
import { ERROR_CODES, isSynapseError } from '@synapse/protocol';
import type { CommandAction } from '../command.ts';
import { openHands } from '../open-hands.ts';
import { visibleJson } from '../visible-text.ts';

/** What is wrong with the files, each with its place; undefined where something else went wrong. */
function problemsOf(error: unknown): string[] | undefined {
  if (!isSynapseError(error)) return undefined;
  const problems = error.details?.['problems'];
  return Array.isArray(problems) ? problems.map(String) : undefined;
}

function layersOf({ rules }: PolicyReport): string {
  return LAYERS.flatMap((layer) => {
    const amount = rules.filter((rule) => rule.layer === layer).length;
    return amount === 0 ? [] : [`${layer} ${amount}`];
  }).join(', ');
}

/** Loads every configuration that counts here, with the examples of its rules. Fails where one is wrong. */
export const policyCheck: CommandAction = async ({ options, out, err }) => {
  const json = (value: object): void => out.write(`${visibleJson(JSON.stringify(value, null, out.isTerminal ? 2 : 0))}\n`);
  let report: PolicyReport;
  try {
    await using hands = await openHands(options, err);
    report = hands.policy();
  } catch (error) {
    const problems = problemsOf(error);
    if (problems === undefined) throw error;
    if (options.json) json({ ok: false, problems });
    else for (const problem of problems) out.write(`${problem}\n`, 'red');
    return ERROR_CODES.tool_failed.exitCode;
  }
  const { mode, modeOrigin, rules, grants, notices } = report;
  if (options.json) json({ ok: true, problems: [], mode, modeOrigin, rules: rules.length, grants: grants.length, notices });
  else {
    out.write('ok', 'green');
    out.write(`  mode ${mode} (${modeOrigin})\n    ${rules.length} rules: ${layersOf(report)}\n    ${grants.length} saved approvals\n`);
    for (const notice of notices) err.write(`${notice}\n`, 'yellow');
  }
  return 0;
};
