import { displayName, hasByteEscape, type Name, unescapeName } from '../workspace/byte-name.ts';
import { isGitConfiguration, isGitData } from '../danger/git-data.ts';
import { foldName, protectedPlace } from '../danger/protected-places.ts';

/** A place as rules see it. Lexical only: link targets are judged again, by handle. */
export interface Location {
  readonly inside: boolean;
  /** Relative to the workspace without a leading `/`; the root itself is empty. Outside: relative to `/`. */
  readonly path: string;
  /** The path, folded as on the most lenient file system, for deny rules. */
  readonly folded: string;
  /** Relative to `/`, for absolute rules. */
  readonly absolute: string;
}

/** Names that only need lower-casing: nearly all of them. Full folding is slow. */
const PLAIN = /^\.?[\w\-+@]+(?:\.[\w\-+@]+)*$/u;

/** Folds a name of a displayed path as the most lenient file system does. The result can contain a slash, as that of `℀` does. */
export function fold(name: string): string {
  const real = hasByteEscape(name) ? displayNameOf(unescapeName(name)) : name;
  return PLAIN.test(real) ? real.toLowerCase() : foldName(real);
}

function displayNameOf(name: ReturnType<typeof unescapeName>): string {
  return typeof name === 'string' ? name : displayName(name);
}

/** The folder whose name was folded last: a scan asks about every name in it. */
let lastFolder = { path: '', folded: '' };

/** Folds each name of a path. */
function foldPath(path: string): string {
  const cut = path.lastIndexOf('/');
  if (cut === -1) return path === '' ? '' : fold(path);
  const folder = path.slice(0, cut);
  if (folder !== lastFolder.path) lastFolder = { path: folder, folded: folder.split('/').map(fold).join('/') };
  return `${lastFolder.folded}/${fold(path.slice(cut + 1))}`;
}

/** Resolves `.` and `..`; undefined if `..` leads above the start. */
function normalize(parts: readonly string[]): string[] | undefined {
  const names: string[] = [];
  for (const part of parts) {
    if (part === '' || part === '.') continue;
    if (part !== '..') names.push(part);
    else if (names.pop() === undefined) return undefined;
  }
  return names;
}

function below(root: string, path: string): string | undefined {
  if (path === root) return '';
  const start = root === '/' ? root : `${root}/`;
  return path.startsWith(start) ? path.slice(start.length) : undefined;
}

/**
 * Returns the location of a path.
 *
 * @param roots absolute names of the workspace; the first is its real path
 */
export function locate(path: string, roots: readonly string[]): Location {
  const root = roots[0] ?? '/';
  const names = path.startsWith('/') ? undefined : isClean(path) ? path : normalize(path.split('/'))?.join('/');
  if (names !== undefined) return insideOf(root, names);
  const whole = path.startsWith('/') ? path : `${root}/${path}`;
  // `..` of the root is the root.
  const absolute = UNCLEAN.test(whole) ? `/${climb(whole.split('/')).join('/')}` : whole;
  for (const name of roots) {
    const rest = below(name, absolute);
    if (rest !== undefined) return insideOf(root, rest);
  }
  const outside = absolute.slice(1);
  return { inside: false, path: outside, folded: foldPath(outside), absolute: outside };
}

/** A part of a path that is no name. */
const UNCLEAN = /\/\.{0,2}(?:\/|$)/u;
const isClean = (path: string): boolean => !UNCLEAN.test(`/${path}`);

function climb(parts: readonly string[]): string[] {
  const names: string[] = [];
  for (const part of parts) {
    if (part === '..') names.pop();
    else if (part !== '' && part !== '.') names.push(part);
  }
  return names;
}

function insideOf(root: string, path: string): Location {
  return { inside: true, path, folded: foldPath(path), absolute: path === '' ? root.slice(1) : `${root.slice(1)}/${path}` };
}

