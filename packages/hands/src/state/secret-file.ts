import { SynapseError } from '@synapse/protocol';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type * as z from 'zod';

/** Permission bits of the group and of other users. */
const OTHERS = 0o077;

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

function check(file: string, descriptor: number): void {
  const { uid, mode } = fstatSync(descriptor);
  const me = process.getuid?.();
  // Windows has no such bits; there, the user's folder protects the file.
  if (me === undefined) return;
  if (uid !== me && uid !== 0)
    throw new SynapseError('denied', `${file} belongs to another user.`, { hint: 'Move it away, then pair or log in again.' });
  if ((mode & OTHERS) !== 0) {
    throw new SynapseError('denied', `${file} can be read or changed by other users.`, { hint: `Make it yours alone: chmod 600 ${file}` });
  }
}

/**
 * Reads JSON from a file that only its owner can access; returns undefined if it is missing.
 *
 * @param isOpen whether others may access it: then what is read must not be used, only hidden
 * @throws SynapseError `denied` if other users own, can read or can change the file; `unavailable` if it cannot be read. Never includes its content
 */
export function readSecret<Schema extends z.ZodType>(file: string, schema: Schema, isOpen = false): z.infer<Schema> | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new SynapseError('unavailable', `${file} cannot be read.`, { hint: 'See that it is a file of yours.', cause: error });
  }
  try {
    if (!isOpen) check(file, descriptor);
    return schema.parse(JSON.parse(readFileSync(descriptor, 'utf8')));
  } catch (error) {
    if (error instanceof SynapseError) throw error;
    // The cause would contain the file's content.
    throw new SynapseError('unavailable', `${file} is damaged.`, { hint: 'Move it away, then pair or log in again.' });
  } finally {
    closeSync(descriptor);
  }
}

/** Writes JSON to a file that only its owner can access. The write is atomic. */
export function writeSecret(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${randomUUID()}`;
  const descriptor = openSync(fresh, 'wx', 0o600);
  try {
    fchmodSync(descriptor, 0o600);
    writeFileSync(descriptor, `${JSON.stringify(value, undefined, 2)}\n`);
    fsyncSync(descriptor);
    renameSync(fresh, file);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  } finally {
    closeSync(descriptor);
  }
}
