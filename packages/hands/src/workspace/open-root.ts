import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { SynapseError } from '@synapse/protocol';
import { branchPlace, placeInBranch } from '../state/branch-place.ts';
import { CheckedConfinement } from './checked-confinement.ts';
import type { Confinement } from './confinement.ts';
import { HandleConfinement } from './handle-confinement.ts';
import { isWithin } from './workspace-path.ts';

/** Folders without projects, where tools would damage the machine. */
const SYSTEM_FOLDERS = ['/bin', '/boot', '/dev', '/etc', '/lib', '/lib64', '/proc', '/run', '/sbin', '/sys', '/usr', '/System', '/Library'];

/** Returns the real path of an existing or future entry. Through a link, a folder inside would appear to be outside. */
export function realPath(path: string): string {
  if (existsSync(path) || dirname(path) === path) return realpathSync(path);
  return join(realPath(dirname(path)), basename(path));
}

/** Opens the folder that hands may access: of a branch, if this process works in one. Throws for a folder that must never be a workspace. */
export function openRoot(folder: string, stateFolder: string): { confinement: Confinement; rootNames: string[] } {
  const given = resolve(folder);
  const stat = statSync(given, { throwIfNoEntry: false });
  if (stat === undefined) throw new SynapseError('not_found', `The workspace ${given} does not exist.`, { hint: 'Name a folder that does.' });
  if (!stat.isDirectory())
    throw new SynapseError('wrong_type', `The workspace ${given} is not a folder.`, { hint: `Name the folder it is in: ${dirname(given)}` });
  const real = placeInBranch(realpathSync(given));
  if (real === sep || real === realpathSync(homedir()) || SYSTEM_FOLDERS.some((system) => isWithin(real, system))) {
    throw new SynapseError('denied', `${real} is a system or home folder, so it cannot be a workspace.`, { hint: 'Name one project folder.' });
  }
  const state = realPath(resolve(stateFolder));
  if (isWithin(state, real)) {
    throw new SynapseError('denied', 'The state folder of Synapse is inside the workspace, where tools could change it.', {
      hint: 'Set XDG_STATE_HOME (library: stateFolder) to a folder outside the workspace.',
    });
  }
  if (isWithin(real, state)) {
    throw new SynapseError('denied', 'The workspace is inside the state folder of Synapse, which no tool may change.', {
      hint: 'Name a project folder.',
    });
  }
  const confinement = HandleConfinement.works() ? new HandleConfinement(real) : new CheckedConfinement(real);
  // In a branch that is not mounted, paths of the workspace mean those of the branch.
  const place = branchPlace();
  const names = real === place?.clone ? [given, confinement.root, place.root] : [given, confinement.root];
  return { confinement, rootNames: [...new Set(names)] };
}
