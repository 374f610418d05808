import type { StepEvent } from '@synapse/brain';
import { defineCommand } from '../command/command.ts';
import { flag } from '../command/option.ts';
import { json, PROJECT_ARGUMENT } from '../command/shared-options.ts';
import { inLine } from '../output/visible-text.ts';
import { repositoryTop } from '../report/repository-top.ts';

/** The workspace, and the folder within it: for a subfolder of a repository, its part of the history is used. */
async function placeOf(dir: string | undefined): Promise<{ workspace: string | undefined; folder: string }> {
  const { top, folder } = repositoryTop(dir ?? '.');
  if (folder === '') return { workspace: dir, folder };
  if (dir !== undefined) return { workspace: top, folder };
  // The current folder was not named: it is opened only if it is tracked.
  const { defaultStateFolder, Projects } = await import('@synapse/hands/internal');
  using projects = Projects.open(defaultStateFolder());
  return projects.get(top) === undefined ? { workspace: undefined, folder: '' } : { workspace: top, folder };
}

export const command = defineCommand({
  details: 'Reads the project with a built-in analysis, without a model. Changes nothing and needs no network.',
  notes: 'For a folder of a repository, the report covers its part of the history. The report is rendered on a terminal, and Markdown elsewhere.',
  arguments: PROJECT_ARGUMENT,
  options: { json, quiet: flag('print only the report, without progress and advice', { short: 'q' }) },
  examples: [
    ['synapse resurrect', 'the current project'],
    ['synapse resurrect ~/old-project > STATUS.md', 'keep the report'],
  ],
  async run(context) {
    const {
      arguments: { dir },
      options,
      out,
      err,
      signal,
    } = context;
    if (!options.quiet) err.write(`Reading ${inLine(dir ?? 'the current folder')}\n`, 'dim');
    // Loaded after the first line, so that a person sees progress at once.
    const [{ resurrect }, { tellReport, tellStep }, { openHands }, { nextSteps }] = await Promise.all([
      import('@synapse/brain'),
      import('../report/tell-report.ts'),
      import('../hands/open-hands.ts'),
      import('../output/next-steps.ts'),
    ]);
    const { workspace, folder } = await placeOf(dir);
    await using hands = await openHands({ workspace }, context);
    const told = options.quiet ? {} : { onStep: (event: StepEvent) => tellStep(err, event) };
    const resurrection = await resurrect(hands, { signal, folder, ...told });
    await tellReport(resurrection, folder === '' ? hands.workspace : `${hands.workspace}/${folder}`, { json: options.json, out });
    if (options.json) return 0;
    if (!options.quiet) {
      err.write('\nNext steps\n', 'bold');
      err.write(nextSteps(hands.workspace, process.env, err.isTerminal ? err.columns : undefined));
    }
    return 0;
  },
});
