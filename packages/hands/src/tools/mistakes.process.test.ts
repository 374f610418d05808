import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { USUAL_SHELL } from '../process/command-shell.ts';
import { callUntyped } from '../testing/call-untyped.ts';
import { commitAll, initRepository } from '../testing/git-repository.ts';
import { temporaryHands, type TemporaryHands } from '../testing/temporary-hands.ts';

const FILES = {
  'src/hono.ts': 'export interface Env {\n  a: 1;\n}\nexport class Hono {\n  get(path: string) {\n    return path;\n  }\n}\n',
  'src/utils/url.ts': 'export const a = 1;\nexport const b = 2;\n',
  'src/Deep/router.ts': 'x\n',
  'f.json': '{\n  "a": 1\n}\n',
  'twice.txt': 'same\nsame\n',
  'docs/guide.md': 'guide\n',
  'bin.dat': new Uint8Array([0, 1, 2, 3, 0, 255]),
};

/** A call as a model makes it by mistake; words of the one answer it can act on. */
type Mistake = readonly [tool: string, input: unknown, says: string];
const HONO = 'Did you mean src/hono.ts?';
const HERE = 'so this is src/hono.ts';

/** What is meant is clear and harmless: it is done, and nothing has to be repeated. */
const DONE: readonly Mistake[] = [
  ['read_file', { file_path: 'f.json' }, '"a": 1'],
  ['read_file', { filePath: 'f.json' }, '"a": 1'],
  ['read_file', { target_file: 'f.json' }, '"a": 1'],
  ['read_file', { filename: 'f.json' }, '"a": 1'],
  ['read_file', { absolute_path: 'f.json' }, '"a": 1'],
  ['read_file', { Path: 'f.json' }, '"a": 1'],
  ['read_file', { ' path': 'f.json' }, '"a": 1'],
  ['read_file', { path: ['f.json'] }, '"a": 1'],
  ['read_file', { path: 'f.json', limit: null }, '"a": 1'],
  ['read_file', { path: 'f.json', offset: '2' }, 'lines 2-3 of 3'],
  ['read_file', { path: 'f.json', start_line: 2, end_line: 2 }, 'lines 2-2 of 3'],
  ['read_file', { path: 'f.json', startLine: 2, endLine: -1 }, 'lines 2-3 of 3'],
  ['read_file', { path: 'f.json', view_range: [1, 2] }, 'lines 1-2 of 3'],
  ['read_file', { path: 'f.json', range: [2, 2] }, 'lines 2-2 of 3'],
  ['read_file', { path: 'f.json', lines: '1-2' }, 'lines 1-2 of 3'],
  ['read_file', { path: 'f.json', lines: 2 }, 'lines 1-2 of 3'],
  ['read_file', { path: 'f.json', encoding: 'utf-8' }, '"a": 1'],
  ['read_file', { path: 'f.json', description: 'look at it' }, '"a": 1'],
  ['read_file', { paths: ['src/hono.ts', 'f.json'] }, '[f.json: lines 1-3 of 3'],
  ['read_file', { files: ['f.json'] }, '"a": 1'],
  ['read_file', '{"path":"f.json"}', '"a": 1'],
  ['read_file', { arguments: { path: 'f.json' } }, '"a": 1'],
  ['read_file', { input: '{"path":"f.json"}' }, '"a": 1'],
  ['write_file', { path: 'n.txt', contents: 'x' }, 'n.txt'],
  ['write_file', { path: 'n.txt', file_text: 'x' }, 'n.txt'],
  ['write_file', { path: 'n.txt', content: 'x', encoding: 'UTF-8' }, 'n.txt'],
  ['write_file', { path: 'n.txt', content: 'x', overwrite: true }, 'n.txt'],
  ['edit_file', { path: 'src/utils/url.ts', old_string: 'b = 2', new_string: 'b = 3' }, 'line 2 changed'],
  ['edit_file', { path: 'src/utils/url.ts', old_str: 'b = 3', new_str: 'b = 4' }, 'line 2 changed'],
  ['edit_file', { path: 'src/utils/url.ts', oldText: 'b = 4', newText: 'b = 5' }, 'line 2 changed'],
  ['edit_file', { path: 'src/utils/url.ts', search: 'b = 5', replace: 'b = 6' }, 'line 2 changed'],
  ['edit_file', { path: 'src/utils/url.ts', edits: { old_text: 'b = 6', new_text: 'b = 7' } }, 'line 2 changed'],
  ['edit_file', { path: 'docs/guide.md', edits: [{ old_text: 'guide', new_text: 'Guide', replace_all: 'true' }] }, 'line 1 changed'],
  ['edit_file', { path: 'src/utils/url.ts', edits: '[{"oldText":"b = 7","newText":"b = 8"}]' }, 'line 2 changed'],
  ['apply_patch', { input: '*** Begin Patch\n*** Update File: f.json\n@@\n-  "a": 1\n+  "a": 2\n*** End Patch' }, 'M f.json'],
  ['apply_patch', { patch: '```diff\n--- a/f.json\n+++ b/f.json\n@@ -1,3 +1,3 @@\n {\n-  "a": 2\n+  "a": 1\n }\n```' }, 'M f.json'],
  ['search_text', { query: 'class Hono' }, 'src/hono.ts'],
  ['search_text', { search: 'class Hono', directory: 'src' }, 'src/hono.ts'],
  ['search_text', { pattern: 'class', file_pattern: '*.ts' }, 'src/hono.ts'],
  ['search_text', { pattern: 'CLASS', ignore_case: true }, 'src/hono.ts'],
  ['search_text', { pattern: 'CLASS', case_sensitive: false }, 'src/hono.ts'],
  ['search_text', { pattern: 'CLASS', case_sensitive: 'false' }, 'src/hono.ts'],
  ['search_text', { pattern: 'CLASS', '-i': true, '-n': true }, 'src/hono.ts'],
  ['search_text', { pattern: 'class', '-C': 1, head_limit: 5 }, '3- }\n4: export class'],
  ['search_text', { pattern: 'class', output_mode: 'files_with_matches' }, '1 file.]\nsrc/hono.ts'],
  ['search_text', { pattern: 'get(path: string) {', is_regex: false }, '5:   get(path'],
  ['search_text', { pattern: 'interface Env {' }, 'searched as plain text'],
  ['search_text', { pattern: 'export \\| class' }, 'read as export | class'],
  ['find_files', { pattern: '*.md' }, 'docs/guide.md'],
  ['find_files', { name: 'guide.md' }, 'docs/guide.md'],
  ['find_files', { glob: '/docs/*.md' }, 'docs/guide.md'],
  ['search_text', { pattern: 'class', glob: '.ts' }, 'src/hono.ts'],
  ['find_files', { glob: '.*\\.ts$' }, 'src/hono.ts'],
  ['find_files', { glob: 'src/*.ts', path: 'src' }, 'src/hono.ts'],
  ['find_files', { glob: '.md' }, 'docs/guide.md'],
  ['find_files', { glob: 'src' }, 'src/Deep/router.ts'],
  ['list_directory', { directory: 'docs' }, 'guide.md'],
  ['list_directory', { path: 'src', recursive: true }, 'Deep/router.ts'],
  ['list_directory', { path: 'src', show_hidden: true }, 'hono.ts'],
  ['run_command', { cmd: 'echo yes' }, '[exit code 0'],
  ['run_command', { script: 'echo yes', working_directory: 'src' }, '[exit code 0'],
  ['run_command', { command: 'echo yes', timeout_ms: '5000', description: 'say yes' }, 'yes'],
  ['git_log', { max_count: 3 }, 'first'],
  ['git_log', { branch: 'main', oneline: true }, 'first'],
  ['git_show', { commit: 'HEAD' }, 'first'],
  ['git_diff', { cached: true }, 'no changes'],
  ['git_blame', { file_path: 'f.json', start_line: 1, end_line: 1 }, 'Ada'],
  ['git_status', { repo_path: '.' }, 'On branch main'],
  ['move_path', { source: 'docs/guide.md', destination: 'docs/g.md' }, 'moved to docs/g.md'],
  ['move_path', { old_path: 'docs/g.md', new_path: 'docs/guide.md' }, 'moved to docs/guide.md'],
  ['create_directory', { dir: 'made' }, 'made created'],
  ['diagnostics', { file_path: 'docs/guide.md' }, 'not checked'],
];

