import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commitAll, initRepository } from '../testing/git-repository.ts';
import { callUntyped } from '../testing/call-untyped.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';
import { CANONICAL_TOOLS } from './canonical-tools.ts';

const FILES = { 'a.txt': 'one\n', 'd/b.txt': 'two\n', 'e.ts': 'export const one = 1;\n', 'empty/.keep': '' };

/** A call of each tool that changes as much as it can; undefined for one that works elsewhere. */
const CALLS: Readonly<Record<string, object | undefined>> = {
  read_file: { path: 'a.txt' },
  write_file: { path: 'a.txt', content: 'new\n' },
  edit_file: { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] },
  apply_patch: { patch: '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n' },
  move_path: { from: 'a.txt', to: 'c.txt' },
  delete_file: { path: 'a.txt' },
  create_directory: { path: 'd/new' },
  delete_directory: { path: 'd', recursive: true },
  list_directory: {},
  file_info: { path: 'a.txt' },
  search_text: { pattern: 'one' },
  find_files: { glob: '*.txt' },
  code: { action: 'rename', path: 'e.ts', symbol: 'one', to: 'two' },
  git_status: {},
  git_diff: {},
  git_log: {},
  git_show: {},
  git_blame: { path: 'a.txt' },
  run_command: { command: 'rm a.txt' },
  job: undefined,
  run_program: { code: 'await hands.delete_file({ path: "a.txt" })' },
  diagnostics: { path: 'a.txt' },
  fetch_url: undefined,
};

/** What the files hold. */
function contents(folder: string): Record<string, string> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Object.fromEntries(files.filter((file) => !file.includes('/.git/')).map((file) => [file, readFileSync(file, 'utf8')]));
}

it('every tool is looked at', () => {
  expect(Object.keys(CALLS).toSorted()).toEqual(CANONICAL_TOOLS.map(({ name }) => name).toSorted());
});

it.each(Object.entries(CALLS))('%s says of itself what it does', async (name, input) => {
  await using place = await temporaryHands(FILES);
  initRepository(place.folder);
  commitAll(place.folder, 'first');
  const hints = place.hands.tools('mcp').find((tool) => tool.name === name)?.annotations;
  if (input === undefined) {
    expect(hints?.readOnlyHint).toBe(false);
    expect(hints?.openWorldHint).toBe(true);
    return;
  }
  const before = contents(place.folder);
  const result = await callUntyped(place.hands, name, input);
  expect(result, JSON.stringify(result)).toMatchObject({ ok: true });
  const after = contents(place.folder);
  const isDestroyed = Object.entries(before).some(([file, text]) => after[file] !== text);
  expect(hints?.readOnlyHint === true ? false : hints?.destructiveHint).toBe(isDestroyed);
});
