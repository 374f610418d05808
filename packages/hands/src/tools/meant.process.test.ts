import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callUntyped } from '../testing/call-untyped.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const FILES = {
  'src/hono.ts': 'export class Hono {\n  get(path: string) {\n    return path;\n  }\n}\n',
  'src/view.tsx': 'export class View {}\n',
  'src/utils/url.ts': 'export const a = 1;\nexport const b = 2;\n',
  'py/app.py': 'class App:\n    pass\n',
  'docs/guide.md': 'class of guides\n',
  'md/readme.md': 'class\n',
  'f.json': '{\n  "a": 1\n}\n',
  '.babelrc': 'class hidden\n',
  'my.babelrc': 'class\n',
  'odd, name.txt': 'class odd\n',
};

describe('globs as models write them', () => {
  let place: TemporaryHands;
  beforeAll(async () => {
    place = await temporaryHands(FILES);
  });
  afterAll(() => place[Symbol.asyncDispose]());

  const TS = ['src/hono.ts', 'src/view.tsx'];
  const GLOBS: ReadonlyArray<readonly [glob: string | readonly string[], files: readonly string[], more: object]> = [
    ['*.ts,*.tsx', [...TS, 'src/utils/url.ts'], {}],
    ['*.ts, *.tsx', [...TS, 'src/utils/url.ts'], {}],
    ['*.ts *.tsx', [...TS, 'src/utils/url.ts'], {}],
    ['*.ts;*.tsx', [...TS, 'src/utils/url.ts'], {}],
    ['*.ts|*.tsx', [...TS, 'src/utils/url.ts'], {}],
    ['"*.ts","*.tsx"', [...TS, 'src/utils/url.ts'], {}],
    ['["*.ts", "*.tsx"]', [...TS, 'src/utils/url.ts'], {}],
    [['*.ts,*.tsx', '*.py'], [...TS, 'src/utils/url.ts', 'py/app.py'], {}],
    ['*.{ts, tsx}', [...TS, 'src/utils/url.ts'], {}],
    ['*.{ ts , tsx }', [...TS, 'src/utils/url.ts'], {}],
    ['*.{ts|tsx}', [...TS, 'src/utils/url.ts'], {}],
    ['{*.ts, *.tsx}', [...TS, 'src/utils/url.ts'], {}],
    ['**/*.@(ts|tsx)', [...TS, 'src/utils/url.ts'], {}],
    ['*.(ts|tsx)', [...TS, 'src/utils/url.ts'], {}],
    ['ts', ['src/hono.ts', 'src/utils/url.ts'], {}],
    ['.ts', ['src/hono.ts', 'src/utils/url.ts'], {}],
    ['ts,tsx', [...TS, 'src/utils/url.ts'], {}],
    ['.ts .tsx', [...TS, 'src/utils/url.ts'], {}],
    ['*.ts,!url.*', ['src/hono.ts'], {}],
    ['"*.ts"', ['src/hono.ts', 'src/utils/url.ts'], {}],
    ["'*.py'", ['py/app.py'], {}],
    ['src', [...TS, 'src/utils/url.ts'], {}],
    ['src/*.ts,py/*.py', ['src/hono.ts', 'py/app.py'], {}],
    ['src\\**\\*.ts', ['src/hono.ts', 'src/utils/url.ts'], {}],
    ['src\\utils\\*.ts', ['src/utils/url.ts'], {}],
    ['/repo/src/*.ts', ['src/hono.ts'], {}],
    ['/home/user/project/src/**/*.ts', ['src/hono.ts', 'src/utils/url.ts'], {}],
    ['$PWD/src/*.ts', ['src/hono.ts'], {}],
    ['~/repo/src/*.ts', ['src/hono.ts'], {}],
    ['--include=*.py', ['py/app.py'], {}],
    ['-g *.py', ['py/app.py'], {}],
    ['.*\\.ts$', ['src/hono.ts', 'src/utils/url.ts'], {}],
    ['.*\\.(ts|tsx)$', [...TS, 'src/utils/url.ts'], {}],
    ['src/*.ts', ['src/hono.ts'], { path: 'src' }],
    ['utils/*.ts, *.tsx', ['src/view.tsx', 'src/utils/url.ts'], { path: 'src' }],
    // A name that is there is never read otherwise.
    ['odd, name.txt', ['odd, name.txt'], {}],
    ['.babelrc', ['.babelrc'], { hidden: true }],
  ];

  it.each(GLOBS)('%j finds files', async (glob, files, more) => {
    const result = await callUntyped(place.hands, 'find_files', { glob, ...more });
    const found = result.ok ? (result.data as { files: Array<{ path: string }> }).files.map(({ path }) => path) : result.error;
    expect(found).toEqual(expect.arrayContaining([...files]));
    expect(found).toHaveLength(files.length);
  });

  it.each(GLOBS)('%j searches files', async (glob, files, more) => {
    const result = await callUntyped(place.hands, 'search_text', { pattern: 'class|const', glob, ...more });
    const found = result.ok ? (result.data as { files: string[] }).files : result.error;
    expect(found).toEqual([...files].toSorted());
  });

  it.each([
    ['*.ts,*.tsx', 'read as *.ts, *.tsx'],
    ['ts', 'read as *.ts'],
    ['/repo/src/*.ts', 'read as src/*.ts'],
  ])('%s: the answer says how it was read', async (glob, says) => {
    expect(await place.hands.call('search_text', { pattern: 'class', glob })).toMatchObject({ output: expect.stringContaining(says) as string });
  });

  it.each(['*.vue', 'vue', '*.vue,*.svelte', '.vue', 'nothing/**', '*.TS'])('%s matches no file, which is said', async (glob) => {
    expect(await place.hands.call('search_text', { pattern: 'class', glob })).toMatchObject({
      ok: true,
      output: expect.stringContaining('No files match the glob') as string,
    });
  });

  it.each(['*.ts', '*.ts,*.tsx', '.babelrc', '!*.md'])('%s matches files without a match', async (glob) => {
    expect(await place.hands.call('search_text', { pattern: 'nowhere', glob })).toMatchObject({
      ok: true,
      output: expect.stringMatching(/No matches; hidden/u) as string,
    });
  });

  it('a hidden file is not replaced by another one', async () => {
    const result = await place.hands.call('search_text', { pattern: 'class', glob: '.babelrc' });
    expect(result).toMatchObject({ ok: true, data: { files: [] } });
  });

  it('what is an ending or a folder is not decided', async () => {
    expect(await place.hands.call('find_files', { glob: 'md' })).toMatchObject({ ok: true, data: { files: [] } });
  });
});

