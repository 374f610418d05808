import { basename, dirname } from 'node:path';
import { isWithin } from '../../workspace/workspace-path.ts';
import type { Mount } from '../bubblewrap-arguments.ts';
import { cacheFolders } from './package-caches.ts';
import { ETC_PLACES, NETWORK_PLACES, PLACE_VARIABLES, SYSTEM_PLACES, SYSTEM_SECRETS } from '../shown-places.ts';
import { follow, type Tree } from './tree.ts';

/** The facts from which the view of a command is derived. */
export interface ViewFacts {
  readonly tree: Tree;
  /** The home folder. */
  readonly home: string;
  /** The variables of commands: PATH, and those that contain paths. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** The real path of the workspace, and other names that lead to it. */
  readonly root: string;
  readonly rootNames: readonly string[];
  /** Tool chains, as paths relative to the home folder. */
  readonly tools: readonly string[];
  /** Additional paths to show. */
  readonly readable: readonly string[];
  /** Absolute paths that are always hidden. */
  readonly hidden: readonly string[];
  readonly network: 'own' | 'host';
}

/** Enough bytes for mount points. Nothing else should be stored there. */
const SMALL_BYTES = 2 ** 20;

/** Folders in a home folder that contain programs among many other files. */
const NO_INSTALLATIONS = ['.local', '.config', '.cache', '.cargo'];
/** Files of a virtual environment, which container images put at the top level. */
const ENVIRONMENT_MARKS = ['pyvenv.cfg', 'conda-meta'];
/** Links in these folders need no check: they lead to /usr, /etc/alternatives and similar folders. */
const PLAIN_PROGRAMS = new Set(['/usr/bin', '/bin', '/usr/sbin', '/sbin']);
/** Windows programs, which do not run without the sockets of WSL. */
const WINDOWS = /^\/mnt\/[a-z](?:\/|$)/u;
/** Maximum number of names in a folder of programs to check for links. */
const MAX_NAMES = 2_000;
/** Maximum number of linked programs per folder. Each is a mount, which takes time. */
const MAX_LINKED_PROGRAMS = 64;

/** A folder of programs belongs to an installation if one of these is beside it. */
const PARTS = ['lib', 'lib64', 'libexec', 'share', 'include', 'jmods', 'conda-meta', 'gems', 'pkg'];
const PROGRAM_FOLDERS = new Set(['bin', 'sbin', 'condabin', 'shims']);

/**
 * The folder that must be visible to run the programs of a folder: their installation, or the folder itself.
 * A repository is not an installation, because it may contain private work.
 *
 * @param isTooWide whether a folder contains more than an installation
 */
function installationOf(tree: Tree, folder: string, isTooWide: (path: string) => boolean): string | undefined {
  const parent = dirname(folder);
  const isLinked = basename(folder) === '.bin' && basename(parent) === 'node_modules';
  const isInstalled =
    PROGRAM_FOLDERS.has(basename(folder)) &&
    PARTS.some((part) => tree.look(`${parent}/${part}`) !== undefined) &&
    tree.look(`${parent}/.git`) === undefined;
  if ((isLinked || isInstalled) && !isTooWide(parent)) return parent;
  return isTooWide(folder) ? undefined : folder;
}

type Kind = 'private' | 'read-only' | 'cache' | 'masked-folder' | 'masked-file';

/** Collects paths to show by their real paths, and the links that lead to them. */
class View {
  readonly places = new Map<string, Kind>();
  readonly links = new Map<string, string>();
  readonly #facts: ViewFacts;

  constructor(facts: ViewFacts) {
    this.#facts = facts;
  }

  /** @returns the real path; undefined if it is not added */
  add(path: string, kind: Kind = 'read-only', mayShow: (real: string) => boolean = () => true): string | undefined {
    const { tree, root } = this.#facts;
    const found = follow(tree, path);
    // The workspace is mounted separately.
    if (found === undefined || isWithin(found.real, root) || !mayShow(found.real) || !tree.canRead(found.real)) return undefined;
    for (const [link, target] of found.links) this.links.set(link, target);
    const known = this.places.get(found.real);
    if (known === undefined || known === 'read-only') this.places.set(found.real, kind);
    return found.real;
  }

