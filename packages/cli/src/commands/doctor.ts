import type { CommandAction } from '../command.ts';
import { runChecks, type Report } from '../doctor/check.ts';
import { CHECKS } from '../doctor/checks.ts';
import type { Output, Style } from '../output.ts';

/** Columns of the names, so that what was found stands in one line. */
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

/** Tells what works here. Fails only where what everything needs does not. */
export const doctor: CommandAction = async ({ options, out }) => {
  const checks = await runChecks(CHECKS);
  const ok = checks.every((check) => check.ok || !check.essential);
  if (options.json) out.write(`${JSON.stringify({ ok, checks }, null, out.isTerminal ? 2 : 0)}\n`);
  else for (const check of checks) tell(out, check);
  return ok ? 0 : 1;
};
