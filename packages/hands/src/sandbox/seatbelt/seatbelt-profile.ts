import { SynapseError } from '@synapse/protocol';
import { isWithin } from '../../workspace/workspace-path.ts';
import type { Level, PlaceLevel } from '../place-levels.ts';

/** What a profile of Seatbelt allows. */
export interface SeatbeltAllows {
  /** Real paths. Of several, the nearest one above a path decides. */
  readonly places: readonly PlaceLevel[];
  readonly network: boolean;
}

/** What programs need of the system besides files: nothing of it leads to data of the user, or to another process. */
const BASE: readonly string[] = [
  '(version 1)',
  '(deny default)',
  '(allow process-fork)',
  '(allow process-info* (target same-sandbox))',
  '(allow signal (target same-sandbox))',
  '(allow sysctl-read)',
  '(allow ipc-posix-sem)',
  // The root folder itself, through which every path leads, and the names and kinds of what lies on the way: not the content of any file.
  '(allow file-read* (literal "/"))',
  '(allow file-read-metadata)',
  // Names of users and groups, the time zone, and the log.
  ...['com.apple.system.opendirectoryd.libinfo', 'com.apple.system.opendirectoryd.membership', 'com.apple.system.notification_center'].map(
    (name) => `(allow mach-lookup (global-name "${name}"))`,
  ),
];

/** What programs with a network need: name resolution and the check of certificates are services of the system. */
const NETWORK: readonly string[] = [
  '(allow network*)',
  '(allow system-socket)',
  ...['com.apple.dnssd.service', 'com.apple.trustd', 'com.apple.trustd.agent', 'com.apple.SystemConfiguration.configd'].map(
    (name) => `(allow mach-lookup (global-name "${name}"))`,
  ),
];

/** What each level means for a path and all that is in it. A later rule decides. */
const RULES: Readonly<Record<Level, readonly string[]>> = {
  none: ['deny file-read* file-write* process-exec'],
  read: ['allow file-read* process-exec', 'deny file-write*'],
  write: ['allow file-read* file-write* process-exec'],
};

/**
 * Writes the profile of one command in the language of `sandbox-exec` (SBPL, version 1). Of its rules the last one that fits decides, so the deeper
 * place comes later. A place in a writable folder can neither be moved nor removed, nor can the folders above it: elsewhere it would have no rule.
 *
 * @throws SynapseError `invalid_arguments` if a path has a character with another meaning there
 */
export function seatbeltProfile({ places, network }: SeatbeltAllows): string {
  const levels = new Map(places.map(({ path, level }) => [path, level]));
  const sorted = Array.from(levels, ([path, level]) => ({ path, level })).toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const writable = sorted.filter(({ level }) => level === 'write').map(({ path }) => path);
  const held = new Set<string>();
  for (const { path } of sorted) {
    const top = writable.find((folder) => folder !== path && isWithin(path, folder));
    if (top === undefined) continue;
    for (let at = path; at.length > top.length; at = at.slice(0, at.lastIndexOf('/'))) held.add(at);
  }
  return [
    ...BASE,
    ...(network ? NETWORK : []),
    ...sorted.flatMap(({ path, level }) => RULES[level].map((rule) => `(${rule} (subpath ${quoted(path)}))`)),
    ...[...held].toSorted().map((path) => `(deny file-write-unlink (literal ${quoted(path)}))`),
    '',
  ].join('\n');
}

/** A path as a string of the language. */
function quoted(path: string): string {
  // How it reads these is not documented, so they fail closed.
  if (/[\p{Cc}\p{Cs}]/u.test(path)) {
    throw new SynapseError('invalid_arguments', `A rule is about a path that Seatbelt cannot be given: ${JSON.stringify(path)}`, {
      hint: 'Rename it, or write the rule about the folder above.',
    });
  }
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
