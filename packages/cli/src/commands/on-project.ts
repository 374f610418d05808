import { defaultStateFolder, Projects } from '@synapse/hands';
import { defineCommand, type Command, type CommandHelp } from '../command/command.ts';
import { json } from '../command/shared-options.ts';
import { printJson } from '../print-json.ts';
import { inLine } from '../visible-text.ts';
import { workspaceRoot } from '../workspace-root.ts';

/** The argument of every command about one project. */
export const PROJECT_ARGUMENT = { '[dir]': 'the project (default: the current folder)' } as const;

interface ProjectCommand {
  readonly details?: string;
  readonly examples: CommandHelp['examples'];
  /** Changes the list of projects, and says what came of it as the rest of a sentence about the folder. */
  readonly edit: (projects: Projects, folder: string) => string;
}

/** Defines a command that changes what is kept of one project. */
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
