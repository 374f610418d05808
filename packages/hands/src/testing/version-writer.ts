// Writes versions of files in a thread of its own, and tells which of them are there.
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { VERSIONED, type VersionStart } from './versioned-files.ts';

const { folder, outside, written } = Object(workerData) as VersionStart;
const [versions, pause] = [new Int32Array(written), new Int32Array(new SharedArrayBuffer(4))];

for (let turn = 0; ; turn += 1) {
  const number = turn % VERSIONED;
  const version = Atomics.load(versions, number) + 1;
  if (number % 2 === 0) {
    // By another file that takes its name, so that there always is exactly one version.
    writeFileSync(join(outside, `version${number}`), `\nversion${number}of ${version}\n`);
    renameSync(join(outside, `version${number}`), join(folder, `version${number}.ts`));
  } else appendFileSync(join(folder, `version${number}.ts`), `version${number}of ${version}\n`);
  Atomics.store(versions, number, version);
  if (turn === VERSIONED) parentPort?.postMessage('started', []);
  // Sometimes long enough for the index to read the file.
  Atomics.wait(pause, 0, 0, turn % 50 < 25 ? 1 : 20);
}
