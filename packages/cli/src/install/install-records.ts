import { openSingleFile } from '@synapse/hands';
import { hash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { TextChange } from './taken-back.ts';

const Stored = z.strictObject({
  file: z.string(),
  change: z.strictObject({ offset: z.int(), removed: z.string(), inserted: z.string(), digest: z.string() }),
  created: z.boolean(),
  folders: z.int(),
});

/** What an installation did to a file, so that it can be taken back to the byte. */
export interface InstallRecord {
  readonly change: TextChange;
  /** Whether there was no such file. */
  readonly created: boolean;
  /** How many folders were made for it. */
  readonly folders: number;
}

/** The record of one configuration file. */
export interface InstallRecordFile extends Disposable {
  /** Undefined where there is none, and where it cannot be read: then the entry alone is taken out. */
  readonly record: InstallRecord | undefined;
  keep(record: InstallRecord): void;
  forget(): void;
}

/** Opens the record of a configuration file. It may hold an entry that stood there before, so only its owner can read it. */
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
    // Damaged: the entry can be found in the file itself.
    return undefined;
  }
}
