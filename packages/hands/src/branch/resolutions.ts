import { mkdirSync, type BigIntStats } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { BlobStore } from '../journal/blob-store.ts';
import type { PlannedEntry } from '../transaction/planned-entry.ts';
import { inodeOf, loadPath, StoredPath, storePath } from '../workspace/changes/step.ts';
import { bytePath } from '../workspace/workspace-path.ts';
import { basesFolder } from './bases-folder.ts';
import { lineLog, type LineLog } from './line-log.ts';

/** The content of a file that has what both sides meant. */
export interface Content {
  readonly content: Uint8Array;
}

const Line = z.object({
  path: StoredPath,
  take: z.enum(['branch', 'workspace', 'content']),
  /** The SHA-256 of the chosen content. */
  content: z.string().nullable(),
  /** The versions that the person saw; null where there is no entry. */
  seen: z.object({ branch: z.string().nullable(), workspace: z.string().nullable() }),
  /** Changes from this time on, in nanoseconds since 1970, were not seen. */
  at: z.string(),
});

/** A conflict that a person resolved, while neither version was changed since. */
export interface Resolution {
  readonly take: 'branch' | 'workspace' | Buffer;
  readonly at: bigint;
}

const identity = (stat: BigIntStats | undefined): string | null => (stat === undefined ? null : `${inodeOf(stat)} ${stat.ctimeNs}`);
const seenOf = ({ before, now }: PlannedEntry): z.infer<typeof Line>['seen'] => ({ branch: identity(now), workspace: identity(before) });
const logIn = (state: string): LineLog<z.output<typeof Line>> => lineLog(join(basesFolder(state), 'resolved'), Line);
const contentsIn = (state: string): BlobStore => new BlobStore(join(basesFolder(state), 'content'));

/** Notes how a person resolved a conflict. It counts until one of the versions is changed. */
export function resolve(state: string, change: PlannedEntry, choice: 'branch' | 'workspace' | Content, at: bigint): void {
  mkdirSync(join(basesFolder(state), 'content'), { recursive: true, mode: 0o700 });
  const content = typeof choice === 'object' ? contentsIn(state).keep(choice.content) : null;
  const take = typeof choice === 'object' ? 'content' : choice;
  logIn(state).append([{ path: storePath(change.location), take, content, seen: seenOf(change), at: String(at) }]);
}

/** Reads how conflicts of a branch were resolved. */
export function readResolutions(state: string): (change: PlannedEntry) => Resolution | undefined {
  const lines = new Map<string, z.infer<typeof Line>>();
  for (const line of logIn(state).read()) lines.set(bytePath(loadPath(line.path)), line);
  return (change) => {
    const line = lines.get(bytePath(change.location));
    if (line === undefined || JSON.stringify(line.seen) !== JSON.stringify(seenOf(change))) return undefined;
    const take = line.take === 'content' ? contentsIn(state).read(line.content ?? '') : line.take;
    return take === undefined ? undefined : { take, at: BigInt(line.at) };
  };
}
