import { mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { isCopy, PLACE_SCHEMA } from './ledger-place.ts';

function database(): DatabaseSync {
  const made = new DatabaseSync(':memory:');
  onTestFinished(() => made.close());
  made.exec(`${PLACE_SCHEMA} CREATE TABLE calls (id TEXT) STRICT;`);
  return made;
}

/** A file whose times of birth and change are the same, as those of a file that was restored just now. */
function freshFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-place-'));
  for (let index = 0; index < 5_000; index += 1) {
    const file = join(folder, String(index));
    writeFileSync(file, '');
    const { birthtimeNs, ctimeNs } = statSync(file, { bigint: true });
    if (birthtimeNs === ctimeNs) return file;
  }
  return expect.fail('No file has equal times.');
}

it('learns when a file was made also where this process is stopped for longer than a tick', () => {
  const kept = database();
  const file = freshFile();
  let clock = 0;
  isCopy(kept, file, () => (clock += 1_000));
  const { ino, birthtimeNs } = statSync(file, { bigint: true });
  expect(kept.prepare('SELECT at FROM place').get()?.['at']).toBe(`${ino} ${birthtimeNs}`);
});

it('takes a ledger with calls that does not say where it is for a copy, once', () => {
  const kept = database();
  const file = freshFile();
  expect(isCopy(kept, file)).toBe(false);
  kept.exec("DELETE FROM place; INSERT INTO calls VALUES ('a')");
  expect([isCopy(kept, file), isCopy(kept, file)]).toEqual([true, false]);
});
