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
  /^(?:core\.(?:fsmonitor|sshcommand|editor|pager|askpass|gitproxy|alternaterefscommand)|filter\.(?:clean|smudge|process)|diff\.(?:command|textconv|external)|merge\.driver|(?:difftool|mergetool|guitool|man|browser)\.(?:cmd|path)|credential\.helper|gpg\.(?:program|defaultkeycommand)|sequence\.editor|pager\.[-\da-z]+|alias\.[-\da-z]+|remote\.(?:uploadpack|receivepack|vcs)|uploadpack\.packobjectshook|trailer\.(?:command|cmd)|interactive\.difffilter|hook\.command|web\.browser|sendemail\.(?:[-\da-z]+cmd|smtpserver)|submodule\.update|gc\.recentobjectshook|tar\.command|instaweb\.(?:httpd|browser)|lfs\.(?:path|clean|smudge))$/u;

/** Maximum number of words that are looked up in each folder that a command names. */
const MAX_WORDS = 100;
/** What `git lfs install` writes; its arguments are no files. */
const LARGE_FILES = /^git-lfs (?:clean|smudge|filter-process)\b/u;
/** The working directory, as commands write it before a path. */
const OWN_FOLDER = /\$(?:PWD|\{PWD\}|\(pwd\)|GIT_WORK_TREE|\{GIT_WORK_TREE\})"?\/|`pwd`"?\//gu;

/** Returns the words of a command that could be paths. */
function wordsIn(command: string): string[] {
  return command
    .replace(/^!/u, '')
    .replaceAll(OWN_FOLDER, './')
    .split(/[\s'"`;|&<>()${}]+/u)
    .filter((word) => word !== '' && !word.startsWith('-') && !word.includes('%'));
}

/**
 * Returns the paths that a command names: scripts have a slash in their name or exist. A word that names a folder is an argument,
 * such as the `src` of a linter, but the command may change to it first.
 */
function pathsIn(view: TreeView, rootPath: string, command: string, folder: string): string[] {
  if (LARGE_FILES.test(command)) return [];
  const words = wordsIn(command);
  const exists = (path: string): boolean => view.type(path) !== undefined;
  const isFolder = (path: string): boolean => path !== '' && view.type(followed(view, rootPath, path)) === 'folder';
  const found = words.flatMap((word) => {
    const path = resolveIn(rootPath, folder, word);
    return path === undefined ? [] : [{ word, path }];
  });
  const named = found.flatMap(({ word, path }) => (!isFolder(path) && (word.includes('/') || exists(path)) ? [path] : []));
  if (words.length > MAX_WORDS) return named;
  const folders = found.flatMap(({ path }) => (isFolder(path) ? [path] : []));
  const inside = folders.flatMap((at) => words.flatMap((word) => resolveIn(rootPath, at, word) ?? []));
  return [...named, ...inside.filter((path) => exists(path) && !isFolder(path))];
}

/** Returns the settings of a text. A line that ends in a backslash may continue, or be a comment: both count. */
function settingsOf(text: string): GitSetting[] {
  const joined = text.replaceAll(/\\\r?\n/gu, '');
  return [text, ...(joined === text ? [] : [joined])].flatMap((one) => readSettings(one).settings);
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
  const known = new Set<string>();
  const read = (file: string, depth: number): void => {
    // A file may include itself many times.
    if (known.has(file) || view.isSpent?.() === true) return;
    known.add(file);
    // What is behind a link is obeyed like the configuration itself.
    places.push(...placesBehind(view, rootPath, file));
    for (const setting of settingsOf(view.readText(followed(view, rootPath, file), MAX_CONFIG_BYTES) ?? '')) {
      settings.push(setting);
      if (!INCLUDES.has(setting.name)) continue;
      const included = resolveIn(rootPath, parentOf(file), plainValue(setting.value));
      add(setting.name, included);
      if (included !== undefined && depth < MAX_INCLUDES) read(included, depth + 1);
    }
  };
  const look = ({ name, value }: GitSetting, folder: string): void => {
    // A step for each setting and folder: a configuration can name thousands of folders.
    view.type(folder);
    if (view.isSpent?.() === true) return;
    const plain = plainValue(value);
    if (PATH_SETTINGS.has(name)) add(name, resolveIn(rootPath, folder, plain));
    else if (COMMAND_SETTING.test(name)) for (const path of pathsIn(view, rootPath, plain, folder)) add(name, path);
  };
  read(config, 0);
  const others = settings.flatMap(({ name, value }) =>
    name === 'core.worktree' ? (resolveIn(rootPath, parentOf(config), plainValue(value)) ?? []) : [],
  );
  for (const folder of new Set([workTree, ...others])) {
    if (view.isSpent?.() === true) break;
    for (const setting of settings) look(setting, folder);
  }
  return places;
}
