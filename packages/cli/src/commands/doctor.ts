import { defineCommand } from '../command/command.ts';
import { json } from '../command/shared-options.ts';
import { runChecks, type Report } from '../doctor/check.ts';
import { CHECKS } from '../doctor/checks.ts';
import type { Output, Style } from '../output/output.ts';
import { printJson } from '../output/print-json.ts';

/** Width of the name column. */
const NAME_WIDTH = Math.max(...CHECKS.map(({ name }) => name.length));

function verdict({ ok, essential }: Report): [text: string, style: Style] {
  if (ok) return ['ok  ', 'green'];
  return essential ? ['FAIL', 'red'] : ['no  ', 'yellow'];
}

function tell(out: Output, report: Report): void {
  const [text, style] = verdict(report);
  out.write(text, style);
  out.write(`  ${report.name.padEnd(NAME_WIDTH)}  ${report.detail}\n`);
  if (report.fix !== undefined) out.write(`${' '.repeat(NAME_WIDTH + 8)}${report.fix}\n`, 'dim');
}

export const command = defineCommand({
  details: 'The exit code is 1 if something essential does not work.',
  options: { json },
  examples: [['synapse doctor', 'and what to do about what does not work']],
  async run({ options, out }) {
    const checks = await runChecks(CHECKS);
    const ok = checks.every((check) => check.ok || !check.essential);
    if (options.json) printJson(out, { ok, checks });
    else for (const check of checks) tell(out, check);
    return ok ? 0 : 1;
  },
});
