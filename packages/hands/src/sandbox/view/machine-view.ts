import { homedir } from 'node:os';
import type { Mount } from '../bubblewrap-arguments.ts';
import { diskTree } from './tree.ts';
import { viewMounts, type ViewFacts } from './view-mounts.ts';

/** Overrides of the facts from which the view is derived. */
export type ViewRequest = Partial<Omit<ViewFacts, 'tree'>>;

/** The home folder of commands. */
export function homeFolder({ home, variables = process.env }: ViewRequest): string {
  return home ?? (variables['HOME']?.startsWith('/') === true ? variables['HOME'] : homedir());
}

/** What commands currently see of this machine, except for sockets. */
export function machineMounts(request: ViewRequest = {}): Mount[] {
  const variables = request.variables ?? process.env;
  const usual = { root: '/nonexistent', rootNames: [], tools: [], readable: [], hidden: [], network: 'own' as const };
  return viewMounts({ ...usual, ...request, tree: diskTree(), home: homeFolder(request), variables });
}
