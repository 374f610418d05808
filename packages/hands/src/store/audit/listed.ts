import { jsonBytes } from './json-bytes.ts';

/** Bytes of JSON that one list in a record may take: the log is bounded, and one call must not push hundreds of others out. */
const LIST_BYTES = 16 * 1024;

/** A list as a record holds it. */
export interface Listed<T> {
  readonly kept: readonly T[];
  /** Entries beyond those. */
  readonly more: number;
}

/** The first entries of a list, as many as a record has room for, each put into the form that it is kept in. */
export function listed<T, R>(entries: Iterable<T>, describe: (entry: T) => R): Listed<R> {
  const kept: R[] = [];
  let room = LIST_BYTES;
  let more = 0;
  for (const entry of entries) {
    if (room <= 0) {
      more += 1;
      continue;
    }
    const described = describe(entry);
    kept.push(described);
    room -= jsonBytes(described);
  }
  return { kept, more };
}
