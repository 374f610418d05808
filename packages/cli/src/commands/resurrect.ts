import { resurrect as resurrectProject, type StepEvent } from '@synapse/brain';
import type { CommandAction, CommandContext } from '../command.ts';
import { howToGoOn } from '../how-to-go-on.ts';
import { openHands } from '../open-hands.ts';
import { visibleJson } from '../visible-text.ts';

function tellStep(err: CommandContext['err'], { phase, index, total, title, calls, ms }: StepEvent): void {
  if (phase === 'start') {
    err.show(`Step ${index}/${total}  ${title} …`);
    return;
  }
  err.show('');
  err.write(`Step ${index}/${total}  ${title}  (${calls ?? 0} calls, ${Math.round(ms ?? 0)} ms)\n`, 'dim');
}

/** Reports where a project stands. */
export const resurrect: CommandAction = async ({ arguments: [folder], options, out, err, signal }) => {
  await using hands = await openHands({ ...options, workspace: folder }, err);
  const told = options.quiet ? {} : { onStep: (event: StepEvent) => tellStep(err, event) };
  const resurrection = await resurrectProject(hands, { signal, ...told });
  if (options.json) {
    const json = JSON.stringify(resurrection, null, out.isTerminal ? 2 : 0);
    out.write(`${out.isTerminal ? visibleJson(json) : json}\n`);
    return 0;
  }
  out.write(resurrection.report.endsWith('\n') ? resurrection.report : `${resurrection.report}\n`);
  if (!options.quiet) {
    err.write('\nHow to go on\n', 'bold');
    err.write(howToGoOn(hands.workspace, process.env));
  }
  return 0;
};
