import { openSync, readdirSync, readFileSync } from 'node:fs';
import type { StdioOptions } from 'node:child_process';

/** Linux `O_CLOEXEC` (asm-generic/fcntl.h), as `fdinfo` shows it. */
const CLOSES_ON_EXEC = 0o2000000;
const LAST_STANDARD = 2;

type Stream = Exclude<StdioOptions, string>[number];

/**
 * The descriptors above those of the standard streams that a child would get. Node closes all of its own on exec, and some
 * of those that it was started with; a lock that the shell before holds as `exec 200>file` is not among them, and leads a
 * command to that file, whatever its sandbox hides.
 */
function inheritable(): number[] {
  let numbers: number[];
  try {
    numbers = readdirSync('/proc/self/fd').map(Number);
  } catch {
    // Not Linux: nothing tells which there are.
    return [];
  }
  return numbers.filter((number) => {
    if (number <= LAST_STANDARD) return false;
    try {
      const flags = /^flags:\s+(?<flags>[0-7]+)$/mu.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'utf8'))?.groups?.['flags'] ?? '0';
      return (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0;
    } catch {
      // Closed by now, as the one by which the folder was read.
      return false;
    }
  });
}

let found: { readonly descriptors: readonly number[]; readonly nothing: number } | undefined;

/** What this process was started with cannot change any more, so it is looked for once. */
function inherited(): NonNullable<typeof found> {
  if (found !== undefined) return found;
  const descriptors = inheritable();
  return (found = { descriptors, nothing: descriptors.length === 0 ? -1 : openSync('/dev/null', 'r') });
}

/**
 * The streams and descriptors of a child, where those that this process inherited lead nowhere. Every child is started
 * with it. Node can neither close them in a child nor mark them, so that the null device is put in their place.
 *
 * @param streams what the child is to get, from descriptor 0 on
 */
export function closedStdio(streams: readonly Stream[]): Stream[] {
  const { descriptors, nothing } = inherited();
  const all = [...streams];
  for (const descriptor of descriptors) {
    if (descriptor < streams.length) continue;
    // What lies between is not opened.
    while (all.length < descriptor) all.push('ignore');
    all[descriptor] = nothing;
  }
  return all;
}
