import { defaultStateFolder, Projects } from '@synapse/hands';
import { existsSync } from 'node:fs';
import { columns } from '../columns.ts';
import type { CommandAction } from '../command.ts';
import { visibleJson } from '../visible-text.ts';

/** Lists the tracked projects. */
export const projectsList: CommandAction = async ({ options, out, err }) => {
  using projects = Projects.open(defaultStateFolder());
  if (projects.setAside !== undefined) err.write(`The list of projects was damaged; it was moved to ${projects.setAside}.\n`, 'yellow');
  const list = projects.list().map((project) => ({ ...project, exists: existsSync(project.root) }));
  if (options.json) out.write(`${visibleJson(JSON.stringify({ projects: list }, null, out.isTerminal ? 2 : 0))}\n`);
  else if (list.length === 0) err.write('No project is tracked yet: synapse projects add <dir>\n', 'dim');
  else out.write(columns(list.map(({ root, trusted, exists }) => [exists ? 'ok' : 'gone', trusted ? 'trusted' : '', root])));
  return 0;
};
