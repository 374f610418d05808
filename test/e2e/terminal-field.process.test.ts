import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makePlace } from './run-cli.ts';
import { talk } from './talk.ts';

it.each(['/dev/stdin', '/dev/tty'])('a field takes what is typed at the terminal, to the end of input: %s', async (file) => {
  const place = await makePlace({});
  // Typed in two parts, so that a read finds nothing there in between.
  const { code, screen } = await talk(
    place,
    ['write_file', 'path=typed.txt', `content=@${file}`, '--yes'],
    [
      ['', 'one\r'],
      ['one', 'two\r\u0004'],
    ],
  );
  expect([code, screen]).toEqual([0, expect.stringContaining('typed.txt')]);
  expect(await readFile(join(place.folder, 'typed.txt'), 'utf8')).toBe('one\ntwo\n');
});

it('a field that waits for the terminal is interrupted', async () => {
  const place = await makePlace({});
  const { code } = await talk(
    place,
    ['write_file', 'path=typed.txt', 'content=@/dev/tty', '--yes'],
    [
      ['', 'one\r'],
      ['one', '\u0003'],
    ],
  );
  expect(code).toBe(130);
  expect(existsSync(join(place.folder, 'typed.txt'))).toBe(false);
});