/** Returns the location of an entry of a folder inside the workspace, much faster than {@link locate}; undefined for unusual names. */
export function locateIn(folder: Location, name: Name | undefined): Location | undefined {
  if (!folder.inside || typeof name !== 'string' || !PLAIN.test(name)) return undefined;
  const { path, folded, absolute } = folder;
  const below = (parent: string, entry: string): string => (parent === '' ? entry : `${parent}/${entry}`);
  return { inside: true, path: below(path, name), folded: below(folded, name.toLowerCase()), absolute: below(absolute, name) };
}

/** Whether a path differs from its folded form only in case. Then patterns can be followed folder by folder. */
export function isPlainLocation({ path, folded }: Location): boolean {
  return /^[\x20-\x7e]*$/u.test(path) && path.toLowerCase() === folded;
}

/** Why a place needs approval in every mode until a rule names it. */
export type Guard = 'secret' | 'protected' | 'outside' | 'workspace';

export const GUARD_MEANINGS: Record<Guard, string> = {
  secret: 'it usually holds secrets, and what an agent has read cannot be taken back',
  protected: 'another program runs it, or takes its orders from it',
  outside: 'it is outside the workspace',
  workspace: 'it is the workspace itself',
};

/**
 * Files with keys and passwords. Gitignore patterns, in order, so that searches can
 * exclude them. {@link SECRET_NAME} is the same list for one path, and what is not named here is usual to `hasUsualNames`.
 */
export const SECRET_PATTERNS: readonly string[] = [
  '.env',
  '.env.*',
  '.envrc',
  '!.env.example',
  '!.env.sample',
  '!.env.template',
  '!.env.dist',
  '*.pem',
  '*.key',
  '*.p12',
  '*.pfx',
  '*.keystore',
  '*.jks',
  '*.kdbx',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '!id_*.pub',
  '.netrc',
  '_netrc',
  '.git-credentials',
  '.pgpass',
  '.my.cnf',
  '.htpasswd',
  '.npmrc',
  '.pypirc',
  '.dockercfg',
  '.vault-token',
  '.ssh/',
  '.gnupg/',
  '.aws/',
  '.azure/',
  '.kube/',
  '.docker/config.json',
  '.config/gh/',
  '.config/gcloud/',
];

/** Matches a folded path by its last name or any folder in it. */
const SECRET_NAME =
  /(?:^|\/)(?:\.env(?:\.(?!(?:example|sample|template|dist)$)[^/]*)?|\.envrc|[^/]*\.(?:pem|key|p12|pfx|keystore|jks|kdbx)|id_(?:rsa|dsa|ecdsa|ed25519)(?![^/]*\.pub(?:\/|$))[^/]*|[._]netrc|\.git-credentials|\.pgpass|\.my\.cnf|\.htpasswd|\.npmrc|\.pypirc|\.dockercfg|\.vault-token|\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker\/config\.json|\.config\/(?:gh|gcloud))(?:\/|$)/u;

/** System files with passwords and keys, relative to `/`. The sandbox hides them from commands. */
const SYSTEM_SECRET =
  /^etc\/(?:(?:shadow|gshadow|sudoers|master\.passwd|opasswd)-?|security\/opasswd|sudoers\.d|krb5\.keytab|ssl\/private|wireguard|networkmanager\/system-connections|ssh\/[^/]*_key)(?:\/|$)/u;

const SYSTEM_FOLDER = /^\/?etc\//iu;

/** Harmless devices that commands read and write. */
const HARMLESS_DEVICE = /^dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|fd\/\d+)$/u;

/** Whether a place is one of the devices that every script uses. */
export function isHarmlessDevice(location: Location): boolean {
  return !location.inside && HARMLESS_DEVICE.test(location.path);
}

