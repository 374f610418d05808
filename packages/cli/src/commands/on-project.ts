import { defaultStateFolder, Projects } from '@synapse/hands/internal';
import { defineCommand, type Command, type CommandHelp } from '../command/command.ts';
import { json, PROJECT_ARGUMENT } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { inLine } from '../output/visible-text.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';

interface ProjectCommand {
  readonly details?: string;
  readonly examples: CommandHelp['examples'];
  /** Changes the list of projects, and returns the outcome as the end of a sentence about the folder. */
  readonly edit: (projects: Projects, folder: string) => string;
}

/** Defines a command that changes the records of one project. */
export function projectCommand({ edit, ...help }: ProjectCommand): Command {
  return defineCommand({
    ...help,
    arguments: PROJECT_ARGUMENT,
    options: { json },
    async run({ arguments: { dir = '.' }, options, out, err }) {
      using projects = Projects.open(defaultStateFolder());
      const outcome = edit(projects, dir);
      if (options.json) printJson(out, { project: projects.get(dir) ?? null });
      else err.write(`${inLine(workspaceRoot(dir))} ${outcome}.\n`);
      return 0;
    },
  });
}
