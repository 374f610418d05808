import type { OfflineReport, StepEvent } from '@synapse/brain';
import { parseReport } from '@synapse/brain';
import type { CommandIo } from '../command/command.ts';
import { visibleJson } from '../output/visible-text.ts';
import { ReportScreen } from './show-report.ts';

/** Shows the steps of an offline protocol: the running one in a temporary line, finished ones with their times. */
export function tellStep(err: CommandIo['err'], { phase, index, total, title, calls, ms }: StepEvent): void {
  if (phase === 'start') {
    err.show(`Step ${index}/${total}  ${title} …`);
    return;
  }
  err.show('');
  err.write(`Step ${index}/${total}  ${title}  (${calls ?? 0} calls, ${Math.round(ms ?? 0)} ms)\n`, 'dim');
}

/**
 * Prints a report: rendered on a terminal, else as Markdown with front matter, or as JSON.
 *
 * @param folder the base of the paths in the report
 */
export async function tellReport(made: OfflineReport, folder: string, { json, out }: { json: boolean; out: CommandIo['out'] }): Promise<void> {
  const { report } = made;
  if (json) {
    const text = JSON.stringify(made, null, out.isTerminal ? 2 : 0);
    out.write(`${out.isTerminal ? visibleJson(text) : text}\n`);
  } else if (out.isTerminal) {
    out.write('\n');
    new ReportScreen(out, folder).show((await parseReport(report)).body);
  } else out.write(report.endsWith('\n') ? report : `${report}\n`);
}