/** The path is not there, and what it means is certain: that is read, and the answer says so. */
const READ: readonly Mistake[] = [
  ['read_file', { path: '/workspace/src/hono.ts' }, HERE],
  ['read_file', { path: '/home/user/project/src/hono.ts' }, HERE],
  ['read_file', { path: 'C:\\proj\\src\\hono.ts' }, HERE],
  ['read_file', { path: '~/src/hono.ts' }, HERE],
  ['read_file', { path: 'file:///home/u/p/src/hono.ts' }, HERE],
  ['read_file', { path: '"src/hono.ts"' }, HERE],
  ['read_file', { path: '`src/hono.ts`' }, HERE],
  ['read_file', { path: '@src/hono.ts' }, HERE],
  ['read_file', { path: 'a/src/hono.ts' }, HERE],
  ['read_file', { path: 'src/hono.ts ' }, HERE],
  ['read_file', { path: 'src/hono' }, HERE],
  ['read_file', { path: 'src/hono.js' }, HERE],
  ['read_file', { path: 'src/Hono.ts' }, HERE],
  ['read_file', { path: 'src\\hono.ts' }, HERE],
  ['read_file', { path: 'src/hono.ts:10' }, HERE],
  ['read_file', { path: 'src/hono.ts:3-5' }, HERE],
  ['read_file', { path: 'src/hono.ts#L3' }, HERE],
  ['read_file', { path: 'src/hono.ts(3,1)' }, HERE],
  ['read_file', { path: 'src%2Fhono.ts' }, HERE],
  ['read_file', { path: 'hono.ts' }, HERE],
  ['read_file', { path: 'src/hnoo.ts' }, HERE],
  ['read_file', { path: 'src/deep/router.ts' }, 'so this is src/Deep/router.ts'],
  ['search_text', { pattern: 'class', path: '/workspace/src' }, 'so this is src.'],
  ['search_text', { pattern: 'class', path: 'src/**/*.ts' }, 'the folder src and the glob **/*.ts'],
  ['search_text', { pattern: 'class', path: '*.ts' }, 'the folder . and the glob *.ts'],
  ['list_directory', { path: 'sorce' }, 'so this is src.'],
  ['list_directory', { path: '/' }, 'so this is ..'],
  ['list_directory', { path: '/workspace' }, 'so this is ..'],
  ['git_log', { path: 'hono.ts' }, HERE],
  ['git_blame', { path: 'hono.ts' }, HERE],
  ['file_info', { path: 'hono.ts' }, HERE],
  ['diagnostics', { path: 'hono.ts' }, HERE],
  ['read_file', { path: '/repo/src/hono.ts' }, HERE],
  ['read_file', { path: '/src/hono.ts' }, HERE],
  ['read_file', { path: '/f.json' }, 'so this is f.json'],
  ['read_file', { path: '/repo/f.json' }, 'so this is f.json'],
  ['read_file', { path: '$PWD/src/hono.ts' }, HERE],
  ['read_file', { path: '${PWD}/src/hono.ts' }, HERE],
  ['read_file', { path: '$PWD/f.json' }, 'so this is f.json'],
  ['read_file', { path: '$REPO_ROOT/src/hono.ts' }, HERE],
  ['read_file', { path: 'url.ts' }, 'so this is src/utils/url.ts'],
  ['read_file', { path: 'src/hono.ts:1:10' }, HERE],
  ['read_file', { path: 'src/hono.ts:4:' }, HERE],
  ['read_file', { path: 'src/hono.ts:L2-L4' }, HERE],
  ['read_file', { path: 'src/hono.ts#L2-L4' }, HERE],
  ['read_file', { path: 'src/hono.ts, lines 2-4' }, HERE],
  ['read_file', { path: 'b/src/hono.ts' }, HERE],
  ['read_file', { path: 'a/f.json' }, 'so this is f.json'],
  ['read_file', { path: 'file://src/hono.ts' }, HERE],
  ['read_file', { path: '.\\src\\hono.ts' }, HERE],
  ['read_file', { path: 'lib/url.ts' }, 'so this is src/utils/url.ts'],
  ['search_text', { pattern: 'class', path: '/repo/src/hono.ts' }, HERE],
  ['search_text', { pattern: 'class', path: 'hono.ts' }, HERE],
  ['find_files', { glob: '*.ts', path: '/repo/src' }, 'so this is src.'],
  ['list_directory', { path: '$PWD/src' }, 'so this is src.'],
  ['git_diff', { paths: ['a/src/hono.ts'] }, HERE],
];

