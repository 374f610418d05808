import { accessSync, constants, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isWithin } from '../workspace/open-root.ts';
import type { Mount } from './bubblewrap-arguments.ts';

/** Enough for folders to mount in; nothing is meant to be kept there. */
const SMALL_BYTES = 2 ** 20;
/** Where programs put much. */
const LARGE = new Set(['/tmp', '/var/tmp']);

/** Places that a command gets empty and of its own: it may write there, and nothing of it stays. */
const PRIVATE = ['/tmp', '/var/tmp', '/home', '/root', '/run'];

/**
 * Hidden, where they exist. `/run` (above) and the sockets below hold Docker, D-Bus and agents; the rest are secrets of
 * the system, which matter where Synapse runs as root, and disks of others.
 */
const HIDDEN_FOLDERS = [
  '/mnt',
  '/media',
  '/etc/ssh',
  '/etc/ssl/private',
  '/etc/sudoers.d',
  '/etc/NetworkManager/system-connections',
  '/etc/wireguard',
  '/var/backups',
  '/var/log',
  '/var/mail',
  '/var/spool',
  '/var/lib/docker',
  '/var/lib/containerd',
  '/var/lib/kubelet',
];
const HIDDEN_FILES = ['/etc/shadow', '/etc/shadow-', '/etc/gshadow', '/etc/gshadow-', '/etc/sudoers', '/etc/krb5.keytab'];
/** Programs of NixOS. */
const SHOWN_IN_RUN = ['/run/current-system', '/run/wrappers'];

/** The real path of what exists; undefined otherwise. */
export function existing(path: string): string | undefined {
  try {
    // The kernel's own way: the one in JavaScript asks about each folder of the path, for twenty paths before each command.
    return realpathSync.native(path);
  } catch {
    // Missing, or not to be reached by this user: then a command cannot reach it either.
    return undefined;
  }
}

/** Paths of the sockets that somebody outside holds: reading permission on a read-only mount is enough to connect to them. */
export function listeningSockets(): string[] {
  try {
    const lines = readFileSync('/proc/net/unix', 'utf8').split('\n').slice(1);
    // Seven columns, then the path as it was bound, which may be relative; `@` begins an abstract name.
    const paths = lines.map((line) => /^(?:\S+\s+){7}(?<path>[^@].*)$/u.exec(line)?.groups?.['path'] ?? '').filter((path) => path !== '');
    return [...new Set(paths)];
  } catch {
    // No such table: sockets outside the hidden places cannot be known.
    return [];
  }
}

const isSocket = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true;

/** What this user cannot read is closed to commands as well, an empty folder hides nothing, and each mount costs time. */
function needsHiding(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return !statSync(path).isDirectory() || readdirSync(path).length > 0;
  } catch {
    // Missing or not permitted.
    return false;
  }
}

/** What is told about the places outside the workspace. */
export interface SystemPlacesOptions {
  /** Paths below the home folder that stay readable. */
  readonly home: readonly string[];
  /** Further absolute places to hide. */
  readonly hidden: readonly string[];
  readonly network: 'own' | 'host';
}

function kindOf(path: string): 'masked-folder' | 'masked-file' {
  return lstatSync(path).isDirectory() ? 'masked-folder' : 'masked-file';
}

/** The mounts that hide what is not the command's business. None of them lies in a place that a command may write. */
export function systemMounts({ home, hidden, network }: SystemPlacesOptions): Mount[] {
  const homeFolder = existing(homedir());
  const privates = [...new Set([...PRIVATE.map(existing), homeFolder])].filter((path) => path !== undefined && path !== '/');
  const places: string[] = privates.filter((path) => path !== undefined);
  const isPrivate = (path: string): boolean => places.some((place) => isWithin(path, place));
  const secrets = [...HIDDEN_FOLDERS, ...HIDDEN_FILES].filter(needsHiding);
  const masked = [...new Set([...secrets, ...hidden].map(existing))].filter((path) => path !== undefined);
  const shown = homeFolder === undefined ? [] : home.map((path) => existing(join(homeFolder, path)));
  // With a network, names are resolved by what this link of systemd leads to.
  const inRun = [...SHOWN_IN_RUN, ...(network === 'host' ? ['/etc/resolv.conf'] : [])].map(existing);
  return [
    ...places.toSorted().map((path): Mount => ({ kind: 'private', path, ...(path === homeFolder || LARGE.has(path) ? {} : { bytes: SMALL_BYTES }) })),
    ...[...shown, ...inRun].filter((path) => path !== undefined && isPrivate(path)).map((path): Mount => ({ kind: 'read-only', path: path ?? '' })),
    ...masked
      .filter((path) => !isPrivate(path) || shown.some((place) => place !== undefined && isWithin(path, place)))
      .map((path): Mount => ({ kind: kindOf(path), path })),
    ...listeningSockets()
      .filter((path) => path.startsWith('/') && !isPrivate(path) && isSocket(path))
      .map((path): Mount => ({ kind: 'masked-file', path })),
  ];
}
