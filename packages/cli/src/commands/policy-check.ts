import { LAYERS, type PolicyReport } from '@synapse/hands/policy';
import { ERROR_CODES, isSynapseError } from '@synapse/protocol';
import { defineCommand } from '../command/command.ts';
import { json, workspace } from '../command/shared-options.ts';
import { openHands } from '../hands/open-hands.ts';
import { printJson } from '../output/print-json.ts';

/** The problems of the files, each with its position; undefined for any other error. */
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

export const command = defineCommand({
  details: 'Prints each problem with its file, line and column. The exit code is 1 if there are any.',
  options: { workspace, json },
  examples: [['synapse policy check', 'before others rely on it']],
  async run({ options, out, err }) {
    let report: PolicyReport;
    try {
      // Here, the error of openHands about unreadable rules is the result.
      await using hands = await openHands(options, { err: { ...err, write: () => {} } });
      report = hands.policy();
    } catch (error) {
      const problems = problemsOf(error);
      if (problems === undefined) throw error;
      if (options.json) printJson(out, { ok: false, problems });
      else for (const problem of problems) out.write(`${problem}\n`, 'red');
      return ERROR_CODES.tool_failed.exitCode;
    }
    const { mode, modeOrigin, rules, grants, notices, problems: unread } = report;
    if (unread.length > 0) {
      if (options.json) printJson(out, { ok: false, problems: unread });
      else for (const problem of unread) out.write(`${problem}\n`, 'red');
      return ERROR_CODES.tool_failed.exitCode;
    }
    if (options.json) printJson(out, { ok: true, problems: [], mode, modeOrigin, rules: rules.length, grants: grants.length, notices });
    else {
      out.write('ok', 'green');
      out.write(`  mode ${mode} (${modeOrigin})\n    ${rules.length} rules: ${layersOf(report)}\n    ${grants.length} saved approvals\n`);
      for (const notice of notices) err.write(`${notice}\n`, 'yellow');
    }
    return 0;
  },
});
