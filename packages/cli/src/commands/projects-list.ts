import { defaultStateFolder, Projects } from '@synapse/hands/internal';
import { existsSync } from 'node:fs';
import { columns } from '../output/columns.ts';
import { defineCommand } from '../command/command.ts';
import { json } from '../command/shared-options.ts';
import { printJson } from '../output/print-json.ts';

export const command = defineCommand({
  details: 'Tools work in tracked projects only. Naming a folder with --workspace tracks it as well.',
  options: { json },
  examples: [
    ['synapse projects', 'all of them'],
    ['synapse projects --json', 'for a program'],
  ],
  async run({ options, out, err }) {
    using projects = Projects.open(defaultStateFolder());
    if (projects.setAside !== undefined) err.write(`The list of projects was damaged; it was moved to ${projects.setAside}.\n`, 'yellow');
    const list = projects.list().map((project) => ({ ...project, exists: existsSync(project.root) }));
    if (options.json) printJson(out, { projects: list });
    else if (list.length === 0) err.write('No project is tracked yet: synapse projects add <dir>\n', 'dim');
    else out.write(columns(list.map(({ root, trusted, exists }) => [exists ? 'ok' : 'gone', trusted ? 'trusted' : '', root])));
    return 0;
  },
});
