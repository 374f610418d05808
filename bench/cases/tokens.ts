import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHands, type Hands } from '@synapse/hands';
import { describeTool } from '@synapse/hands/tools';
import { countTokens } from 'gpt-tokenizer';
import type { Row } from '../result.ts';

const GROUP = 'Tokens of a model: request and answer (o200k)';
/** Maximum number of output characters of an agent with only a shell: the surveyed ones cut at 40,000 or earlier. */
const SHELL_CHARACTERS = 40_000;
/** Maximum share of the shell's tokens for the three tasks. */
const TASK_SHARE = 0.9;

/** A call, and the equivalent shell command. */
interface Step {
  readonly tool: string;
  readonly input: object;
  /** The exact command, or for an edit the patch sent by an agent with a shell. */
  readonly shell: string;
}

/** A kind of work. Without shell commands, nothing is compared. */
interface Column {
  readonly what: string;
  readonly steps: readonly Step[];
}

const source = (index: number): string =>
  Array.from({ length: 40 }, (_, line) =>
    line % 13 === 5 ? `export function handle${index}_${line}(request: Request): Response {` : `  const value${line} = parse(request, ${index});`,
  ).join('\n');

/** A program that fails like a test run: 3,000 lines, four failures. */
const TESTS = `for (let i = 0; i < 3000; i += 1) {
  if (i % 700 === 650) console.log('FAIL  src/file-' + i + '.test.ts > adds\\nAssertionError: expected ' + i + ' to be ' + (i + 1) + '\\n    at src/file-' + i + '.ts:12:7\\n');
  else console.log(' ✓ src/module-' + (i % 40) + '/file-' + i + '.test.ts (' + (i % 9 + 1) + ' tests) ' + (i % 50) + 'ms');
}
console.log('\\n Test Files  4 failed | 2996 passed (3000)');
process.exitCode = 1;
`;
const COMPILER = `for (let i = 0; i < 40; i += 1) console.log('src/file-' + i + '.ts(' + (i + 3) + ',9): error TS2322: Type \\'string\\' is not assignable to type \\'number\\'.');
process.exitCode = 2;
`;

function makeProject(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-tokens-')));
  mkdirSync(join(root, 'src'));
  for (let index = 0; index < 100; index += 1) writeFileSync(join(root, 'src', `file-${index}.ts`), `${source(index)}\n`);
  writeFileSync(join(root, 'long.ts'), `${Array.from({ length: 5_000 }, (_, line) => `export const constant${line} = ${line * 7};`).join('\n')}\n`);
  writeFileSync(join(root, 'tests.mjs'), TESTS);
  writeFileSync(join(root, 'compiler.mjs'), COMPILER);
  const git = (...words: string[]): unknown =>
    spawnSync('git', ['-c', 'user.name=Ada Lovelace', '-c', 'user.email=ada@example.com', ...words], { cwd: root });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  const body = 'What was wrong is told here in some words, with the reason for the change.\nIt goes on for a line or two, as such messages do.';
  for (let index = 0; index < 12; index += 1)
    git('commit', '-q', '--allow-empty', '-m', `fix(router): part ${index} of the path is kept`, '-m', body);
  writeFileSync(join(root, 'src', 'file-7.ts'), `${source(8)}\n`);
  return root;
}

const run = (command: string): Step => ({ tool: 'run_command', input: { command }, shell: command });
const FIND: Step = { tool: 'find_files', input: { glob: 'file-9*.ts' }, shell: "find . -name 'file-9*.ts'" };
const HITS: Step = { tool: 'search_text', input: { pattern: 'handle1\\d_5', context: 2 }, shell: "grep -rnE -C 2 'handle1[0-9]_5' src" };
const READ: Step = { tool: 'read_file', input: { path: 'long.ts', offset: 1, limit: 200 }, shell: "sed -n '1,200p' long.ts" };
const SMALL: Step = { tool: 'read_file', input: { path: 'src/file-7.ts' }, shell: 'cat src/file-7.ts' };
const EDIT: Step = {
  tool: 'edit_file',
  input: { path: 'src/file-9.ts', edits: [{ old_text: 'handle9_5(request: Request)', new_text: 'handle9_5(request: Request, strict = true)' }] },
  shell: `git apply -q --recount --unidiff-zero <<'EOF' && echo 'Success. Updated: M src/file-9.ts'
--- a/src/file-9.ts
+++ b/src/file-9.ts
@@ -6 +6 @@
-export function handle9_5(request: Request): Response {
+export function handle9_5(request: Request, strict = true): Response {
EOF`,
};
const MISS: Step = {
  tool: 'edit_file',
  input: { path: 'src/file-11.ts', edits: [{ old_text: 'handle11_5(req: Request)', new_text: 'handle11_5(input: Request)' }] },
  shell: "sed -i 's/handle11_5(req: Request)/handle11_5(input: Request)/' src/file-11.ts && cat src/file-11.ts",
};
const STATUS: Step = { tool: 'git_status', input: {}, shell: 'git status' };
const DIFF: Step = { tool: 'git_diff', input: {}, shell: 'git diff' };
const LOG: Step = { tool: 'git_log', input: { limit: 10 }, shell: 'git log -n 10' };

