import { projectsCommand } from './on-project.ts';

export const command = projectsCommand({
  details: 'Keeps its files and its records.',
  examples: [['synapse projects remove ~/project', 'tools may not work there any more']],
  edit: (projects, folder) => {
    projects.remove(folder);
    return 'is not tracked any more';
  },
});
