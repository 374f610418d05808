import { readFileSync, statfsSync } from 'node:fs';

/** File systems that tell inotify of every change, by the number that statfs gives (linux/magic.h). Others, such as those of a network, may not. */
const WATCHABLE: ReadonlyMap<number, string> = new Map([
  [0xef53, 'ext'],
  [0x58465342, 'xfs'],
  [0x9123683e, 'btrfs'],
  [0xf2f52010, 'f2fs'],
  [0x2fc12fc1, 'zfs'],
  [0xca451a4e, 'bcachefs'],
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
  [0x794c7630, 'overlay'],
]);

/** Whether changes on the file system of a folder are told of. */
export function isWatchable(path: string): boolean {
  return WATCHABLE.has(statfsSync(path).type);
}

const DEFAULT_QUEUE = 16_384;

/** Events that the kernel keeps for this process until it reads them. What is beyond is lost without a word. */
export function eventQueueLimit(): number {
  try {
    return Number.parseInt(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'), 10) || DEFAULT_QUEUE;
  } catch {
    // Hidden in a container: what every distribution has.
    return DEFAULT_QUEUE;
  }
}

/** How many folders a user may watch; undefined where that is not told. */
export function watchLimit(): number | undefined {
  try {
    return Number.parseInt(readFileSync('/proc/sys/fs/inotify/max_user_watches', 'utf8'), 10) || undefined;
  } catch {
    // No inotify, or hidden in a container.
    return undefined;
  }
}

/** Names in the table of mounts: blanks and backslashes are written as octal numbers. */
const escaped = (path: string): string => path.replaceAll(/[\\ \t\n]/gu, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** What is mounted below a folder. A mount changes what lies there, and no event tells of it. */
export function mountsBelow(root: string): string {
  const prefix = `${escaped(root).replace(/\/$/u, '')}/`;
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.split(' ', 5)[4]?.startsWith(prefix) === true)
    .join('\n');
}