/** What is meant is not clear, or cannot be done: one line says what to do. */
const TOLD: readonly Mistake[] = [
  ['write_file', { path: '/repo/src/hono.ts', content: 'x' }, HONO],
  ['edit_file', { path: '/repo/src/hono.ts', old_text: 'a', new_text: 'b' }, HONO],
  ['delete_file', { path: '$PWD/src/hono.ts' }, HONO],
  ['run_command', { command: 'ls', cwd: '/repo/src' }, 'Did you mean src?'],
  // These may be files of the machine or of a package, or one of several.
  ['read_file', { path: '/etc/f.json' }, 'Did you mean f.json?'],
  ['read_file', { path: '/tmp/f.json' }, 'Did you mean f.json?'],
  ['read_file', { path: '/home/user/other/f.json' }, 'Did you mean f.json?'],
  ['read_file', { path: '~/.config/f.json' }, 'Did you mean f.json?'],
  ['read_file', { path: '/repo/node_modules/x/src/hono.ts' }, HONO],
  ['read_file', { path: 'docs/guide2.md' }, 'Did you mean docs/guide.md?'],
  ['read_file', { path: 'src/*.ts' }, 'find_files takes globs such as src/*.ts'],
  ['read_file', { path: 'src' }, 'Use list_directory for a folder'],
  ['read_file', { path: 'src', symbol: 'one' }, 'code with action "find" and symbol "one" finds it'],
  ['read_file', { symbol: 'one' }, 'code with action "find" and symbol "one" finds it'],
  ['read_file', { path: '' }, 'Give a path relative to the workspace'],
  ['read_file', { path: 'bin.dat' }, 'binary'],
  ['read_file', { path: 'f.json', offset: 0 }, 'The first line is 1'],
  ['read_file', { path: 'f.json', limit: -1 }, 'limit: expected number to be >=1'],
  ['read_file', { path: 'f.json', offset: 1.5 }, 'offset: expected int'],
  ['read_file', {}, 'path is missing'],
  ['read_file', '{"path":"f.json",}', 'Send a JSON object: read_file { path?: string'],
  ['read_file', 'f.json', 'Send a JSON object: read_file { path?: string'],
  ['read_file', { path: '../hono.ts' }, 'give one without ".."'],
  ['read_file', { path: '/etc/passwd' }, 'give one relative to it'],
  ['write_file', { path: 'n.json', content: { a: 1 } }, 'content: must be text; JSON is sent as a string'],
  ['write_file', { path: 'n.txt', content: 'x', append: true }, 'edit_file adds to a file'],
  ['write_file', { path: 'n.txt', content: 'x', overwrite: false }, 'write_file replaces what is there'],
  ['write_file', { path: '~/notes.txt', content: 'x' }, 'outside the workspace'],
  ['write_file', { path: 'src\\n.ts', content: 'x' }, 'Write src/n.ts'],
  ['write_file', { path: 'C:\\proj\\src\\n.ts', content: 'x' }, 'Give a path relative to the workspace, with /'],
  ['write_file', { path: 'n.bin', content: 'AAEC', encoding: 'base64' }, 'as UTF-8; for bytes use run_command with base64 -d'],
  ['write_file', { path: 'src', content: 'x' }, 'Name a file in it, such as src/name.txt'],
  ['write_file', { path: 'new/', content: 'x' }, 'names a folder; name a file in it'],
  ['write_file', { path: '/workspace/src/n.ts', content: 'x' }, 'Did you mean src/n.ts?'],
  ['edit_file', { path: 'hono.ts', old_text: 'a', new_text: 'b' }, HONO],
  ['edit_file', { path: '/app/src/hono.ts', old_text: 'a', new_text: 'b' }, HONO],
  ['edit_file', { path: 'f.json', old_text: '', new_text: 'x' }, 'To insert text'],
  ['edit_file', { path: 'f.json', old_text: '{', new_text: '{' }, 'are the same'],
  ['edit_file', { path: 'twice.txt', old_text: 'same', new_text: 'x' }, 'pass "replace_all": true'],
  ['edit_file', { path: 'f.json', old_text: 'x', new_text: 'y' }, 'Nothing in f.json is like it'],
  ['edit_file', { path: 'f.json', old_text: '"a": 1' }, 'new_text is missing'],
  ['edit_file', { path: 'f.json', edits: [] }, 'nothing to do'],
  ['edit_file', { path: 'f.json', insert_line: 1, new_text: 'x' }, 'give the line before it as old_text'],
  ['edit_file', { path: 'f.json', diff: '@@' }, 'apply_patch takes a diff'],
  ['edit_file', { path: 'f.json', old_text: '{', new_text: '[', dry_run: true }, 'unknown field dry_run: there is none'],
  ['edit_file', { path: 'f.json', old_text: '{', new_text: '{\n// ... existing code ...' }, 'Give all of the text'],
  ['edit_file', { path: 'f.json', old_text: '&quot;b&quot;', new_text: 'b' }, 'It has HTML entities'],
  ['edit_file', { path: 'src/hono.ts', old_text: 'a: 1;\\n}\\nexport', new_text: 'x' }, 'send real line ends'],
  ['edit_file', { path: 'src/hono.ts', old_text: '```ts\nclass A {}\n```', new_text: 'x' }, 'has a ``` fence around it'],
  ['edit_file', { path: 'src/hono.ts', old_text: '-  old(1);\n+  new(2);', new_text: 'x' }, 'It has the marks of a diff'],
  ['edit_file', { path: 'src/hono.ts', old_text: 'class Hono { a }', new_text: 'export class Hono {' }, 'new_text is already there (line 4)'],
  ['apply_patch', { patch: 'hello' }, 'A patch has one of two forms'],
  ['apply_patch', { patch: '--- a/hno.ts\n+++ b/hno.ts\n@@ -1 +1 @@\n-a\n+b\n' }, 'Use find_files to locate it'],
  ['apply_patch', { patch: '*** Begin Patch\n*** Update File: f.json\n-{\n+[\n' }, 'Send the whole patch'],
  ['apply_patch', { patch: '*** Begin Patch\n*** Add File: f.json\n+x\n*** End Patch\n' }, 'use *** Update File:'],
  ['apply_patch', { patch: '--- a/f.json\n+++ b/f.json\n@@ -1,0 +2 @@\n+x\n' }, 'Put the line before them into the hunk'],
  ['search_text', { pattern: 'foo(' }, 'pass "literal": true'],
  ['search_text', { pattern: 'class(?=H)' }, 'look-ahead and look-behind, is not supported'],
  ['search_text', { pattern: 'a\nb' }, 'Search for text within one line'],
  ['search_text', { pattern: 'class', path: 'source/src' }, 'Did you mean src?'],
  ['search_text', { pattern: 'class', exclude: 'x' }, 'give a glob that begins with !'],
  ['search_text', { pattern: 'class', type: 'ts' }, 'give a glob such as *.ts'],
  ['search_text', { pattern: 'class', limit: 5000 }, 'limit: expected number to be <=2000'],
  ['search_text', { pattern: '/class/' }, 'Leave out the slashes'],
  ['search_text', { pattern: 'classed($X)' }, 'use code with action "match"'],
  ['search_text', { pattern: 'f($X)', structure: true }, 'code with action "match" finds code by its structure'],
  ['search_text', { pattern: '"class Hono"' }, 'Leave out the quotes'],
  ['search_text', { pattern: 'CLASS' }, '"case": "insensitive" ignores them'],
  ['find_files', { glob: '^hono.*' }, 'a glob looks like *.ts'],
  ['find_files', { glob: 'hono' }, 'No file has exactly this name; try *hono*'],
  ['find_files', { glob: '**/hono' }, 'No file has exactly this name; try **/*hono*'],
  ['find_files', { glob: 'src/*.js', path: 'src' }, 'The glob is relative to src; try *.js'],
  ['find_files', { glob: '.mdx' }, 'try *.mdx'],
  ['find_files', { glob: '*.{ts' }, 'Use globs such as'],
  ['list_directory', { path: 'f.json' }, 'use read_file for a file'],
  ['list_directory', { path: 'src/*' }, 'find_files takes globs such as src/*'],
  ['run_command', { command: ['ls', '-la'] }, 'command: must be one text, such as "ls -la src"'],
  ['run_command', { command: '' }, 'must not be empty'],
  ['run_command', { command: 'true', timeout: 5 }, 'give timeout_ms, in milliseconds'],
  ['run_command', { command: 'true', env: { A: '1' } }, 'NAME=value command'],
  ['run_command', { command: 'true', cwd: 'sorce' }, 'Did you mean src?'],
  ['run_command', { command: '$ ls' }, 'without the prompt $'],
  ['run_command', { command: '```bash\nls\n```' }, 'without ``` around it'],
  ['run_command', { command: 'read_file f.json' }, 'that is a tool and no program: call it as one'],
  ['run_command', { command: 'apply_patch <<EOF\nEOF' }, 'that is a tool and no program'],
  [
    'run_command',
    { command: "apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF\ncat f.json" },
    'the patch was not applied: call the tool apply_patch',
  ],
  [
    'run_command',
    { command: "apply_patch <<'EOF' && cat f.json\n*** Begin Patch\n*** End Patch\nEOF" },
    'the patch was not applied: call the tool apply_patch',
  ],
  ['run_command', { command: 'cd src' }, 'does not last: use cwd'],
  ['run_command', { command: 'export A=1' }, 'does not last: use cwd'],
  ['run_command', { command: 'apt-get install jq' }, 'a person installs programs of the machine'],
  ['git_log', { path: 'nope.ts' }, 'Path not found: nope.ts'],
  ['git_diff', { path: 'nope' }, 'Path not found: nope'],
  ['git_diff', { paths: ['nope'] }, 'Path not found: nope'],
  ['git_status', { path: 'nope' }, 'Path not found: nope'],
  ['git_log', { author: 'Ada' }, 'use run_command: git log --author'],
  ['git_log', { revision: 'nobranch' }, 'Use git_log to see commits'],
  ['move_path', { from: 'hono.ts', to: 'b.ts' }, HONO],
  ['move_path', { from: 'f.json', to: 'src' }, 'To move it into this folder, name src/f.json'],
  ['move_path', { from: 'f.json', to: 'twice.txt' }, 'Choose another name'],
  ['delete_file', { path: 'src' }, 'Use delete_directory'],
  ['delete_file', { path: 'F.json' }, 'Did you mean f.json?'],
  ['delete_file', { paths: ['a'] }, 'call it once for each'],
  ['delete_directory', { path: 'src' }, 'Pass "recursive": true'],
  ['delete_directory', { path: 'f.json' }, 'Use delete_file'],
  ['create_directory', { path: 'f.json' }, 'Choose another name'],
  ['fetch_url', { url: 'example.com' }, 'must begin with http:// or https://'],
  ['job', { action: 'read' }, 'id is missing for action "output"'],
  ['job', { action: 'kill', job_id: 'job-9' }, 'Job not found: job-9'],
  ['job', { action: 'input', job_id: 'job-9', input: 'y\n' }, 'Job not found: job-9'],
  ['WebSearch', {}, 'fetch_url'],
  ['TodoWrite', {}, 'Keep the plan in the text of your answer'],
  ['Task', {}, 'Do it yourself'],
  ['think', {}, 'Think in the text of your answer'],
  ['undo', {}, 'Change it back with edit_file'],
];

