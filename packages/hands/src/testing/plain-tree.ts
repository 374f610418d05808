import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes files that the index of searches searches alone. For tests. */
export function writePlainTree(folder: string): void {
  mkdirSync(join(folder, 'many'));
  for (let file = 0; file < 300; file += 1) writeFileSync(join(folder, 'many', `f${file}.ts`), `line ${file}\nother words\n`);
}
