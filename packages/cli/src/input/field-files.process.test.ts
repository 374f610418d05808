import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { KeyValue } from './key-values.ts';
import { withFiles } from './field-files.ts';

function open() {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-field-'));
  const field = (file: string): KeyValue => ({ key: 'text', kind: 'text', value: '', file });
  return { at: (name: string) => join(folder, name), field, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}
const { signal } = new AbortController();

it('takes the text of files', async () => {
  using place = open();
  writeFileSync(place.at('a'), 'é\n');
  expect(await withFiles([place.field(place.at('a'))], signal)).toMatchObject([{ key: 'text', value: 'é\n' }]);
  writeFileSync(place.at('b'), Buffer.from([0xff]));
  for (const name of ['b', 'missing', '.'])
    await expect(withFiles([place.field(place.at(name))], signal)).rejects.toMatchObject({ code: 'invalid_arguments' });
});

it('takes the text of a pipe', async () => {
  using place = open();
  execFileSync('mkfifo', [place.at('pipe')]);
  const [read] = await Promise.all([
    withFiles([place.field(place.at('pipe'))], signal),
    promisify(execFile)('sh', ['-c', 'exec 3> "$1"; printf one >&3; printf two >&3', 'sh', place.at('pipe')]),
  ]);
  expect(read).toMatchObject([{ value: 'onetwo' }]);
});

it('is interrupted while it waits for the writer of a pipe', async () => {
  using place = open();
  execFileSync('mkfifo', [place.at('pipe')]);
  const stop = new AbortController();
  const read = withFiles([place.field(place.at('pipe'))], stop.signal);
  setImmediate(() => stop.abort());
  await expect(read).rejects.toMatchObject({ code: 'cancelled' });
});

/** The number of descriptors of this process for a file. */
function openedOf(file: string): number {
  const isOf = (fd: string): boolean => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === file;
    } catch {
      // The descriptor with which the folder was read.
      return false;
    }
  };
  return readdirSync('/proc/self/fd').filter(isOf).length;
}

it.skipIf(!existsSync('/proc/self/fd'))('closes what it could not read', async () => {
  using place = open();
  writeFileSync(place.at('large'), '');
  truncateSync(place.at('large'), 9 * 1024 * 1024);
  execFileSync('mkfifo', [place.at('pipe')]);
  const stop = new AbortController();
  const [waiting, later] = [withFiles([place.field(place.at('pipe'))], stop.signal), AbortSignal.abort()];
  expect(openedOf(place.at('pipe'))).toBe(1);
  setImmediate(() => stop.abort());
  await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  for (const name of ['.', 'large']) await expect(withFiles([place.field(place.at(name))], signal)).rejects.toThrow('cannot be read');
  for (const name of ['pipe', 'large']) await expect(withFiles([place.field(place.at(name))], later)).rejects.toMatchObject({ code: 'cancelled' });
  for (const name of ['', 'large', 'pipe']) await expect.poll(() => openedOf(place.at(name).replace(/\/$/u, ''))).toBe(0);
});
