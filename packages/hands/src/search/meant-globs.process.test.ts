import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callUntyped } from '../testing/call-untyped.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

/** Names with characters of globs, as routers and templates have them. */
const FILES = {
  'app/[id]/page.tsx': 'export\n',
  'app/[id]/i.ts': 'export\n',
  'app/[...slug]/page.tsx': 'export\n',
  'app/[[...all]]/page.tsx': 'export\n',
  'app/(auth)/login.tsx': 'export\n',
  'pages/[slug].tsx': 'export\n',
  'routes/users.$id.tsx': 'export\n',
  'tpl/{{name}}/setup.py': 'export\n',
  'tpl/{a,b}.txt': 'export\n',
  'my dir/[key].tsx': 'export\n',
  'odd/what?.md': 'export\n',
  'cls/d.tsx': 'export\n',
  '.prettierrc': 'export\n',
  'sub/.config.js': 'export\n',
};

describe('a glob that is the name of a file', () => {
  let place: TemporaryHands;
  beforeAll(async () => {
    place = await temporaryHands(FILES);
  });
  afterAll(() => place[Symbol.asyncDispose]());

  const GLOBS: ReadonlyArray<readonly [glob: string, files: readonly string[]]> = [
    ['app/[id]/page.tsx', ['app/[id]/page.tsx']],
    ['app/[id]/*.tsx', ['app/[id]/page.tsx']],
    ['app/[id]/**', ['app/[id]/i.ts', 'app/[id]/page.tsx']],
    ['app/[id]/*.{ts,tsx}', ['app/[id]/i.ts', 'app/[id]/page.tsx']],
    ['app/[id]', ['app/[id]/i.ts', 'app/[id]/page.tsx']],
    ['app/[...slug]/page.tsx', ['app/[...slug]/page.tsx']],
    ['app/[[...all]]/page.tsx', ['app/[[...all]]/page.tsx']],
    ['app/(auth)/login.tsx', ['app/(auth)/login.tsx']],
    ['app/(auth)/*.tsx', ['app/(auth)/login.tsx']],
    ['my dir/[key].tsx', ['my dir/[key].tsx']],
    ['[slug].tsx', ['pages/[slug].tsx']],
    ['**/[slug].tsx', ['pages/[slug].tsx']],
    ['routes/users.$id.tsx', ['routes/users.$id.tsx']],
    ['tpl/{{name}}/setup.py', ['tpl/{{name}}/setup.py']],
    ['tpl/{{name}}/*.py', ['tpl/{{name}}/setup.py']],
    ['{a,b}.txt', ['tpl/{a,b}.txt']],
    ['odd/what?.md', ['odd/what?.md']],
    // A glob that matches as one stays one.
    ['cls/[id].tsx', ['cls/d.tsx']],
    ['[d-i].{ts,tsx}', ['app/[id]/i.ts', 'cls/d.tsx']],
  ];

  it.each(GLOBS)('%s finds it', async (glob, files) => {
    const result = await callUntyped(place.hands, 'find_files', { glob });
    expect(result.ok ? (result.data as { files: Array<{ path: string }> }).files.map(({ path }) => path).toSorted() : result.error).toEqual(files);
  });

  it.each(GLOBS)('%s searches it', async (glob, files) => {
    const result = await callUntyped(place.hands, 'search_text', { pattern: 'export', glob });
    expect(result.ok ? (result.data as { files: string[] }).files : result.error).toEqual(files);
  });

  it.each(['.prettierrc', '**/.config.js', '.prettier*'])('%s: the answer says how hidden files are found', async (glob) => {
    const says = { ok: true, output: expect.stringContaining('"hidden": true') as string };
    expect(await place.hands.call('find_files', { glob })).toMatchObject(says);
    expect(await place.hands.call('search_text', { pattern: 'export', glob })).toMatchObject(says);
  });
});
