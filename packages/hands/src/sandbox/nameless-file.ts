import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A handle on something to read, for one process to inherit. */
export interface ReadHandle extends Disposable {
  readonly descriptor: number;
}

/** Keeps a content in a file without a name, which nobody else can open. */
export function keepNameless(content: string | Uint8Array): number {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-sandbox-'));
  try {
    const path = join(folder, 'content');
    writeFileSync(path, content, { mode: 0o600, flag: 'wx' });
    return openSync(path, 'r');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Opens it from its beginning: bubblewrap reads a handle to its end, so each run takes one of its own. */
export function openNameless(held: number): ReadHandle {
  const descriptor = openSync(`/proc/self/fd/${held}`, 'r');
  return { descriptor, [Symbol.dispose]: () => closeSync(descriptor) };
}