  /** Whether a path is shown as on the machine. */
  shows(path: string): boolean {
    const kind = this.#kindAt(path);
    return kind === 'read-only' || kind === 'cache';
  }

  mounts(): Mount[] {
    const entries: Array<[string, Mount]> = [];
    for (const [path, kind] of this.places) {
      const above = this.#kindAt(dirname(path));
      // A mount of its own would change nothing.
      if (kind === 'read-only' && (above === 'read-only' || above === 'cache') && path !== '/') continue;
      entries.push([path, this.#mount(path, kind)]);
    }
    for (const [path, target] of this.links) if (!this.shows(path)) entries.push([path, { kind: 'link', path, target }]);
    // A mount hides earlier mounts below it.
    return entries.toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, mount]) => mount);
  }

  #mount(path: string, kind: Kind): Mount {
    if (kind === 'cache') return { kind: 'cache', path };
    if (kind === 'read-only') return { kind, path, optional: true };
    if (kind !== 'private') return { kind, path };
    return path === '/run' ? { kind, path, bytes: SMALL_BYTES } : { kind, path };
  }

  /** The kind of the nearest entry at or above a path. */
  #kindAt(path: string): Kind | undefined {
    for (let at = path; ; at = dirname(at)) {
      const kind = this.places.get(at);
      if (kind !== undefined || at === '/') return kind;
    }
  }
}

/** Adds what programs need of the system, and the tool chains of the user. */
function addTools(view: View, { tree, home, tools, network }: ViewFacts): void {
  for (const { path } of SYSTEM_PLACES) view.add(path);
  for (const path of etcPlaces(tree)) view.add(path);
  if (network === 'host') for (const { path } of NETWORK_PLACES) view.add(path);
  for (const path of tools) view.add(`${home}/${path}`);
}

/**
 * The mounts that make up the view of the machine, on an empty root: programs, tool chains, package
 * caches, parts of `/etc`, and what a person shows. A command cannot change any of these places for others.
 */
export function viewMounts(facts: ViewFacts): Mount[] {
  const { tree, home, variables, root, readable } = facts;
  const view = new View(facts);
  const isTooWide = (path: string): boolean =>
    (dirname(path) === '/' && !ENVIRONMENT_MARKS.some((name) => tree.look(`${path}/${name}`) !== undefined)) ||
    dirname(path) === '/home' ||
    [home, root, ...facts.hidden].some((place) => isWithin(place, path)) ||
    NO_INSTALLATIONS.some((name) => path === `${home}/${name}`);
  // Empty and private to the command: it can write there, and nothing is kept.
  for (const path of ['/tmp', '/run']) view.places.set(path, 'private');
  if (isWithin(root, '/var/tmp')) view.places.set('/var/tmp', 'private');
  else view.links.set('/var/tmp', '../tmp');
  addHome(view, facts);
  addTools(view, facts);
  for (const name of PLACE_VARIABLES) {
    const path = variables[name];
    if (path?.startsWith('/') === true) view.add(path, 'read-only', (real) => !isTooWide(real));
  }
  const folders = (variables['PATH'] ?? '').split(':').filter((folder) => folder.startsWith('/') && !WINDOWS.test(folder));
  for (const folder of new Set(folders)) addPrograms(view, facts, folder, isTooWide);
  // Node also searches the parent folders for modules.
  for (let above = dirname(root); above !== '/' && above !== home; above = dirname(above)) view.add(`${above}/node_modules`);
  for (const path of cacheFolders(home, variables)) view.add(path, 'cache', (real) => !isTooWide(real));
  for (const path of readable) view.add(path, 'read-only', (real) => !holdsTooMuch(real, facts));
  for (const name of facts.rootNames) addName(view, facts, name);
  addMasks(view, facts);
  return view.mounts();
}

