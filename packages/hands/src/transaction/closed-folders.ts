import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { joinNames } from '../workspace/byte-name.ts';
import { loadPath, StoredPath, storePath } from '../workspace/changes/step.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';
import type { PlannedEntry } from './planned-entry.ts';
import type { TransactionArea } from './transaction-area.ts';

const OWNER_ALL = 0o700;

/** Folders of an upper layer that are open while their changes are applied, parents first, with the modes that the command gave them. */
const Opened = z.object({ process: z.string(), folders: z.array(z.object({ path: StoredPath, mode: z.int() })) });
type Opened = z.infer<typeof Opened>;

/**
 * Opens folders that a command closed to its own user, so that what it changed in them can be moved out. They are closed again
 * on disposal, or after a kill when the changes are read again.
 */
export function openFolders(area: TransactionArea, closed: readonly PlannedEntry[]): Disposable {
  const folders = closed.map(({ location, now }) => ({ path: storePath(location), mode: Number(now?.mode ?? 0n) & 0o7777 }));
  const opened: Opened = { process: processIdentity(), folders };
  writeFileSync(area.opened, JSON.stringify(opened), { mode: 0o600 });
  for (const { path, mode } of folders) chmodSync(joinNames(area.upper, loadPath(path)), mode | OWNER_ALL);
  return {
    [Symbol.dispose]() {
      close(area, opened);
    },
  };
}

function close(area: TransactionArea, { folders }: Opened): void {
  for (const { path, mode } of folders.toReversed()) {
    try {
      chmodSync(joinNames(area.upper, loadPath(path)), mode);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw error;
    }
  }
  rmSync(area.opened, { force: true });
}

/** Closes the folders that a killed process left open. */
export function closeFolders(area: TransactionArea): void {
  const parsed = Opened.safeParse(parseJson(readFileSync(area.opened, 'utf8')));
  // Killed while it wrote this: nothing was opened yet.
  if (!parsed.success) return rmSync(area.opened, { force: true });
  if (isRunning(parsed.data.process) === false) close(area, parsed.data);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
