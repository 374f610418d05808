import { plainValue, readSettings, type GitSetting } from './git-settings.ts';
import { followed, placesBehind, type NamedPlace } from './link-route.ts';
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
 * @param workTree the folder in which git runs the named programs, unless the configuration names another
 */
export function namedPlaces(view: TreeView, rootPath: string, config: string, workTree: string): NamedPlace[] {
  const places: NamedPlace[] = [];
  const settings: GitSetting[] = [];
  const add = (setting: string, path: string | undefined): void => {
    if (path !== undefined && path !== '') places.push({ path, setting });
  };
  const read = (file: string, depth: number): void => {
    // What is behind a link is obeyed like the configuration itself.
    places.push(...placesBehind(view, rootPath, file));
    for (const setting of readSettings(view.readText(followed(view, rootPath, file), MAX_CONFIG_BYTES) ?? '').settings) {
      settings.push(setting);
      if (!INCLUDES.has(setting.name)) continue;
      const included = resolveIn(rootPath, parentOf(file), plainValue(setting.value));
      add(setting.name, included);
      if (included !== undefined && depth < MAX_INCLUDES) read(included, depth + 1);
    }
  };
  const look = ({ name, value }: GitSetting, folder: string): void => {
    const plain = plainValue(value);
    if (PATH_SETTINGS.has(name)) add(name, resolveIn(rootPath, folder, plain));
    else if (COMMAND_SETTING.test(name)) {
      for (const word of pathsIn(plain)) {
        const path = resolveIn(rootPath, folder, word);
        // A word that names a folder is an argument, such as the `src` of a linter.
        if (path !== undefined && path !== '' && (view.type(path) === undefined ? word.includes('/') : view.type(path) !== 'folder')) add(name, path);
      }
    }
  };
  read(config, 0);
  const others = settings.flatMap(({ name, value }) =>
    name === 'core.worktree' ? (resolveIn(rootPath, parentOf(config), plainValue(value)) ?? []) : [],
  );
  for (const folder of new Set([workTree, ...others])) for (const setting of settings) look(setting, folder);
  return places;
}
