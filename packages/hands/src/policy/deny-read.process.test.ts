import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { initRepository } from '../testing/git-repository.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const SENTINEL = 'never-to-be-shown';
// What a repository's history holds, every command that can read the repository can read: only files are hidden from those.
const FILES = {
  'a.txt': 'A\n',
  'secrets/key.txt': `${SENTINEL}\n`,
  'secrets/deep/key.ts': `export const key: number = '${SENTINEL}';\ndeclare module '${SENTINEL}' {}\n`,
  'secrets/picture.png': `\x89PNG\r\n\x1a\n${SENTINEL}`,
};

/** One of each way that leads to the content of a file. */
const CALLS: ReadonlyArray<readonly [tool: string, input: Record<string, unknown>]> = [
  ['read_file', { path: 'secrets/key.txt' }],
  ['read_file', { path: './a/../SECRETS/key.txt' }],
  ['read_file', { path: 'secrets/picture.png' }],
  ['search_text', { pattern: 'never' }],
  ['search_text', { pattern: 'never', path: 'secrets' }],
  ['edit_file', { path: 'secrets/key.txt', edits: [{ old_text: 'never-to-be', new_text: 'x' }] }],
  ['move_path', { from: 'secrets/key.txt', to: 'plain.txt' }],
  ['git_diff', {}],
  ['git_show', { revision: 'HEAD:secrets/key.txt' }],
  ['git_blame', { path: 'secrets/key.txt' }],
  ['diagnostics', { path: 'secrets/deep/key.ts' }],
  ['code', { action: 'outline', path: 'secrets/deep/key.ts' }],
  ['code', { action: 'outline' }],
  ['read_file', { path: 'secrets/deep/key.ts', symbol: 'key' }],
  ...[
    'cat secrets/key.txt',
    'cat s*/key.txt',
    'cd secrets && cat key.txt',
    'grep -r never .',
    'tar c . | cat',
    'cp -r secrets plain; cat plain/key.txt',
    'ln -s secrets plain; cat plain/key.txt',
    `sh -c 'x=secrets; cat $x/key.txt'`,
    `node -e 'process.stdout.write(require("fs").readFileSync("secrets/key.txt"))'`,
    'git show :secrets/key.txt',
    'git diff --no-index a.txt secrets/key.txt',
  ].map((command) => ['run_command', { command }] as const),
];

describe('deny read(secrets/**)', () => {
  let place: TemporaryHands;
  let open: TemporaryHands;
  beforeAll(async () => {
    place = await temporaryHands(FILES, { sandbox: 'required', policy: { deny: ['read(secrets/**)'] } });
    open = await temporaryHands(FILES, { sandbox: 'required' });
    for (const { folder } of [place, open]) initRepository(folder, {});
  });
  afterAll(async () => {
    await place[Symbol.asyncDispose]();
    await open[Symbol.asyncDispose]();
  });

  it.each(CALLS)('stops %s %j', async (tool, input) => {
    const result = await place.hands.call(tool, input);
    expect(JSON.stringify(result)).not.toContain(SENTINEL);
    expect(JSON.stringify(await place.hands.call('run_command', { command: 'cat plain* plain/* 2>&1; true' }))).not.toContain(SENTINEL);
  });

  it('shows no names in a folder that may not be listed, from around it either', async () => {
    const named = async ({ hands }: TemporaryHands): Promise<string[]> => {
      const results = [await hands.call('find_files', { glob: ['**'] }), await hands.call('list_directory', { path: '.', depth: 5 })];
      return results.map((result) => (result.ok ? result.output : result.error.message));
    };
    for (const text of await named(place)) expect(text).toMatch(/^(?!.*key\.ts).*a\.txt/su);
    for (const text of await named(open)) expect(text).toContain('key.ts');
    expect(await place.hands.call('list_directory', { path: 'secrets/deep' })).toMatchObject({ ok: false });
  });

  it('stops nothing where no rule says so', async () => {
    const shown = async ([tool, input]: (typeof CALLS)[number]): Promise<boolean> =>
      JSON.stringify(await open.hands.call(tool, input)).includes(SENTINEL);
    const calls = CALLS.filter(([tool]) => ['read_file', 'search_text', 'run_command'].includes(tool)).filter((_, index) => index !== 1 && index < 8);
    expect(await Promise.all(calls.map(shown))).toEqual(calls.map(() => true));
  });
});
