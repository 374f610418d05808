import { defaultConfigFolder, readConfiguration } from '../policy/configuration-files.ts';
import { countsHere } from '../projects/trust.ts';
import { KeptCaches } from '../sandbox/project-caches.ts';
import { readBudgets } from './budget-settings.ts';

/**
 * Opens what the commands of a project keep, with the budget of its configuration.
 *
 * @param root the real path of the project
 */
export function openKeptCaches(stateFolder: string, root: string): KeptCaches {
  const files = readConfiguration({ user: defaultConfigFolder(), project: root }, (text) => countsHere(root, stateFolder, text));
  return new KeptCaches(stateFolder, root, readBudgets(files).cacheBytes);
}