/** Tools as others call them, and the one that is named. */
const NAMES: ReadonlyArray<readonly [name: string, tool: string]> = [
  ['Bash', 'run_command'],
  ['shell_command', 'run_command'],
  ['run_terminal_cmd', 'run_command'],
  ['python', 'run_command'],
  ['git_commit', 'run_command'],
  ['Read', 'read_file'],
  ['readFile', 'read_file'],
  ['read-file', 'read_file'],
  ['functions.read_file', 'read_file'],
  ['mcp__synapse__read_file', 'read_file'],
  ['get_file_contents', 'read_file'],
  ['view_image', 'read_file'],
  ['create_file', 'write_file'],
  ['str_replace_based_edit_tool', 'edit_file'],
  ['MultiEdit', 'edit_file'],
  ['replace_in_file', 'edit_file'],
  ['append_file', 'edit_file'],
  ['apply_diff', 'apply_patch'],
  ['Grep', 'search_text'],
  ['codebase_search', 'search_text'],
  ['Glob', 'find_files'],
  ['LS', 'list_directory'],
  ['directory_tree', 'list_directory'],
  ['mv', 'move_path'],
  ['rename', 'move_path, code'],
  ['rm', 'delete_file'],
  ['rmdir', 'delete_directory'],
  ['mkdir', 'create_directory'],
  ['stat', 'file_info'],
  ['WebFetch', 'fetch_url'],
  ['BashOutput', 'job'],
  ['KillShell', 'job'],
  ['get_errors', 'diagnostics'],
  ['get_symbols_overview', 'code'],
  ['find_symbol', 'code'],
  ['find_referencing_symbols', 'code'],
  ['lsp_definition', 'code'],
  ['rename_symbol', 'code'],
];

