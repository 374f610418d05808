import { defaultStateFolder, Projects } from '@synapse/hands/internal';
import { SynapseError } from '@synapse/protocol';
import { flag, list, type OptionValues } from '../command/option.ts';
import { trackedRoot } from '../hands/workspace-root.ts';
import type { Output } from '../output/output.ts';

/** Options of every command that serves several projects. */
export const projectOptions = {
  project: list('<list>', 'serve these projects, by their folders, instead of the current one', { rare: true }),
  all: flag('serve all tracked projects', { rare: true }),
} as const;

/** The projects that a person chose to serve. */
export interface ChosenProjects {
  /** Their real paths. With `--all`, also of those that are tracked later. */
  readonly roots: () => readonly string[];
}

/**
 * The projects that options name; undefined for the current one alone.
 *
 * @throws SynapseError `invalid_arguments` for options that contradict each other; `not_found` for a folder that is not there
 */
export function chosenProjects(
  {
    project,
    all,
    workspace,
    name,
  }: OptionValues<typeof projectOptions> & { readonly workspace: string | undefined; readonly name: string | undefined },
  err: Output,
): ChosenProjects | undefined {
  if (project.length === 0 && !all) return undefined;
  const wrong = (message: string, hint: string): SynapseError => new SynapseError('invalid_arguments', message, { hint });
  if (workspace !== undefined || (all && project.length > 0)) throw wrong('Too many folders.', 'Give one of --workspace, --project and --all.');
  if (name === undefined) throw wrong('An agent that sends plain calls uses one folder.', 'Give --name with --project or --all, for a relay.');
  if (project.length > 0) {
    const roots = project.map((folder) => trackedRoot(folder, err));
    return { roots: () => roots };
  }
  return {
    roots: () => {
      using projects = Projects.open(defaultStateFolder());
      return projects.list().map(({ root }) => root);
    },
  };
}
