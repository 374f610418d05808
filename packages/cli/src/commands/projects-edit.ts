import { defaultStateFolder, Projects } from '@synapse/hands';
import type { CommandAction } from '../command.ts';
import { inLine, visibleJson } from '../visible-text.ts';
import { workspaceRoot } from '../workspace-root.ts';

/** Makes a command that does something to one project and tells what came of it. */
function onProject(work: (projects: Projects, folder: string) => string): CommandAction {
  return async ({ arguments: [folder = '.'], options, out, err }) => {
    using projects = Projects.open(defaultStateFolder());
    const told = work(projects, folder);
    const root = workspaceRoot(folder);
    if (options.json) out.write(`${visibleJson(JSON.stringify({ project: projects.get(folder) ?? null }))}\n`);
    else err.write(`${inLine(root)} ${told}.\n`);
    return 0;
  };
}

/** Tracks a folder. */
export const projectsAdd = onProject((projects, folder) => (projects.add(folder) ? 'is a tracked project now' : 'is tracked already'));

/** Tracks a folder no longer. */
export const projectsRemove = onProject((projects, folder) => {
  projects.remove(folder);
  return 'is not tracked any more';
});

/** Lets a project's own configuration permit something, and name MCP servers. */
export const projectsTrust = onProject((projects, folder) => {
  projects.trust(folder);
  return 'is trusted: its own configuration, as it is now, may permit something, and the MCP servers that it names now may be started (synapse mcp list)';
});
