import { existsSync } from 'node:fs';
import { Projects } from '@synapse/hands/internal';
import type { Handlers } from './method.ts';

export const projects: Handlers<'projects'> & Handlers<'access'> = {
  'projects.list': (_, { project }) => {
    using list = Projects.open(project.stateFolder);
    return list.list().map(({ root, added, trusted }) => ({ root, added, trusted, exists: existsSync(root), current: root === project.root }));
  },
  'access.link': (_, { createUrl }) => ({ url: createUrl() }),
};
