import { lstatSync, readlinkSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { defaultStateFolder, Projects } from '@synapse/hands/internal';
import { workspaceRoot } from '../hands/workspace-root.ts';

/** Maximum number of links on the way to a folder; the kernel's limit. */
const MAX_LINKS = 40;

/** The folders that contain the links on the way to a path. */
function foldersOfLinks(path: string): string[] {
  const found: string[] = [];
  let rest = path.split('/').slice(1);
  let at = '/';
  while (rest.length > 0 && found.length <= MAX_LINKS) {
    const [name = '', ...more] = rest;
    const here = join(at, name);
    if (lstatSync(here).isSymbolicLink()) {
      found.push(at);
      rest = [...resolve(at, readlinkSync(here)).split('/').slice(1), ...more];
      at = '/';
    } else {
      rest = more;
      at = here;
    }
  }
  return found;
}

/**
 * The workspace as an editor names it, by which it knows its files: the way may lead through links. The real path if a command could
 * change one of these, and lead the editor elsewhere.
 *
 * @param cwd the folder that the editor has open
 * @param root its real path
 */
export function editorFolder(cwd: string, root: string): string {
  const given = resolve(cwd);
  if (given === root || workspaceRoot(given) !== root) return root;
  using projects = Projects.open(defaultStateFolder());
  const isOfProject = (folder: string): boolean => (projects.get(folder) ?? projects.above(folder)) !== undefined;
  return foldersOfLinks(given).some(isOfProject) ? root : given;
}

/** The path of a file as an editor names it. */
export const inEditor = (path: string, root: string, folder: string): string => join(folder, relative(root, path));
