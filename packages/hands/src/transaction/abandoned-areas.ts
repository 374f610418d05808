import * as z from 'zod';
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APPLIED } from '../journal/whole-entry.ts';
import { errnoOf } from '../workspace/file-error.ts';
import { isRunning } from '../workspace/process-identity.ts';
import { TreeCursor, addTo, turns, visitTreeSync, type TreeSize } from '../workspace/tree-cursor.ts';
import { joinRepository } from './linked-repository.ts';
import { writePending } from './pending-record.ts';
import { TransactionArea } from './transaction-area.ts';

/** The folder name contains the process id, so that areas of killed processes can be found. */
const OWNER = /^area-(?<pid>\d+)-(?<started>\d*)-/u;

/** Milliseconds to keep an area whose process is not visible, because it may still run in another container. */
const ABANDONED_MS = 60 * 60 * 1000;

const Reserve = z.object({ command: z.string().optional() });

/** Whether the process of an area has ended. */
function isAbandoned(area: TransactionArea, now: number): boolean {
  const { pid, started } = OWNER.exec(area.name)?.groups ?? {};
  if (pid === undefined || isRunning(`${pid} ${started}`) !== false) return false;
  // Without a start time only the process id is known, which may belong to another container.
  return started !== '' || now - lstatSync(area.path).mtimeMs >= ABANDONED_MS;
}

/** Makes what an interrupted command did pending; undefined if that is nothing, or was dropped anyway. */
function keepWork(area: TransactionArea): string | undefined {
  if (!existsSync(area.reserve) || !existsSync(area.upper)) return undefined;
  // The command may have removed the user's own permissions.
  chmodSync(area.upper, 0o700);
  const mixed = joinRepository(area);
  if (readdirSync(area.upper).length === 0) return undefined;
  const { command } = Reserve.catch({}).parse(parseJson(readFileSync(area.reserve, 'utf8')));
  if (command === undefined) return undefined;
  // Older than everything that others can have changed since the command began.
  const { ctimeNs } = lstatSync(area.reserve, { bigint: true });
  const size: TreeSize = { files: 0, bytes: 0, entries: 0 };
  using cursor = new TreeCursor(area.upper, { owned: true });
  visitTreeSync(cursor, (_, stat) => addTo(size, stat));
  const { files, bytes } = size;
  return writePending(area, { command, why: mixed ?? 'Synapse was ended while it ran', files, bytes, startedAt: String(ctimeNs) });
}

/** The same; `later` if the file system fails, such as on a full disk. Neither later commands nor other areas depend on this one. */
function tryToKeepWork(area: TransactionArea): { readonly handle: string | undefined } | 'later' {
  try {
    return { handle: keepWork(area) };
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return 'later';
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Synapse was killed while it wrote this, before the command ran.
    return undefined;
  }
}

function isWithoutWork(area: TransactionArea): boolean {
  const kept = tryToKeepWork(area);
  return kept !== 'later' && kept.handle === undefined;
}

/** Makes changes pending of commands whose Synapse was killed before it judged them; returns their handles. */
export function keepInterrupted(folder: string, now = Date.now()): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const area = new TransactionArea(join(folder, name));
    // With a record, a person decides, and of what was applied, the journal.
    if ([area.record, area.ofBranch, join(area.path, APPLIED)].some((path) => existsSync(path)) || !isAbandoned(area, now)) return [];
    const kept = tryToKeepWork(area);
    return kept === 'later' ? [] : (kept.handle ?? []);
  });
}

/**
 * Removes areas that are no longer needed: of killed processes whose command changed nothing, and of changes that the journal no
 * longer contains.
 *
 * @param isKept whether the journal refers to an area
 */
export async function removeAbandoned(folder: string, isKept: (name: string) => boolean, signal: AbortSignal, now = Date.now()): Promise<void> {
  if (!existsSync(folder)) return;
  const rest = turns(signal);
  for (const name of readdirSync(folder)) {
    await rest();
    signal.throwIfAborted();
    const area = new TransactionArea(join(folder, name));
    if (!OWNER.test(name) || existsSync(area.record) || existsSync(area.ofBranch) || isKept(name)) continue;
    const isForgotten = existsSync(join(area.path, APPLIED));
    if (isForgotten || (isAbandoned(area, now) && isWithoutWork(area))) await area.remove();
  }
}
