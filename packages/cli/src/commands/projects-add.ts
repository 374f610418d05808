import { projectsCommand } from './on-project.ts';

export const command = projectsCommand({
  examples: [
    ['synapse projects add ~/project', 'from now on, tools may work there'],
    ['synapse projects add ~/code/*/', 'each folder in ~/code'],
  ],
  edit: (projects, folder) => (projects.add(folder) ? 'is a tracked project now' : 'is tracked already'),
});
