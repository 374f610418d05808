/** More than this is not kept: a server would hold it for as long as it lives. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;

let kept: Buffer | undefined;

/** Memory that is given back at the end of a scope. What was read from it must be copied out by then. */
export interface BorrowedMemory extends Disposable {
  readonly bytes: Buffer;
}

/**
 * Lends memory for the bytes of a file. A new megabyte for every read makes the garbage collector walk the
 * whole heap every dozen calls, which takes longer than the reading.
 */
export function borrowMemory(length: number): BorrowedMemory {
  const memory = kept !== undefined && kept.length >= length ? kept : Buffer.allocUnsafeSlow(length);
  // Whoever borrows meanwhile gets other memory.
  if (memory === kept) kept = undefined;
  return {
    bytes: memory.subarray(0, length),
    [Symbol.dispose]() {
      if (memory.length <= MAX_KEPT_BYTES && memory.length > (kept?.length ?? 0)) kept = memory;
    },
  };
}
