import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { WatchedPlace } from '../sandbox/watched-places.ts';
import { isRunning, processIdentity } from '../workspace/process-identity.ts';

const Note = z.object({
  owner: z.string(),
  places: z.array(z.object({ path: z.string(), kind: z.string(), stamp: z.string() })),
});
const NAME = /^unfinished-[0-9a-f]+\.json$/u;

/** How a place was before a command that nobody has looked at since. */
export type PlaceBefore = Omit<WatchedPlace, 'kind'> & { readonly kind: string };

/**
 * Notes how the watched places were before a command, until it has been looked at: should this process be killed
 * meanwhile, the next one looks.
 *
 * @param owner who runs the command; for tests
 */
export function noteBefore(folder: string, places: readonly WatchedPlace[], owner = processIdentity()): Disposable {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `unfinished-${randomBytes(5).toString('hex')}.json`);
  writeFileSync(file, JSON.stringify({ owner, places }), { mode: 0o600, flag: 'wx' });
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

function read(file: string): z.infer<typeof Note> | undefined {
  try {
    return Note.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Cut off itself, so its command had not begun; or gone.
    return undefined;
  }
}

/** Whether there are notes at all, of processes that are gone or that run. */
export function hasNotes(folder: string): boolean {
  try {
    return readdirSync(folder).some((name) => NAME.test(name));
  } catch {
    // No command ever ran here.
    return false;
  }
}

/** Takes the notes of processes that are gone. Each is given once. */
export function takeUnfinished(folder: string): Array<readonly PlaceBefore[]> {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => NAME.test(name));
  } catch {
    // No command ever ran here.
    return [];
  }
  return names.flatMap((name) => {
    const file = join(folder, name);
    const note = read(file);
    if (note !== undefined && isRunning(note.owner) === true) return [];
    rmSync(file, { force: true });
    return note === undefined ? [] : [note.places];
  });
}
