import type { PlaceLevel } from '../place-levels.ts';

const at = (level: PlaceLevel['level'], paths: readonly string[]): PlaceLevel[] => paths.map((path) => ({ path, level }));

/**
 * What programs need of a Mac, by real paths: programs and libraries of the system, of Xcode and of package managers, and the devices that are no
 * data. Of the volumes, what is kept for all users is beside the data of each, so no volume is shown as a whole.
 */
export const MACHINE_PLACES: readonly PlaceLevel[] = [
  ...at('read', ['/usr', '/bin', '/sbin', '/opt', '/System/Library', '/System/Cryptexes', '/System/Volumes/Preboot/Cryptexes']),
  ...at('read', ['/Library/Apple', '/Library/Developer', '/Library/Frameworks', '/Library/Java', '/Applications/Xcode.app']),
  ...at('read', [
    '/private/etc/hosts',
    '/private/etc/passwd',
    '/private/etc/group',
    '/private/etc/services',
    '/private/etc/protocols',
    '/private/etc/ssl',
  ]),
  ...at('read', ['/private/var/db/timezone', '/private/var/db/dyld', '/private/var/select', '/private/var/db/xcode_select_link']),
  ...at('read', ['/dev/random', '/dev/urandom', '/dev/fd']),
  ...at('write', ['/dev/null', '/dev/zero', '/dev/dtracehelper']),
];
