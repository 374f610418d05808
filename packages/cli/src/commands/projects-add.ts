import { projectCommand } from './on-project.ts';

export const command = projectCommand({
  examples: [['synapse projects add ~/project', 'from now on, tools may work there']],
  edit: (projects, folder) => (projects.add(folder) ? 'is a tracked project now' : 'is tracked already'),
});
