import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
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