const COLUMNS: readonly Column[] = [
  { what: 'list 100', steps: [{ tool: 'list_directory', input: { path: 'src' }, shell: 'ls -l src' }] },
  { what: 'find', steps: [FIND] },
  { what: '10 hits with context', steps: [HITS] },
  { what: '100 hits', steps: [{ tool: 'search_text', input: { pattern: '_5\\(' }, shell: "grep -rnE '_5\\(' src" }] },
  { what: 'read 200 lines', steps: [READ] },
  { what: 'read 5,000 lines', steps: [{ tool: 'read_file', input: { path: 'long.ts' }, shell: 'cat long.ts' }] },
  { what: 'edit', steps: [EDIT] },
  { what: 'an edit that misses', steps: [MISS] },
  { what: 'status, diff, log of 10', steps: [STATUS, DIFF, LOG] },
  { what: 'a failing test run of 3,000 lines', steps: [run('node tests.mjs')] },
  { what: '40 errors of a compiler', steps: [run('node compiler.mjs')] },
];

const TASKS: readonly Column[] = [
  { what: 'task 1: find, look, edit', steps: [FIND, HITS, SMALL, STATUS] },
  {
    what: 'task 2: a bug behind a failing test',
    steps: [run('node tests.mjs'), HITS, SMALL, READ, run('node compiler.mjs'), run('node tests.mjs'), STATUS, DIFF],
  },
  { what: 'task 3: learn what happened', steps: [LOG, STATUS, DIFF, FIND, HITS, SMALL, run('node compiler.mjs')] },
];

async function ownTokens(hands: Hands, { tool, input }: Step): Promise<number> {
  const result = await hands.call(tool as 'read_file', input);
  const answer = result.ok ? result.output : `Error: ${result.error.message}\n${result.error.hint ?? ''}`;
  return countTokens(JSON.stringify({ name: tool, arguments: input })) + countTokens(answer);
}

function shellTokens(root: string, { shell }: Step): number {
  const { stdout, stderr, status } = spawnSync('bash', ['-c', shell], { cwd: root, encoding: 'utf8', maxBuffer: 1e9 });
  const shown = `Exit code: ${status}\nOutput:\n${stdout}${stderr}`.slice(0, SHELL_CHARACTERS);
  return countTokens(JSON.stringify({ name: 'shell', arguments: { command: shell } })) + countTokens(shown);
}

async function measure({ what, steps }: Column, target: string): Promise<Row> {
  const root = makeProject();
  const state = mkdtempSync(join(tmpdir(), 'synapse-tokens-state-'));
  try {
    await using hands = await createHands({ workspace: root, stateFolder: state, allow: ['write', 'exec'] });
    let [own, peer] = [0, 0];
    for (const step of steps) {
      own += await ownTokens(hands, step);
      peer += shellTokens(root, step);
    }
    const share = own / peer;
    return {
      group: GROUP,
      what,
      ours: own.toLocaleString('en'),
      peer: `${peer.toLocaleString('en')} (a shell alone)`,
      compared: `${share.toFixed(2)}x`,
      target,
      met: share <= TASK_SHARE,
    };
  } finally {
    for (const folder of [root, state]) rmSync(folder, { recursive: true, force: true });
  }
}

/** Counts the tokens of single calls and of three scripted tasks, compared with an agent that has only a shell. */
export async function tokenCases(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'synapse-tokens-'));
  await using hands = await createHands({ workspace: folder, stateFolder: join(folder, '..', `${folder}-state`) });
  const list = countTokens(JSON.stringify(hands.tools().map(describeTool)));
  const rows: Row[] = [
    { group: GROUP, what: 'tools/list', ours: list.toLocaleString('en'), peer: '', compared: '', target: '≤ 4,300', met: list <= 4_300 },
  ];
  for (const column of COLUMNS) rows.push(await measure(column, ''));
  for (const task of TASKS) rows.push(await measure(task, `≤ ${TASK_SHARE}x`));
  return rows;
}
