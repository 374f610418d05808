import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';
import { bundledRipgrep } from './search.ts';

const run = promisify(execFile);

/** How long each kind of search races, in milliseconds. */
const RACE_MS = 3_000;
const FILES = 300;
const SECRET = 'SECRET';

/** Swaps the folder `sub` for a link that leads outside, and back, without a pause. */
const SWAPPER = `
  const { renameSync } = require('node:fs');
  process.stdout.write('ready');
  for (;;) {
    renameSync('sub', 'folder'); renameSync('link', 'sub');
    renameSync('sub', 'link'); renameSync('folder', 'sub');
  }`;

describe('a folder that is swapped for a link while it is searched', () => {
  let place: TemporaryHands;
  let swapper: ChildProcess;

  beforeAll(async () => {
    place = await temporaryHands();
    await mkdir(place.at('sub'));
    for (let index = 0; index < FILES; index += 1) {
      await writeFile(place.at(`sub/f${index}.txt`), `inside NEEDLE ${index}\n`);
      await writeFile(join(place.outside, `f${index}.txt`), `${SECRET} NEEDLE ${index}\n`);
      await writeFile(join(place.outside, `${SECRET}-${index}.txt`), 'NEEDLE\n');
    }
    await symlink(place.outside, place.at('link'));
    swapper = spawn(process.execPath, ['-e', SWAPPER], { cwd: place.folder, stdio: ['ignore', 'pipe', 'ignore'] });
    if (swapper.stdout !== null) await once(swapper.stdout, 'data');
  });

  afterAll(async () => {
    const ended = once(swapper, 'exit');
    swapper.kill('SIGKILL');
    await ended;
    await place[Symbol.asyncDispose]();
  });

  it('leads the bare program outside: the race is one', async () => {
    const program = await bundledRipgrep();
    const until = performance.now() + 3 * RACE_MS;
    let leaks = 0;
    while (leaks === 0 && performance.now() < until) {
      const { stdout } = await run(program ?? 'rg', ['--no-config', '--no-messages', '-e', 'NEEDLE', '--', './'], { cwd: place.folder }).catch(
        (error: { stdout?: string }) => ({ stdout: error.stdout ?? '' }),
      );
      leaks += stdout.split(SECRET).length - 1;
    }
    expect(leaks).toBeGreaterThan(0);
  });

  it.each<[string, object]>([
    ['search_text', { pattern: 'NEEDLE', limit: 2_000, context: 2 }],
    ['search_text', { pattern: 'NEEDLE', limit: 2_000, files_only: true }],
    ['search_text', { pattern: 'NEEDLE', glob: 'sub/*.txt', limit: 2_000 }],
    ['find_files', { glob: '*.txt', limit: 1_000 }],
  ])('does not lead %s %j outside', async (tool, input) => {
    const until = performance.now() + RACE_MS;
    let [found, leaks] = [0, 0];
    // On a slow machine the folder is rarely found in place.
    while (performance.now() < until || (found === 0 && performance.now() < until + 10 * RACE_MS)) {
      const result = await place.hands.call(tool, input);
      if (result.ok) found += (result.data as { readonly files: readonly unknown[] }).files.length;
      leaks += JSON.stringify(result).split(SECRET).length - 1;
    }
    expect(leaks).toBe(0);
    // It did find what is inside: an answer that is always empty would prove nothing.
    expect(found).toBeGreaterThan(0);
  });
});
