import { openSingleFile } from '@synapse/hands/internal';
import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { PlacedSetting } from './placed-settings.ts';
import type { TextChange } from './revert.ts';

const Stored = z.strictObject({
  file: z.string(),
  change: z.strictObject({ offset: z.int(), removed: z.string(), inserted: z.string(), digest: z.string() }),
  created: z.boolean(),
  folders: z.int(),
  settings: z.array(PlacedSetting).default([]),
});

/** What an installation did to a file, so that it can be undone byte for byte. */
export interface InstallRecord {
  readonly change: TextChange;
  /** Whether the file was created. */
  readonly created: boolean;
  /** The number of folders that were created for it. */
  readonly folders: number;
  /** Settings next to the entry. */
  readonly settings: readonly PlacedSetting[];
}

/** The record of one configuration file. */
export interface InstallRecordFile extends Disposable {
  /** Undefined if it is missing or unreadable; then only the entry is removed. */
  readonly record: InstallRecord | undefined;
  keep(record: InstallRecord): void;
  forget(): void;
}

/** Opens the record of a configuration file. Only the owner can read it: it may contain an earlier entry. */
export async function openInstallRecord(stateFolder: string, file: string): Promise<InstallRecordFile> {
  const folder = join(stateFolder, 'installs');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stored = await openSingleFile(join(folder, `${hash('sha256', file, 'hex').slice(0, 16)}.json`));
  return {
    record: parse(stored.bytes, file),
    keep: (record) => stored.write(Buffer.from(`${JSON.stringify({ file, ...record })}\n`), 0o600),
    forget: () => {
      if (stored.bytes !== undefined) stored.delete();
    },
    [Symbol.dispose]: () => stored[Symbol.dispose](),
  };
}

function parse(bytes: Buffer | undefined, file: string): InstallRecord | undefined {
  if (bytes === undefined) return undefined;
  try {
    const { file: of, ...record } = Stored.parse(JSON.parse(bytes.toString('utf8')));
    return of === file ? record : undefined;
  } catch {
    // Damaged. The entry can still be found in the file.
    return undefined;
  }
}
