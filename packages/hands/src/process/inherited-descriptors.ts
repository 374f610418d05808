import { openSync, readdirSync, readFileSync } from 'node:fs';
import type { StdioOptions } from 'node:child_process';

/** Linux `O_CLOEXEC` (asm-generic/fcntl.h), as `fdinfo` shows it. */
const CLOSES_ON_EXEC = 0o2000000;
const LAST_STANDARD = 2;

type Stream = Exclude<StdioOptions, string>[number];

/**
 * Lists the descriptors above the standard streams that a child would inherit. Node closes all of its own on exec, and
 * some of those that it was started with. It does not close, for example, a lock that the calling shell holds with
 * `exec 200>file`: through it, a command reaches that file even if its sandbox hides it.
 */
function inheritable(): number[] {
  let numbers: number[];
  try {
    numbers = readdirSync('/proc/self/fd').map(Number);
  } catch {
    // Not Linux: they cannot be listed.
    return [];
  }
  return numbers.filter((number) => {
    if (number <= LAST_STANDARD) return false;
    try {
      const flags = /^flags:\s+(?<flags>[0-7]+)$/mu.exec(readFileSync(`/proc/self/fdinfo/${number}`, 'utf8'))?.groups?.['flags'] ?? '0';
      return (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0;
    } catch {
      // Already closed, like the descriptor that read the folder.
      return false;
    }
  });
}

let found: { readonly descriptors: readonly number[]; readonly nothing: number } | undefined;

/** Returns the inherited descriptors. They do not change, so they are listed once. */
function inherited(): NonNullable<typeof found> {
  if (found !== undefined) return found;
  const descriptors = inheritable();
  return (found = { descriptors, nothing: descriptors.length === 0 ? -1 : openSync('/dev/null', 'r') });
}

/**
 * Returns the stdio option for a child in which descriptors that this process inherited lead nowhere. Every child is
 * started with it. Node can neither close them in a child nor mark them, so the null device replaces them.
 *
 * @param streams the streams for the child, from descriptor 0 on
 */
export function closedStdio(streams: readonly Stream[]): Stream[] {
  const { descriptors, nothing } = inherited();
  const all = [...streams];
  for (const descriptor of descriptors) {
    if (descriptor < streams.length) continue;
    // Descriptors in between are not opened.
    while (all.length < descriptor) all.push('ignore');
    all[descriptor] = nothing;
  }
  return all;
}