describe('typical mistakes of models', () => {
  let place: TemporaryHands;
  beforeAll(async () => {
    place = await temporaryHands(FILES);
    initRepository(place.folder);
    commitAll(place.folder, 'first');
  });
  afterAll(() => place[Symbol.asyncDispose]());

  const answer = async (tool: string, input: unknown): Promise<{ ok: boolean; text: string }> => {
    const result = await callUntyped(place.hands, tool, input);
    return { ok: result.ok, text: result.ok ? result.output : `${result.error.message}\n${result.error.hint ?? ''}` };
  };

  it('are many', () => {
    expect(DONE.length + READ.length + TOLD.length + NAMES.length).toBeGreaterThan(200);
  });

  it.each([...DONE, ...READ])('%s %j is done', async (tool, input, says) => {
    const { ok, text } = await answer(tool, input);
    expect(ok, text).toBe(true);
    expect(text).toContain(says);
  });

  it.each(TOLD)('%s %j is explained', async (tool, input, says) => {
    const { text } = await answer(tool, input);
    const line = text.split('\n').find((one) => one.includes(says));
    expect(line, text).toBeDefined();
    // These must not reveal any name of this machine.
    expect(text).not.toContain(place.folder);
  });

  it.each(NAMES)('a tool %s is answered with %s', async (name, tool) => {
    expect((await answer(name, {})).text).toContain(`Did you mean ${tool}?`);
  });

  it.skipIf(USUAL_SHELL === 'sh')('what bash alone can do is done', async () => {
    const command = 'set -o pipefail; [[ -f f.json ]] && echo {1..3} && cat <(echo in) &> both.txt; cat both.txt';
    expect(await answer('run_command', { command })).toMatchObject({ ok: true, text: expect.stringMatching(/\]\n1 2 3\nin\n$/u) as string });
  });

  it('of several files none is chosen', async () => {
    await using several = await temporaryHands({ 'package.json': '{}', 'packages/a/package.json': '{}', 'a/x.ts': '', 'b/x.ts': '' });
    for (const path of ['packages/b/package.json', 'x.ts', 'c/x.ts']) {
      expect(await several.hands.call('read_file', { path })).toMatchObject({
        error: { code: 'not_found', hint: expect.stringContaining('Did you mean') as string },
      });
    }
  });

  it('what a rule asks about is not guessed', async () => {
    const asked: string[] = [];
    await using judged = await temporaryHands(
      { 'src/hono.ts': 'x\n' },
      {
        policy: { ask: ['read(src/)'] },
        approver: {
          name: 'test',
          ask: async ({ effects }) => {
            asked.push(...effects);
            return { verdict: 'deny' };
          },
        },
      },
    );
    expect(await judged.hands.call('read_file', { path: '/repo/src/hono.ts' })).toMatchObject({ ok: false, error: { code: 'outside_workspace' } });
    expect(asked).toEqual([]);
  });

  it('names nothing that may not be read', async () => {
    await using closed = await temporaryHands({ 'keys/hono.ts': '' }, { policy: { deny: ['read(keys/)'] } });
    for (const path of ['hono.ts', '/home/user/keys/hono.ts', 'keys/Hono.ts']) {
      expect(JSON.stringify(await closed.hands.call('read_file', { path }))).not.toContain('Did you mean');
    }
  });
});