describe('fields that change nothing', () => {
  it.each<[string, object, string, string]>([
    ['read_file', { path: 'f.json', explanation: 'look' }, '"a": 1', 'explanation'],
    ['read_file', { path: 'f.json', should_read_entire_file: true }, '"a": 1', 'should_read_entire_file'],
    ['read_file', { path: 'f.json', shouldReadEntireFile: 'true', toolSummary: 'x' }, '"a": 1', 'shouldReadEntireFile, toolSummary'],
    ['read_file', { path: 'f.json', start_line_one_indexed: 2, end_line_one_indexed_inclusive: 2 }, 'lines 2-2', ''],
    ['edit_file', { path: 'f.json', instructions: 'x', old_text: '1', new_text: '2' }, 'line 2 changed', 'instructions'],
    [
      'edit_file',
      { path: 'f.json', explanation: 'x', edits: [{ old_text: '1', new_text: '3', description: 'y' }] },
      'line 2 changed',
      'explanation, description',
    ],
    ['search_text', { pattern: 'class', output_mode: 'content' }, 'src/hono.ts', 'output_mode'],
    ['search_text', { pattern: 'class', show_line_numbers: true, summary: 'x' }, 'src/hono.ts', 'show_line_numbers, summary'],
    ['find_files', { glob: '*.py', recursive: true }, 'py/app.py', 'recursive'],
    ['list_directory', { path: 'src', explanation: 'x' }, 'hono.ts', 'explanation'],
    ['write_file', { path: 'n.txt', content: 'x', mode: '0644' }, 'n.txt', 'mode'],
    ['write_file', { path: 'n.txt', content: 'x', mode: 'overwrite', create_directories: true }, 'n.txt', 'create_directories'],
    ['run_command', { command: 'echo yes', description: 'say yes', safe_to_auto_run: true }, 'yes', 'safe_to_auto_run'],
    ['job', { action: 'list', purpose: 'see' }, '0 jobs', 'purpose'],
  ])('%s %j is done, and they are named', async (tool, input, says, ignored) => {
    await using place = await temporaryHands(FILES);
    const result = await callUntyped(place.hands, tool, input);
    const text = result.ok ? result.output : JSON.stringify(result.error);
    expect(text).toContain(says);
    if (ignored === '') expect(text).not.toContain('Ignored');
    else expect(text).toMatch(new RegExp(`Ignored, with no effect here: [^\\]]*${ignored}`, 'u'));
  });

  it.each<[string, object, string]>([
    ['write_file', { path: 'n.txt', content: 'x', mode: '0755' }, 'use run_command with chmod'],
    ['write_file', { path: 'n.txt', content: 'x', mode: 'append' }, 'edit_file adds to one'],
    ['write_file', { path: 'n.txt', content: 'x', append: true }, 'edit_file adds to a file'],
    ['write_file', { path: 'n.txt', content: 'x', overwrite: false }, 'write_file replaces what is there'],
    ['search_text', { pattern: 'x', recursive: false }, './*.ts'],
    ['search_text', { pattern: 'x', output_mode: 'tree' }, 'give files_only or counts'],
    ['edit_file', { path: 'f.json', edits: [{ old_text: '1', new_text: '2', start_line: 3 }] }, 'start_line'],
    ['run_command', { command: 'true', env: { A: '1' } }, 'NAME=value'],
    ['move_path', { from: 'f.json', to: 'g.json', overwrite: true }, 'overwrite'],
  ])('%s %j may change something, and is refused', async (tool, input, says) => {
    await using place = await temporaryHands(FILES);
    const result = await callUntyped(place.hands, tool, input);
    expect(result).toMatchObject({ ok: false, error: { code: 'invalid_arguments', message: expect.stringContaining(says) as string } });
  });

  it.each([{ output_mode: 'count' }, { counts: true }, { count_only: true }, { '-c': true }])('%j counts the matches of each file', async (how) => {
    await using place = await temporaryHands(FILES);
    const result = await callUntyped(place.hands, 'search_text', { pattern: 'export|return', ...how });
    expect(result).toMatchObject({ ok: true, data: { matches: [] } });
    expect(result.ok && result.output).toMatch(/5 matches in 3 files\.\]\nsrc\/hono.ts:2\nsrc\/utils\/url.ts:2\nsrc\/view.tsx:1\n?$/u);
  });
});

