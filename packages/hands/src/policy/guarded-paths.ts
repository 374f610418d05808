import { protectedPlace } from '../danger/protected-places.ts';
import type { Location } from './location.ts';

/** Why a place asks in every mode until a rule names it. */
export type Guard = 'secret' | 'protected' | 'outside' | 'workspace';

export const GUARD_MEANINGS: Record<Guard, string> = {
  secret: 'it usually holds secrets, and what a brain has read cannot be taken back',
  protected: 'another program runs it, or takes its orders from it',
  outside: 'it lies outside the workspace',
  workspace: 'it is the workspace itself',
};

/**
 * Files that hold keys and passwords. As gitignore patterns, in order, so that searches can be told to
 * leave them out; {@link SECRET_NAME} is the same list for one path.
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

/** On a folded path, all of it; the last name or any folder on the way decides. */
const SECRET_NAME =
  /(?:^|\/)(?:\.env(?:\.(?!(?:example|sample|template|dist)$)[^/]*)?|\.envrc|[^/]*\.(?:pem|key|p12|pfx|keystore|jks|kdbx)|id_(?:rsa|dsa|ecdsa|ed25519)(?![^/]*\.pub(?:\/|$))[^/]*|[._]netrc|\.git-credentials|\.pgpass|\.my\.cnf|\.htpasswd|\.npmrc|\.pypirc|\.dockercfg|\.vault-token|\.ssh|\.gnupg|\.aws|\.azure|\.kube|\.docker\/config\.json|\.config\/(?:gh|gcloud))(?:\/|$)/u;

/** Places of the system that hold passwords and keys, relative to `/`; the sandbox hides them from commands. */
const SYSTEM_SECRET =
  /^etc\/(?:(?:shadow|gshadow|sudoers|master\.passwd|opasswd)-?|security\/opasswd|sudoers\.d|krb5\.keytab|ssl\/private|wireguard|networkmanager\/system-connections|ssh\/[^/]*_key)(?:\/|$)/u;

/** Devices that commands read and write without touching a file. */
const HARMLESS_DEVICE = /^dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|fd\/\d+)$/u;

/** Whether a place is one of the devices that every script uses. */
export function isHarmlessDevice(location: Location): boolean {
  return !location.inside && HARMLESS_DEVICE.test(location.path);
}

/** Why reading a place asks, if it does. */
export function readGuard(location: Location): Guard | undefined {
  if (SECRET_NAME.test(location.folded) || SYSTEM_SECRET.test(location.absolute.replace(/^\//u, '').toLowerCase())) return 'secret';
  return location.inside ? undefined : 'outside';
}

/** Why changing a place asks, if it does. */
export function writeGuard(location: Location): Guard | undefined {
  if (protectedPlace(location.folded.split('/')) !== undefined) return 'protected';
  if (!location.inside) return 'outside';
  return undefined;
}

/** The same for a path as text, to see whether a pattern names a guarded place. */
function namesGuarded(path: string): boolean {
  const folded = path.toLowerCase();
  // Two slashes begin a pattern of absolute places.
  const isSystemSecret = folded.startsWith('//') && SYSTEM_SECRET.test(folded.slice(2));
  return SECRET_NAME.test(folded) || isSystemSecret || protectedPlace(folded.split('/')) !== undefined;
}

/**
 * Whether a pattern itself names a secret or protected place: `.vscode/**` does, `src/**` does not,
 * though both may cover one. Only the former opens it.
 */
export function patternNamesGuarded(pattern: string): boolean {
  return namesGuarded(pattern.replaceAll('*', '')) || namesGuarded(pattern.replaceAll('*', 'x'));
}
