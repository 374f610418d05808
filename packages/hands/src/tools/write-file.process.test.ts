import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const OLD = 'function a() {\n  return 1;\n}\n';
const FILES = {
  'a.js': OLD,
  'kept.js': '// ... rest of the file unchanged ...\n',
  'crlf.txt': 'a\r\nb\r\n',
  'latin1.c': Buffer.from('/* caf\u00e9 */\n', 'latin1'),
};

describe('write_file over a file', () => {
  let place: TemporaryHands;
  beforeEach(async () => {
    place = await temporaryHands(FILES);
  });
  afterEach(() => place[Symbol.asyncDispose]());

  const write = async (path: string, content: string) => await place.hands.call('write_file', { path, content });

  it.each(['function a() {\n  // ... existing code ...\n}\n', '// ... rest of the file unchanged ...\n', '# ... (remaining code stays the same)\n'])(
    'refuses %j, which leaves text out',
    async (content) => {
      const result = await write('a.js', content);
      expect(result).toMatchObject({ ok: false, error: { code: 'invalid_arguments', hint: expect.stringContaining('edit_file') as string } });
      expect(readFileSync(place.at('a.js'), 'utf8')).toBe(OLD);
    },
  );

  it.each([
    ['new.js', '// ... existing code ...\n'],
    ['kept.js', '// ... rest of the file unchanged ...\nconst a = 1;\n'],
    ['a.js', 'f(...args);\n// ...and so on\n'],
  ])('%s gets %j, which is meant', async (path, content) => {
    expect(await write(path, content)).toMatchObject({ ok: true });
    expect(readFileSync(place.at(path), 'utf8')).toBe(content);
  });

  it.each([
    ['crlf.txt', 'a\nc\n', 'It had lines that end with CRLF; now it has LF.'],
    ['latin1.c', '/* caf\u00e9s */\n', 'It was in windows-1252; now it is in UTF-8.'],
  ])('%s: the answer says what else changed', async (path, content, says) => {
    expect(await write(path, content)).toMatchObject({ ok: true, output: expect.stringContaining(says) as string });
  });
});
