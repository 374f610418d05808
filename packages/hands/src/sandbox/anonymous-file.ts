import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A readable descriptor for a process to inherit. */
export interface ReadHandle extends Disposable {
  readonly descriptor: number;
}

/** Writes content to an unlinked file, which no other process can open. */
export function keepAnonymous(content: string | Uint8Array): number {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-sandbox-'));
  try {
    const path = join(folder, 'content');
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return openSync(path, 'r');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Opens the file at its start. bubblewrap reads a descriptor to its end, so each run needs a new one. */
export function openAnonymous(held: number): ReadHandle {
  const descriptor = openSync(`/proc/self/fd/${held}`, 'r');
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}
