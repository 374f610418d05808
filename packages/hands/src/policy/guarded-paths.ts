import { protectedPlace } from '../danger/protected-places.ts';
import type { Location } from './location.ts';

/** Why a place needs approval in every mode until a rule names it. */
export type Guard = 'secret' | 'protected' | 'outside' | 'workspace';

export const GUARD_MEANINGS: Record<Guard, string> = {
  secret: 'it usually holds secrets, and what an agent has read cannot be taken back',
  protected: 'another program runs it, or takes its orders from it',
  outside: 'it lies outside the workspace',
  workspace: 'it is the workspace itself',
};

/**
 * Files with keys and passwords. Gitignore patterns, in order, so that searches can
 * exclude them. {@link SECRET_NAME} is the same list for one path.
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

/** Harmless devices that commands read and write. */
const HARMLESS_DEVICE = /^dev\/(?:null|zero|full|random|urandom|stdin|stdout|stderr|fd\/\d+)$/u;

/** Whether a place is one of the devices that every script uses. */
export function isHarmlessDevice(location: Location): boolean {
  return !location.inside && HARMLESS_DEVICE.test(location.path);
}

/** Returns why reading a place needs approval; undefined if it does not. */
export function readGuard(location: Location): Guard | undefined {
  if (SECRET_NAME.test(location.folded) || SYSTEM_SECRET.test(location.absolute.replace(/^\//u, '').toLowerCase())) return 'secret';
  return location.inside ? undefined : 'outside';
}

/** Returns why changing a place needs approval; undefined if it does not. */
export function writeGuard(location: Location): Guard | undefined {
  if (protectedPlace(location.folded.split('/')) !== undefined) return 'protected';
  if (!location.inside) return 'outside';
  return undefined;
}

/** Whether a path, given as text, is guarded. Used to find out if a pattern names a guarded place. */
function namesGuarded(path: string): boolean {
  const folded = path.toLowerCase();
  // Two slashes start an absolute pattern.
  const isSystemSecret = folded.startsWith('//') && SYSTEM_SECRET.test(folded.slice(2));
  return SECRET_NAME.test(folded) || isSystemSecret || protectedPlace(folded.split('/')) !== undefined;
}

/**
 * Whether a pattern names a secret or protected place. `.vscode/**` does; `src/**` does not, though both may match one.
 * Only a rule that names such a place allows it.
 */
export function patternNamesGuarded(pattern: string): boolean {
  return namesGuarded(pattern.replaceAll('*', '')) || namesGuarded(pattern.replaceAll('*', 'x'));
}
