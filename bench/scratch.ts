import { closeSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder with files of known sizes. */
export interface Scratch extends Disposable {
  readonly folder: string;
  /** State folder of Synapse for the run. */
  readonly state: string;
}

const row = `${'the quick brown fox jumps over the lazy dog '.repeat(2)}\n`;

/** Creates the folder. `large.txt` has 3 GB of text. */
export function makeScratch(): Scratch {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-bench-')));
  const [folder, state] = [join(base, 'workspace'), join(base, 'state')];
  mkdirSync(join(folder, 'd100'), { recursive: true });
  mkdirSync(state);
  writeFileSync(join(folder, 'f4k.txt'), row.repeat(46).slice(0, 4096));
  for (let index = 0; index < 100; index += 1) writeFileSync(join(folder, 'd100', `file-${index}.txt`), row);
  const block = Buffer.from(row.repeat(100_000));
  const fd = openSync(join(folder, 'large.txt'), 'w');
  for (let written = 0; written < 3 * 1024 ** 3; written += block.length) writeSync(fd, block);
  closeSync(fd);
  return { folder, state, [Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }) };
}
