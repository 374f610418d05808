import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Mount } from '../sandbox/bubblewrap-arguments.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import { joinNames, type Name } from '../workspace/byte-name.ts';
import { type WorkspacePath, isWithin } from '../workspace/workspace-path.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { ConfigEntry } from './git-config.ts';
import type { GitFolders } from './git-folder.ts';
import { isSelfContained, type ObjectStores } from './alternates.ts';
import { isUserSetting, safeConfig } from './safe-config.ts';
import { isPart, type ShadowPlaces } from './shadow-git-dir.ts';

/** The folder for Synapse's mounts in the sandbox. */
export const OWN_PLACE = '/run/synapse-git';
/** The path of the shadow folder in the sandbox. */
export const SHADOW_PLACE = `${OWN_PLACE}/repository`;

/** A folder that the sandbox must prove to be the one held by a handle. */
export interface Proof {
  readonly path: string;
  readonly directory: PinnedDirectory;
}

/** What git sees of the machine besides programs. */
export interface GitMounts extends Disposable {
  /** The top of the working tree. */
  readonly cwd: string;
  readonly mounts: readonly Mount[];
  readonly proofs: readonly Proof[];
  readonly places: ShadowPlaces;
  readonly environment: Readonly<Record<string, string>>;
  /** Settings in addition to those of the repository. */
  readonly settings: readonly ConfigEntry[];
}

/** Returns the real path of a folder; undefined if it cannot be an argument. */
function nameOf(directory: PinnedDirectory): string | undefined {
  const path = realpathSync.native(directory.self, { encoding: 'buffer' });
  return isUtf8(path) ? path.toString() : undefined;
}

/**
 * In a user namespace, files of another user or group have a different owner than the index says. git would then read
 * all of them to check for changes, so only times and sizes are compared.
 */
function comparedSettings(root: PinnedDirectory): ConfigEntry[] {
  const { uid, gid } = statSync(root.self);
  const same = process.geteuid?.() === 0 || (uid === process.geteuid?.() && gid === process.getegid?.());
  return same ? [] : [{ scope: 'command', key: 'core.checkstat', value: 'minimal' }];
}

/** Whether parts of a repository are links, whose targets the sandbox may not show. */
function hasLinkedParts(folder: PinnedDirectory): boolean {
  return readdirSync(folder.self).some((name) => isPart(name) && lstatSync(folder.at(name), { throwIfNoEntry: false })?.isSymbolicLink() === true);
}

/** Returns the user's files that git reads besides settings: ignore rules and attributes. */
function userFiles(settings: readonly ConfigEntry[]): string[] {
  const home = homedir();
  const given = process.env['XDG_CONFIG_HOME'] ?? '';
  const configuration = given === '' ? join(home, '.config') : given;
  const fileOf = (key: string, usual: string): string => {
    const value = settings.findLast((entry) => entry.key === key && isUserSetting(entry))?.value;
    const path = value === undefined ? join(configuration, 'git', usual) : Buffer.from(value, 'latin1').toString();
    return path.startsWith('~/') ? join(home, path.slice(2)) : path;
  };
  return [fileOf('core.excludesfile', 'ignore'), fileOf('core.attributesfile', 'attributes'), '/etc/gitattributes'].filter(
    (path) => path.startsWith('/') && statSync(path, { throwIfNoEntry: false })?.isFile() === true,
  );
}

/** Pattern files. Those in parent folders also apply to a folder. */
const PATTERN_FILES = ['.gitignore', '.gitattributes'];

/** Returns the pattern files above a workspace that is a folder of a repository. */
export function patternFiles(top: string, below: WorkspacePath): string[] {
  return below.flatMap((_: Name, depth) => {
    const folder = joinNames(top, below.slice(0, depth)).toString();
    return PATTERN_FILES.map((name) => join(folder, name)).filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true);
  });
}

/** A repository that passed the checks. */
export interface GitMountsParts {
  readonly workspace: Workspace;
  /** The top of the working tree. */
  readonly root: PinnedDirectory;
  readonly folders: GitFolders;
  /** The workspace, below the root; empty if the root is in the workspace. */
  readonly below: WorkspacePath;
  /** Its object stores; undefined if they are outside the workspace. */
  readonly stores: ObjectStores | undefined;
  readonly settings: readonly ConfigEntry[];
}

/** Whether data outside is reached through links. */
function leadsOut({ own, common, inside }: GitMountsParts['folders'], stores: GitMountsParts['stores']): boolean {
  if (stores === undefined ? hasLinkedParts(common) || !isSelfContained(common) : stores.linked) return true;
  return !inside && hasLinkedParts(own);
}

/**
 * Returns what git has to see of a repository: the workspace under its real path, the repository's data under a fixed
 * one, and of the user's files only those with ignore rules and attributes. Returns undefined if this is not enough:
 * if data outside is reached through links, or a path cannot be an argument.
 */
export function gitMounts({ workspace, root, folders, below, stores, settings }: GitMountsParts): GitMounts | undefined {
  using resources = new DisposableStack();
  const top = resources.use(workspace.openDirectory('.'));
  const [topPath, cwd, own, common] = [top, root, folders.own, folders.common].map(nameOf);
  if (topPath === undefined || cwd === undefined || own === undefined || common === undefined) return undefined;
  const alternates = stores?.alternates ?? [];
  if (leadsOut(folders, stores)) return undefined;
  // The variable separates paths with colons, and quotes begin an escaped path.
  if (alternates.some((path) => /[":]/u.test(path))) return undefined;
  // Data outside cannot be swapped, and submodules are found by their real paths.
  const placeOf = (inside: boolean, path: string, name: string): string => (inside ? `${OWN_PLACE}/${name}` : path);
  const ownPlace = placeOf(folders.inside, own, 'own');
  const places = { own: ownPlace, common: folders.common === folders.own ? ownPlace : placeOf(folders.commonInside, common, 'common') };
  const data: Mount[] = [
    { kind: 'read-only', path: places.own, source: own },
    ...(folders.common === folders.own ? [] : [{ kind: 'read-only' as const, path: places.common, source: common }]),
  ];
  const held = resources.move();
  return {
    cwd,
    mounts: [
      { kind: 'read-only', path: topPath },
      ...data,
      ...patternFiles(cwd, below).map((path): Mount => ({ kind: 'read-only', path })),
      ...userFiles(settings)
        .filter((path) => !isWithin(path, topPath))
        .map((path): Mount => ({ kind: 'read-only', path })),
    ],
    proofs: [
      { path: topPath, directory: top },
      // Above the workspace, the sandbox has only its parent folders, which cannot be swapped.
      ...(below.length === 0 ? [{ path: '.', directory: root }] : []),
      { path: places.own, directory: folders.own },
      ...(folders.common === folders.own ? [] : [{ path: places.common, directory: folders.common }]),
    ],
    places,
    // Relative lines of the list would not resolve from the mount of the objects in the sandbox.
    environment: alternates.length === 0 ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates.join(':') },
    settings: comparedSettings(root),
    [Symbol.dispose]: () => held.dispose(),
  };
}

/** Whether git runs a git-lfs program for this repository. */
export function usesLfs(settings: readonly ConfigEntry[]): boolean {
  return safeConfig(settings).some(({ key }) => /^filter\.lfs\.(?:clean|process)$/u.test(key));
}
