import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const FILES = {
  'a.txt': 'foo(bar)\nAb\nvalue: 12\n',
  'table.md': 'a \\| b | c\n',
  'latin1.c': Buffer.from('/* caf\u00e9 */\n', 'latin1'),
};

describe('patterns of other dialects', () => {
  let place: TemporaryHands;
  beforeAll(async () => {
    place = await temporaryHands(FILES);
  });
  afterAll(() => place[Symbol.asyncDispose]());

  const search = async (pattern: string): Promise<string> => {
    const result = await place.hands.call('search_text', { pattern });
    return result.ok ? result.output : `${result.error.code}: ${result.error.message}`;
  };

  it.each([
    ['foo\\|Ab', 'foo|Ab', 2],
    ['nowhere\\|value: \\d', 'nowhere|value: \\d', 1],
    ['foo\\(bar\\)\\|zzz', 'foo\\(bar\\)|zzz', 1],
  ])('%s: the alternatives of grep are found', async (pattern, read, hits) => {
    const output = await search(pattern);
    expect(output).toContain(`${hits} match`);
    expect(output).toContain(`The pattern was read as ${read}.`);
  });

  it('what the pattern finds as it is written comes first', async () => {
    const output = await search('a \\\\\\| b');
    expect(output).toContain('table.md');
    expect(output).not.toContain('was read as');
  });

  it.each([
    ['nowhere\\|absent', 'have their meaning without a backslash'],
    ['\\|\\|*zzz', 'have their meaning without a backslash'],
    ['x\\{2\\}', 'have their meaning without a backslash'],
    // Brackets with a backslash are right, and no reason why nothing was found.
    ['absent\\(', undefined],
    ['absent\\?\\+', undefined],
    // The file has the word in another encoding.
    ['caf\u00e9', '1 file not in UTF-8 or UTF-16, where text beyond ASCII is not found: latin1.c.'],
  ])('%s: nothing is found, and why', async (pattern, says) => {
    const output = await search(pattern);
    expect(output).toContain('No matches');
    if (says === undefined) expect(output).toMatch(/were not searched\.\]$/u);
    else expect(output).toContain(says);
  });
});
