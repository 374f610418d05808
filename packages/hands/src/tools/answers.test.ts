import { describe, expect, it } from 'vitest';
import { temporaryHands } from '../testing/temporary-hands.ts';

const FILES = {
  'src/hono.ts': 'export interface Env {\n  a: 1;\n}\nexport class Hono {}\n',
  'src/Deep/router.ts': 'x\n',
  'f.json': '{\n  "a": 1\n}\n',
};

/** Typical mistakes, and the words of the answer that a model can act on. */
const ANSWERS: ReadonlyArray<readonly [name: string, tool: string, input: object, ok: boolean, says: string]> = [
  ['a pattern that is no expression', 'search_text', { pattern: 'interface Env {' }, true, 'searched as plain text'],
  ['a pattern that is none, and found nowhere', 'search_text', { pattern: 'interface{' }, false, 'not a valid regular expression'],
  [
    'the same edit twice',
    'edit_file',
    { path: 'src/hono.ts', old_string: 'class Hono { a }', new_string: 'export class Hono {}' },
    false,
    'new_text is already there (line 4)',
  ],
  ['old text of a letter', 'edit_file', { path: 'f.json', old_string: 'x', new_string: 'y' }, false, 'Nothing in f.json is like it'],
  [
    'an empty first line',
    'edit_file',
    { path: 'f.json', old_string: '\n{\n  "a": 1', new_string: '\n{\n  "a": 2' },
    true,
    'taken without the empty lines around it (line 1)',
  ],
  ['a folder to be written', 'write_file', { path: 'src', content: 'x' }, false, 'Name a file in it, such as src/name.txt'],
  ['a glob without wildcard', 'find_files', { glob: 'hono' }, true, 'No file has exactly this name; try *hono*'],
  ['a name without its folder', 'read_file', { path: 'hono.ts' }, false, 'Did you mean src/hono.ts?'],
  ['another case', 'read_file', { path: 'src/deep/router.ts' }, false, 'Did you mean src/Deep/router.ts?'],
  ['another case of a file', 'read_file', { path: 'src/Hono.ts' }, false, 'Did you mean src/hono.ts?'],
  ['backslashes', 'read_file', { path: 'src\\hono.ts' }, false, 'Did you mean src/hono.ts?'],
  ['a line number', 'read_file', { path: 'src/hono.ts:10' }, false, 'Did you mean src/hono.ts?'],
  ['a folder too many', 'read_file', { path: 'project/src/hono.ts' }, false, 'Did you mean src/hono.ts?'],
  ['a typing mistake', 'read_file', { path: 'src/hnoo.ts' }, false, 'Did you mean src/hono.ts?'],
  ['an edit of a name without its folder', 'edit_file', { path: 'hono.ts', old_string: 'a', new_string: 'b' }, false, 'Did you mean src/hono.ts?'],
  ['elided text', 'edit_file', { path: 'f.json', old_string: '{', new_string: '{\n// ... existing code ...' }, false, 'Give all of the text'],
  [
    'an addition without context',
    'apply_patch',
    { patch: '--- a/f.json\n+++ b/f.json\n@@ -1,0 +2 @@\n+x\n' },
    false,
    'Put the line before them into the hunk',
  ],
];

describe('typical mistakes of models', () => {
  it.each(ANSWERS)('%s', async (_, tool, input, ok, says) => {
    await using place = await temporaryHands(FILES);
    const result = await place.hands.call(tool, input);
    expect(result.ok).toBe(ok);
    const text = result.ok ? result.output : `${result.error.message} ${result.error.hint ?? ''}`;
    expect(text).toContain(says);
  });

  it('names nothing that may not be read', async () => {
    await using place = await temporaryHands({ 'keys/hono.ts': '' }, { policy: { deny: ['read_file(keys/)'] } });
    const result = await place.hands.call('read_file', { path: 'hono.ts' });
    expect(JSON.stringify(result)).not.toContain('keys');
    expect(JSON.stringify(await place.hands.call('read_file', { path: 'keys/Hono.ts' }))).not.toContain('Did you mean');
  });
});
