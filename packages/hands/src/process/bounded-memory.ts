/**
 * Limits the address space of a program that reads files which a stranger may have made, and which may be without end.
 *
 * @param kib the limit in KiB
 */
export function withBoundedMemory(argv: readonly [string, ...string[]], kib: number): readonly [string, ...string[]] {
  if (process.platform === 'win32') return argv;
  return ['/bin/sh', '-c', `ulimit -v ${kib} 2>/dev/null; exec "$@"`, 'sh', ...argv];
}
