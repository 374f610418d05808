import { plainValue, readSettings, type GitSetting } from './git-settings.ts';
import { followed, type NamedPlace } from './link-route.ts';
import { parentOf, resolveIn, type TreeView } from './tree-view.ts';

const MAX_CONFIG_BYTES = 1024 * 1024;
/** Maximum depth of included files; git stops at ten. */
const MAX_INCLUDES = 10;

/** Settings whose value is one path; a folder covers everything in it. */
const PATH_SETTINGS = new Set(['core.hookspath', 'init.templatedir']);
const INCLUDES = new Set(['include.path', 'includeif.path']);
/** Settings whose value is a command line, which may contain the path of a script. */
const COMMAND_SETTING =
  /^(?:core\.(?:fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)|filter\.(?:clean|smudge|process)|diff\.(?:command|textconv|external)|merge\.driver|(?:difftool|mergetool)\.(?:cmd|path)|credential\.helper|gpg\.(?:program|defaultkeycommand)|sequence\.editor|pager\.[-\da-z]+|alias\.[-\da-z]+|remote\.(?:uploadpack|receivepack|vcs)|uploadpack\.packobjectshook|trailer\.(?:command|cmd)|interactive\.difffilter|hook\.command|man\.cmd|browser\.cmd|web\.browser|sendemail\.[-\da-z]+cmd)$/u;

/** Returns the words of a command that could be paths: scripts have a slash in their name or exist in the workspace. */
function pathsIn(command: string): string[] {
  return command
    .replace(/^!/u, '')
    .split(/[\s'"`;|&<>()$]+/u)
    .filter((word) => word !== '' && !word.startsWith('-') && !word.includes('%'));
}

/**
 * Returns the places in the workspace that a git configuration and its included files name.
 *
 * @param config the path of the configuration
 * @param workTree the folder in which git runs the named programs
 */
export function namedPlaces(view: TreeView, rootPath: string, config: string, workTree: string): NamedPlace[] {
  const places: NamedPlace[] = [];
  const add = (setting: string, path: string | undefined): void => {
    if (path !== undefined && path !== '') places.push({ path, setting });
  };
  const look = ({ name, value }: GitSetting, file: string, depth: number): void => {
    const plain = plainValue(value);
    if (INCLUDES.has(name)) {
      const included = resolveIn(rootPath, parentOf(file), plain);
      add(name, included);
      if (included !== undefined && depth < MAX_INCLUDES) read(followed(view, rootPath, included), depth + 1);
    } else if (PATH_SETTINGS.has(name)) add(name, resolveIn(rootPath, workTree, plain));
    else if (COMMAND_SETTING.test(name)) {
      for (const word of pathsIn(plain)) {
        const path = resolveIn(rootPath, workTree, word);
        // A word that names a folder is an argument, such as the `src` of a linter.
        if (path !== undefined && path !== '' && (view.type(path) === undefined ? word.includes('/') : view.type(path) !== 'folder')) add(name, path);
      }
    }
  };
  const read = (file: string, depth: number): void => {
    for (const setting of readSettings(view.readText(file, MAX_CONFIG_BYTES) ?? '').settings) look(setting, file, depth);
  };
  read(config, 0);
  return places;
}
