import { defineCommand } from '../command/command.ts';
import { flag } from '../command/option.ts';
import { json, yes } from '../command/shared-options.ts';
import { runChecks, type Report } from '../doctor/check.ts';
import { CHECKS } from '../doctor/checks.ts';
import { confirmOrFail } from '../input/confirm-or-fail.ts';
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

/** Asks about each repair, and does those with a yes. Returns the exit code. */
async function repairAll(reports: readonly Report[], io: Parameters<typeof confirmOrFail>[2]): Promise<number> {
  const { repairIt, repairText } = await import('../doctor/repair.ts');
  const { err } = io;
  const repairs = reports.flatMap(({ name, ok, repair }) => (ok || repair === undefined ? [] : [{ name, repair }]));
  if (repairs.length === 0) err.write('There is nothing to fix that would not open more. The lines above say what a person can do.\n');
  let code = 0;
  for (const { name, repair } of repairs) {
    err.write(`${name}: ${repairText(repair)}\n`);
    const refused = await confirmOrFail('Do it?', 'nothing was changed', io);
    const problem = refused === undefined ? await repairIt(repair) : undefined;
    if (problem !== undefined) err.write(`${name}: not fixed: ${problem}.\n`, 'red');
    else if (refused === undefined) err.write(`${name}: done.\n`, 'green');
    code = refused ?? (problem === undefined ? code : 1);
  }
  return code;
}

export const command = defineCommand({
  details: 'The exit code is 1 if something essential does not work. --fix shows what it would write, and does so after a yes.',
  options: { json, yes, fix: flag('do what can be done without opening anything else') },
  examples: [
    ['synapse doctor', 'and what to do about what does not work'],
    ['sudo synapse doctor --fix', 'for example, write a profile of AppArmor for bubblewrap'],
  ],
  async run(io) {
    const { options, out } = io;
    const checks = await runChecks(CHECKS);
    const ok = checks.every((check) => check.ok || !check.essential);
    if (options.json) printJson(out, { ok, checks });
    else for (const check of checks) tell(out, check);
    if (!options.fix) return ok ? 0 : 1;
    return await repairAll(checks, io);
  },
});