describe('tools that other systems have', () => {
  it.each([
    ['find_symbol', 'code'],
    ['go_to_definition', 'code'],
    ['lsp_definition', 'code'],
    ['get_symbols_overview', 'code'],
    ['list_code_definition_names', 'code'],
    ['find_referencing_symbols', 'code'],
    ['lsp_references', 'code'],
    ['find_references', 'code'],
    ['list_code_usages', 'code'],
    ['rename_symbol', 'code'],
    ['replace_symbol_body', 'edit_file'],
    ['insert_after_symbol', 'edit_file'],
    ['copy_file', 'cp -r'],
    ['cp', 'cp -r'],
    ['image_view', 'read_file'],
    ['multi_tool_use.parallel', 'several of them in one turn'],
    ['batch', 'several of them in one turn'],
    ['git_fetch', 'run_command'],
    ['create_pull_request', 'run_command'],
    ['write_memory', 'write_file'],
    ['activate_project', 'begin with the task'],
    ['browser_click', 'fetch_url'],
    ['NotebookEdit', 'edit_file'],
    ['ToolSearch', 'call one by its name'],
    ['wait', 'action "wait"'],
    ['exit_plan_mode', 'Keep the plan'],
  ])('%s is answered with what to use instead', async (name, says) => {
    await using place = await temporaryHands();
    const result = await place.hands.call(name, {});
    expect(result).toMatchObject({ error: { code: 'unknown_tool' } });
    expect(result.ok ? '' : result.error.hint?.split('The tools are')[0]).toContain(says);
  });
});
