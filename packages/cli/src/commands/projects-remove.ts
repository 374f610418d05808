import { projectCommand } from './on-project.ts';

export const command = projectCommand({
  details: 'Its files and its records stay as they are.',
  examples: [['synapse projects remove ~/project', 'tools may not work there any more']],
  edit: (projects, folder) => {
    projects.remove(folder);
    return 'is not tracked any more';
  },
});