/** Makes the home folder private, unless it contains files that all programs need. */
function addHome(view: View, { tree, home }: ViewFacts): void {
  const real = follow(tree, home)?.real ?? home;
  if (SYSTEM_PLACES.some(({ path }) => isWithin(path, real) && !path.startsWith('/home/')) || real === '/') return;
  for (const [link, target] of follow(tree, home)?.links ?? []) view.links.set(link, target);
  view.places.set(real, 'private');
}

/** Makes other names of the workspace lead to it. */
function addName(view: View, { tree, root }: ViewFacts, name: string): void {
  const found = follow(tree, name);
  if (found?.real === root) for (const [link, target] of found.links) if (!isWithin(link, root)) view.links.set(link, target);
}

function etcPlaces(tree: Tree): string[] {
  const names = tree.names('/etc');
  return ETC_PLACES.flatMap(({ path }) => {
    if (!path.includes('*')) return [`/etc/${path}`];
    const folder = dirname(path) === '.' ? '/etc' : `/etc/${dirname(path)}`;
    const [start = '', end = ''] = path.slice(path.lastIndexOf('/') + 1).split('*');
    const matches = (folder === '/etc' ? names : tree.names(folder)).filter((name) => name.startsWith(start) && name.endsWith(end));
    return matches.map((name) => `${folder}/${name}`);
  });
}

/** The program that a link leads to; undefined if it is no link to a file. */
function linkedProgram(tree: Tree, path: string): ReturnType<typeof follow> {
  const program = tree.look(path)?.kind === 'link' ? follow(tree, path) : undefined;
  return program?.kind === 'file' ? program : undefined;
}

/** Adds a folder of PATH with its installation and the targets of its links. */
function addPrograms(view: View, { tree }: ViewFacts, folder: string, isTooWide: (path: string) => boolean): void {
  const found = follow(tree, folder);
  if (found?.kind !== 'folder') return;
  const place = installationOf(tree, found.real, isTooWide);
  if (place === undefined) return;
  // By its name in PATH, to include the links on the way.
  if (view.add(folder, 'read-only', () => place === found.real || view.add(place) !== undefined) === undefined) return;
  if (PLAIN_PROGRAMS.has(found.real)) return;
  let left = MAX_LINKED_PROGRAMS;
  for (const name of tree.names(found.real).slice(0, MAX_NAMES)) {
    const program = linkedProgram(tree, `${found.real}/${name}`);
    if (program === undefined || view.shows(program.real)) continue;
    const at = installationOf(tree, dirname(program.real), isTooWide);
    // Beside a single program there may be anything.
    if (view.add(at === undefined || at === dirname(program.real) ? program.real : at) === undefined) continue;
    for (const [link, target] of program.links) view.links.set(link, target);
    left -= 1;
    if (left === 0) return;
  }
}

/**
 * Whether a folder that a person shows contains too much to be judged file by file. File tools can read such a folder,
 * because the policy is asked about each file. Commands keep their view.
 */
export function holdsTooMuch(path: string, { home, hidden }: Pick<ViewFacts, 'home' | 'hidden'>): boolean {
  return ['/etc', '/run', '/var', '/proc', '/sys', '/dev', home, ...hidden].some((place) => isWithin(place, path));
}

/** Hides paths inside shown folders. */
function addMasks(view: View, { tree, hidden, readable }: ViewFacts): void {
  // A path that a person names explicitly is shown.
  for (const path of [...SYSTEM_SECRETS.filter((secret) => !readable.some((place) => isWithin(place, secret))), ...hidden]) {
    const found = follow(tree, path);
    if (found !== undefined && view.shows(found.real)) view.places.set(found.real, found.kind === 'folder' ? 'masked-folder' : 'masked-file');
  }
}
