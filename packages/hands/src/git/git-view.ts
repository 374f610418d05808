import { isUtf8 } from 'node:buffer';
import { lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Mount } from '../sandbox/bubblewrap-arguments.ts';
import { isWithin } from '../workspace/open-root.ts';
import type { PinnedDirectory } from '../workspace/confinement.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { ConfigEntry } from './git-config.ts';
import type { GitFolders } from './git-folder.ts';
import { isSelfContained, type ObjectStores } from './outside-objects.ts';
import { isUserSetting, safeConfig } from './safe-config.ts';
import { isPart, type StandInPlaces } from './stand-in-folder.ts';

/** Where things of Synapse itself are put in the sandbox. */
const OWN_PLACE = '/run/synapse-git';
/** The place of the stand-in there. */
export const STAND_IN_PLACE = `${OWN_PLACE}/repository`;

/** A folder of which the sandbox must prove that it is the one that is held here. */
export interface Proof {
  readonly path: string;
  readonly directory: PinnedDirectory;
}

/** What git gets to see of the machine, beside its own program. */
export interface GitView extends Disposable {
  /** The top of the working tree. */
  readonly cwd: string;
  readonly mounts: readonly Mount[];
  readonly proofs: readonly Proof[];
  readonly places: StandInPlaces;
  readonly environment: Readonly<Record<string, string>>;
  /** What git is told beside the settings of the repository. */
  readonly settings: readonly ConfigEntry[];
}

/** The real path of a folder, where an argument can hold it. */
function nameOf(directory: PinnedDirectory): string | undefined {
  const path = realpathSync.native(directory.self, { encoding: 'buffer' });
  return isUtf8(path) ? path.toString() : undefined;
}

/**
 * In a user namespace the files of another user or group have another owner than the index says, and git would read
 * every one of them to see whether it changed. Times and sizes are enough.
 */
function comparedSettings(root: PinnedDirectory): ConfigEntry[] {
  const { uid, gid } = statSync(root.self);
  const same = process.geteuid?.() === 0 || (uid === process.geteuid?.() && gid === process.getegid?.());
  return same ? [] : [{ scope: 'command', key: 'core.checkstat', value: 'minimal' }];
}

/** Whether parts of a repository are links: what they lead to need not be in sight. */
function hasLinkedParts(folder: PinnedDirectory): boolean {
  return readdirSync(folder.self).some((name) => isPart(name) && lstatSync(folder.at(name), { throwIfNoEntry: false })?.isSymbolicLink() === true);
}

/** The files of the person that git reads beside settings: what it ignores, and attributes. */
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

/** A repository that was judged. */
export interface GitViewParts {
  readonly workspace: Workspace;
  /** The top of the working tree. */
  readonly root: PinnedDirectory;
  readonly folders: GitFolders;
  /** Where its objects lie; undefined where that is outside the workspace. */
  readonly stores: ObjectStores | undefined;
  readonly settings: readonly ConfigEntry[];
}

/**
 * What git has to see of a repository: the workspace under its own name, the repository's data under a fixed one, and
 * nothing else of the person's but two lists of patterns. Undefined where that would not be all: data outside that are
 * reached through links, or a name that no argument can hold.
 */
export function gitView({ workspace, root, folders, stores, settings }: GitViewParts): GitView | undefined {
  using resources = new DisposableStack();
  const top = resources.use(workspace.openDirectory('.'));
  const [topPath, cwd, own, common] = [top, root, folders.own, folders.common].map(nameOf);
  if (topPath === undefined || cwd === undefined || own === undefined || common === undefined) return undefined;
  const alternates = stores?.alternates ?? [];
  if (stores === undefined ? hasLinkedParts(folders.common) || !isSelfContained(folders.common) : stores.linked) return undefined;
  if (!folders.inside && hasLinkedParts(folders.own)) return undefined;
  // The list of them is separated by colons, and quotes begin an escaped name.
  if (alternates.some((path) => /[":]/u.test(path))) return undefined;
  // Outside nobody swaps them, and submodules are found by their real names.
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
      ...userFiles(settings)
        .filter((path) => !isWithin(path, topPath))
        .map((path): Mount => ({ kind: 'read-only', path })),
    ],
    proofs: [
      { path: topPath, directory: top },
      { path: '.', directory: root },
      { path: places.own, directory: folders.own },
      ...(folders.common === folders.own ? [] : [{ path: places.common, directory: folders.common }]),
    ],
    places,
    // Relative lines of the list do not lead there from the place where the objects are in the sandbox.
    environment: alternates.length === 0 ? {} : { GIT_ALTERNATE_OBJECT_DIRECTORIES: alternates.join(':') },
    settings: comparedSettings(root),
    [Symbol.dispose]: () => held.dispose(),
  };
}

/** Whether git runs a program of git-lfs for this repository. */
export function usesLfs(settings: readonly ConfigEntry[]): boolean {
  return safeConfig(settings).some(({ key }) => /^filter\.lfs\.(?:clean|process)$/u.test(key));
}
