import { defaultStateFolder, Projects } from '@synapse/hands/internal';
import { ERROR_CODES, toSynapseError } from '@synapse/protocol';
import { defineCommand, type Command, type CommandHelp } from '../command/command.ts';
import { json, yes } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';
import { tellError } from '../output/report-error.ts';
import { inLine } from '../output/visible-text.ts';
import { workspaceRoot } from '../hands/workspace-root.ts';

interface ProjectsCommand {
  readonly details?: string;
  readonly examples: CommandHelp['examples'];
  /** Changes the list of projects, and returns the outcome as the end of a sentence about the folder. */
  readonly edit: (projects: Projects, folder: string) => string;
}

/** Defines a command that changes the records of projects. Several are for `synapse projects add ~/code/*`: one that is no folder stops none. */
export function projectsCommand({ edit, ...help }: ProjectsCommand): Command {
  return defineCommand({
    ...help,
    arguments: { '[dirs...]': 'the projects (default: the current folder)' },
    // It asks nothing. Scripts say yes to each command that changes something.
    options: { json, yes: { ...yes, description: 'nothing is asked; for scripts that say yes to all', rare: true } },
    async run({ arguments: { dirs }, options, out, err }) {
      using projects = Projects.open(defaultStateFolder());
      if (dirs.length <= 1) {
        const [dir = '.'] = dirs;
        const outcome = edit(projects, dir);
        if (options.json) printJson(out, { project: projects.get(dir) ?? null });
        else err.write(`${inLine(workspaceRoot(dir))} ${outcome}.\n`);
        return 0;
      }
      const failed: number[] = [];
      for (const dir of dirs) {
        try {
          const outcome = edit(projects, dir);
          if (!options.json) err.write(`${inLine(workspaceRoot(dir))} ${outcome}.\n`);
        } catch (error) {
          const { code, message, hint, retryable } = toSynapseError(error);
          tellError(err, { code, message: `${dir}: ${message}`, retryable, ...(hint === undefined ? {} : { hint }) });
          failed.push(ERROR_CODES[code].exitCode);
        }
      }
      if (options.json) printJson(out, { projects: dirs.map((dir) => projects.get(dir) ?? null) });
      return failed[0] ?? 0;
    },
  });
}
