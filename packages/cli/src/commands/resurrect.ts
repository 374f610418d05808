import { resurrect as resurrectProject, type StepEvent } from '@synapse/brain';
import { defineCommand, type CommandIo } from '../command/command.ts';
import { flag } from '../command/option.ts';
import { json } from '../command/shared-options.ts';
import { howToGoOn } from '../how-to-go-on.ts';
import { openHands } from '../open-hands.ts';
import { visibleJson } from '../visible-text.ts';
import { PROJECT_ARGUMENT } from './on-project.ts';

function tellStep(err: CommandIo['err'], { phase, index, total, title, calls, ms }: StepEvent): void {
  if (phase === 'start') {
    err.show(`Step ${index}/${total}  ${title} …`);
    return;
  }
  err.show('');
  err.write(`Step ${index}/${total}  ${title}  (${calls ?? 0} calls, ${Math.round(ms ?? 0)} ms)\n`, 'dim');
}

export const command = defineCommand({
  details: 'Reads the project with the built-in offline brain. Changes nothing and needs no network.',
  arguments: PROJECT_ARGUMENT,
  options: { json, quiet: flag('no progress, no advice: the report alone', { short: 'q' }) },
  examples: [
    ['synapse resurrect', 'the current project'],
    ['synapse resurrect ~/old-project > STATUS.md', 'keep the report'],
  ],
  async run({ arguments: { dir }, options, out, err, signal }) {
    await using hands = await openHands({ workspace: dir }, err);
    const told = options.quiet ? {} : { onStep: (event: StepEvent) => tellStep(err, event) };
    const resurrection = await resurrectProject(hands, { signal, ...told });
    if (options.json) {
      const text = JSON.stringify(resurrection, null, out.isTerminal ? 2 : 0);
      out.write(`${out.isTerminal ? visibleJson(text) : text}\n`);
      return 0;
    }
    out.write(resurrection.report.endsWith('\n') ? resurrection.report : `${resurrection.report}\n`);
    if (!options.quiet) {
      err.write('\nHow to go on\n', 'bold');
      err.write(howToGoOn(hands.workspace, process.env));
    }
    return 0;
  },
});