function isSystemSecret(path: string): boolean {
  return SYSTEM_FOLDER.test(path) && SYSTEM_SECRET.test(path.replace(/^\//u, '').toLowerCase());
}

/** Returns why reading a place needs approval; undefined if it does not. */
export function readGuard(location: Location): Guard | undefined {
  if (SECRET_NAME.test(location.folded) || isSystemSecret(location.absolute)) return 'secret';
  return location.inside ? undefined : 'outside';
}

/**
 * Returns a fast check for names that are no reason to ask in a folder; false for names that {@link readGuard} has to judge. Undefined if it has
 * to judge each.
 */
export function freeNames(folder: Location): ((name: string) => boolean) | undefined {
  // A folder of a name that is harmless for a file, such as `.env.example`, is none.
  if (readGuard(folder) !== undefined || SECRET_NAME.test(`${folder.folded}/`) || SYSTEM_FOLDER.test(`${folder.absolute}/`)) return undefined;
  // No secret place is named by more than two names.
  const last = folder.folded.slice(folder.folded.lastIndexOf('/') + 1);
  return (name) => PLAIN.test(name) && !SECRET_NAME.test(`${last}/${name.toLowerCase()}`);
}

/** Returns why changing a place needs approval; undefined if it does not. */
export function writeGuard(location: Location): Guard | undefined {
  if (protectedPlace(location.folded.split('/')) !== undefined) return 'protected';
  if (!location.inside) return 'outside';
  return undefined;
}

/** What is done to a place. */
interface Touch {
  readonly kind: 'read' | 'write' | 'delete' | 'possiblePath';
  readonly location: Location;
  readonly tree: boolean;
  readonly byCommand?: boolean;
  /** See `PathEffect`. */
  readonly linked?: boolean;
}

/** How it is done. */
interface Circumstances {
  readonly confined?: boolean;
  readonly restores?: boolean;
}

/**
 * Whether a place is only where a new link leads, which changes nothing there. Through one that leads out, no command in a sandbox and
 * no file tool can write.
 */
export function isOnlyLinked({ linked, kind, location }: Touch, { confined }: Circumstances): boolean {
  return linked === true && kind === 'write' && !location.inside && confined === true;
}

/** The guard of a place that a command may only name: whether it is outside says nothing then. */
function possibleGuard(location: Location): Guard | undefined {
  if (readGuard(location) === 'secret') return 'secret';
  return writeGuard(location) === 'protected' ? 'protected' : undefined;
}

function guardOfReading({ location, tree, byCommand }: Touch, confined: boolean): Guard | undefined {
  const guard = readGuard(location);
  // In the sandbox, programs can read everything it shows without naming it, and it shows nothing else.
  if (guard === 'outside' && byCommand === true && confined) return undefined;
  // Walking a folder reads the secrets in it, unless the sandbox hides them.
  return guard === undefined && tree && !confined ? 'secret' : guard;
}

function guardOfChange({ kind, location, tree }: Touch, restores: boolean): Guard | undefined {
  if (restores && kind === 'write' && location.inside && (isGitData(location.folded) || isGitConfiguration(location.folded))) return undefined;
  return location.inside && location.path === '' && tree ? 'workspace' : writeGuard(location);
}

/** Why an access needs approval whatever the mode says; undefined if it does not. */
export function guardOf(access: Touch, { confined = false, restores = false }: Circumstances): Guard | undefined {
  if (access.kind === 'possiblePath') return possibleGuard(access.location);
  if (isHarmlessDevice(access.location)) return undefined;
  return access.kind === 'read' ? guardOfReading(access, confined) : guardOfChange(access, restores);
}

/** Whether a path, given as text, is guarded. Used to find out if a pattern names a guarded place. */
function namesGuarded(path: string): boolean {
  const folded = path.toLowerCase();
  // Two slashes start an absolute pattern.
  const isOfSystem = folded.startsWith('//') && SYSTEM_SECRET.test(folded.slice(2));
  return SECRET_NAME.test(folded) || isOfSystem || protectedPlace(folded.split('/')) !== undefined;
}

/**
 * Whether a pattern names a secret or protected place. `.vscode/**` does; `src/**` does not, though both may match one.
 * Only a rule that names such a place allows it.
 */
export function patternNamesGuarded(pattern: string): boolean {
  return namesGuarded(pattern.replaceAll('*', '')) || namesGuarded(pattern.replaceAll('*', 'x'));
}
