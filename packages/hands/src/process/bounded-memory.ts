/**
 * Limits the address space of a program that reads files which a stranger may have made, and which may be without end.
 *
 * @param kib the limit in KiB
 */
export function withBoundedMemory(argv: readonly [string, ...string[]], kib: number): readonly [string, ...string[]] {
  if (process.platform === 'win32') return argv;
  return ['/bin/sh', '-c', `ulimit -v ${kib} 2>/dev/null; exec "$@"`, 'sh', ...argv];
}

/** Maximum memory of git for its own data, in KiB: 2 GiB. For a million commits it takes less than 1 GiB; packs that it maps do not count. */
const DATA_KIB = 2 * 1024 * 1024;

/** Words of a shell script that limit how much memory the next program takes for its own data: for files that it reads whole. */
export const BOUND_DATA = `ulimit -d ${DATA_KIB} 2>/dev/null;`;

/** Starts a program with bounded memory for its own data. Unlike {@link withBoundedMemory}, it can map files of any size. */
export function withBoundedData(argv: readonly [string, ...string[]]): readonly [string, ...string[]] {
  if (process.platform === 'win32') return argv;
  return ['/bin/sh', '-c', `${BOUND_DATA} exec "$@"`, 'sh', ...argv];
}
