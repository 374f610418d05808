import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createHands, type Hands } from '@synapse/hands';
import { countTokens } from 'gpt-tokenizer';
import type { Row } from '../result.ts';

const GROUP = 'Twelve made tasks, well chained: tokens of requests and answers (o200k), and turns';
/** What an agent with only a shell shows at most of an output, in characters. */
const SHELL_CHARACTERS = 40_000;
const RECORDED = new URL('../../packages/hands/src/output/runners/recorded/', import.meta.url);

type Call = readonly [tool: string, input: object];

/** A task: the calls of each turn, and the same work with a shell alone, a command for each turn. */
interface Task {
  readonly what: string;
  readonly ours: ReadonlyArray<readonly Call[]>;
  readonly shell: readonly string[];
}

const recorded = (name: string): string => readFileSync(new URL(name, RECORDED), 'utf8');
const numbered = (count: number, line: (index: number) => string): string =>
  `${Array.from({ length: count }, (_, index) => line(index)).join('\n')}\n`;

/** A program that prints a text of a file, and fails if a word is left in another. */
const REPLAY = `import { readFileSync } from 'node:fs';
const [, , bad, good, file, word] = process.argv;
const fails = readFileSync(file, 'utf8').includes(word);
process.stdout.write(readFileSync(fails ? bad : good, 'utf8'));
process.exitCode = fails ? 1 : 0;
`;
const TEST = 'node replay.mjs out/vitest.txt out/vitest-ok.txt src/sum.ts WRONG';
const BUILD = 'node replay.mjs out/build.txt out/none.txt src/parse.ts WRONG';
const run = (command: string, more: object = {}): Call => ['run_command', { command, ...more }];

function files(): Record<string, string> {
  const use = (index: number): string =>
    `import { handleIt } from './handle';\n${numbered(30, (line) => `  const value${line} = parse(request, ${index});`)}export const done${index} = handleIt(${index});\n`;
  const problems = (index: number): string =>
    `src/gen/file-${index}.ts(${index + 3},9): error TS2322: Type 'string' is not assignable to type 'number'.\n`;
  return {
    'replay.mjs': REPLAY,
    'out/vitest.txt': recorded('vitest.txt'),
    'out/vitest-ok.txt': recorded('vitest-ok.txt'),
    'out/build.txt': `${numbered(2_000, (index) => `[${index + 1}/2000] compiling src/gen/file-${index}.ts`)}${Array.from({ length: 130 }, (_, index) => problems(index)).join('')}`,
    'out/none.txt': 'done\n',
    'src/sum.ts': 'export function sum(a: number, b: number): number {\n  return a - b; // WRONG\n}\n',
    'src/parse.ts': `${numbered(60, (line) => `export const rule${line} = /${line}/u;`)}export const kind: number = 'WRONG';\n`,
    'src/handle.ts': 'export function handleIt(value: number): number {\n  return value;\n}\n',
    'src/options.ts': numbered(40, (line) => `  option${line}: boolean;`),
    'src/cli.ts': numbered(80, (line) => `  .option('--o${line}', 'does ${line}')`),
    'src/help.ts': numbered(40, (line) => `  '--o${line}: does ${line}',`),
    'src/long.ts': numbered(4_883, (line) => (line === 3_000 ? 'export function wanted(): number {' : `  const constant${line} = ${line * 7};`)),
    'data.json': `{\n${numbered(5_000, (line) => `  "key${line}": { "name": "n${line}", "on": ${line % 2 === 0} },`)}  "last": {}\n}\n`,
    'serve.mjs': "console.log('ready');\nsetInterval(() => {}, 1_000);\n",
    'package.json': '{ "name": "made", "version": "1.0.0" }\n',
    ...Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`src/use/use-${index}.ts`, use(index)])),
    ...Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `lib/d${index % 20}/f${index}.js`,
        index === 222 ? "require('regeneratorRuntime');\n" : 'module.exports = 1;\n',
      ]),
    ),
  };
}

const patch = (path: string, before: string, after: string): string => `*** Update File: ${path}\n@@\n-${before}\n+${after}\n`;
const sed = (path: string, before: string, after: string): string => `sed -i ${JSON.stringify(`s|${before}|${after}|`)} ${path}`;
const OPTION = [
  ['src/options.ts', '  option39: boolean;', '  option39: boolean; strict: boolean;'],
  ['src/cli.ts', "  .option('--o79', 'does 79')", "  .option('--o79', 'does 79').option('--strict', 'is strict')"],
  ['src/help.ts', "  '--o39: does 39',", "  '--o39: does 39', '--strict: is strict',"],
] as const;

const TASKS: readonly Task[] = [
  {
    what: '1 a failing test',
    ours: [
      [run(TEST)],
      [['read_file', { path: 'src/sum.ts' }]],
      [['edit_file', { path: 'src/sum.ts', edits: [{ old_text: 'a - b; // WRONG', new_text: 'a + b;' }], then: TEST }]],
    ],
    shell: [TEST, 'cat src/sum.ts', `${sed('src/sum.ts', 'a - b; // WRONG', 'a + b;')} && ${TEST}`],
  },
  {
    what: '2 a rename in 21 files',
    ours: [
      [['search_text', { pattern: 'handleIt', counts: true }]],
      [run(`sed -i 's/handleIt/handleAll/g' src/handle.ts src/use/*.ts && ! grep -rq handleIt src`)],
    ],
    shell: ['grep -rc handleIt src | grep -v :0', `sed -i 's/handleIt/handleAll/g' src/handle.ts src/use/*.ts && ! grep -rq handleIt src`],
  },
  { what: '3 find in many files', ours: [[['search_text', { pattern: 'regeneratorRuntime' }]]], shell: ['grep -rn regeneratorRuntime .'] },
  {
    what: '4 add an option',
    ours: [
      [['read_file', { paths: OPTION.map(([path]) => path) }]],
      [
        [
          'apply_patch',
          { patch: `*** Begin Patch\n${OPTION.map(([path, before, after]) => patch(path, before, after)).join('')}*** End Patch`, then: TEST },
        ],
      ],
    ],
    shell: [
      `cat ${OPTION.map(([path]) => path).join(' ')}`,
      `${OPTION.map(([path, before, after]) => sed(path, before, after)).join(' && ')} && ${TEST}`,
    ],
  },
  {
    what: '5 part of 4,883 lines',
    ours: [
      [['search_text', { pattern: 'function wanted', path: 'src/long.ts' }]],
      [['read_file', { path: 'src/long.ts', offset: 3_000, limit: 60 }]],
    ],
    shell: ["grep -n 'function wanted' src/long.ts", "sed -n '3000,3059p' src/long.ts"],
  },
  {
    what: '6 a build of 2,130 lines that fails',
    ours: [[run(BUILD)], [['edit_file', { path: 'src/parse.ts', edits: [{ old_text: "'WRONG'", new_text: '1' }], then: BUILD }]]],
    shell: [BUILD, `${sed('src/parse.ts', "'WRONG'", '1')} && ${BUILD}`],
  },
  {
    what: '7 archaeology',
    ours: [
      [
        ['git_log', { path: 'src/sum.ts' }],
        ['git_blame', { path: 'src/sum.ts' }],
      ],
      [['git_show', { revision: 'HEAD~1', stat: true }]],
    ],
    shell: ['git log -- src/sum.ts; git blame src/sum.ts', 'git show --stat HEAD~1'],
  },
  {
    what: '8 move a module',
    ours: [
      [
        run(
          `mkdir -p src/core && git mv src/handle.ts src/core/handle.ts && sed -i 's|./handle|../core/handle|' src/use/*.ts && git status --short | wc -l`,
        ),
      ],
    ],
    shell: [
      `mkdir -p src/core && git mv src/handle.ts src/core/handle.ts && sed -i 's|./handle|../core/handle|' src/use/*.ts && git status --short | wc -l`,
    ],
  },
  {
    what: '9 a large JSON',
    ours: [
      [['search_text', { pattern: '"key4321"', path: 'data.json' }]],
      [
        [
          'edit_file',
          {
            path: 'data.json',
            edits: [{ old_text: '"name": "n4321", "on": false', new_text: '"name": "n4321", "on": true' }],
            then: 'node -e "JSON.parse(\'1\')"',
          },
        ],
      ],
    ],
    shell: [
      `grep -n '"key4321"' data.json`,
      `${sed('data.json', '"name": "n4321", "on": false', '"name": "n4321", "on": true')} && node -e "JSON.parse('1')"`,
    ],
  },
  {
    what: '10 replace in 20 files',
    ours: [[run(`grep -rlE 'value1\\b' src/use | wc -l && sed -i 's/value1\\b/first/g' src/use/*.ts && ! grep -rqE 'value1\\b' src/use`)]],
    shell: [`grep -rlE 'value1\\b' src/use | wc -l && sed -i 's/value1\\b/first/g' src/use/*.ts && ! grep -rqE 'value1\\b' src/use`],
  },
  {
    what: '11 a server',
    ours: [[run('node serve.mjs', { wait_pattern: 'ready' })], [['job', { action: 'stop', id: 'job-1' }]]],
    shell: ['node serve.mjs > log 2>&1 & echo $! > pid; until grep -q ready log; do sleep 0.1; done; cat log', 'kill $(cat pid)'],
  },
  {
    what: '12 a dependency',
    ours: [[run("npm pkg set dependencies.made='1.0.0' && npm pkg get dependencies")]],
    shell: ["npm pkg set dependencies.made='1.0.0' && npm pkg get dependencies"],
  },
];

function makeProject(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-tasks-')));
  for (const [path, content] of Object.entries(files())) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const git = (...words: string[]): unknown => spawnSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...words], { cwd: root });
  git('init', '-q', '-b', 'main');
  git('add', '-A');
  for (const part of ['first', 'second', 'third']) git('commit', '-q', '--allow-empty', '-m', `feat: the ${part} part`);
  return root;
}

async function ownTokens(hands: Hands, turns: Task['ours']): Promise<number> {
  let tokens = 0;
  let job = 'job-1';
  for (const [name, made] of turns.flat()) {
    // Ids of jobs are random.
    const input: object = name === 'job' ? { ...made, id: job } : made;
    const result = await hands.call<string>(name, input, { sessionId: 'tasks' });
    const answer = result.ok ? result.output : `Error: ${result.error.message}\n${result.error.hint ?? ''}`;
    job = /job-[0-9a-f]+/u.exec(answer)?.[0] ?? job;
    tokens += countTokens(JSON.stringify({ name, arguments: input })) + countTokens(answer);
  }
  return tokens;
}

function shellTokens(root: string, commands: Task['shell']): number {
  return commands.reduce((sum, command) => {
    const { stdout, stderr, status } = spawnSync('bash', ['-c', command], { cwd: root, encoding: 'utf8', maxBuffer: 1e9 });
    const shown = `Exit code: ${status}\nOutput:\n${stdout}${stderr}`.slice(0, SHELL_CHARACTERS);
    return sum + countTokens(JSON.stringify({ name: 'shell', arguments: { command } })) + countTokens(shown);
  }, 0);
}

/** Each task in a fresh project, beside a shell alone whose commands are chained as well. */
export async function taskCases(): Promise<Row[]> {
  const rows: Row[] = [];
  const total = { own: 0, peer: 0, turns: 0, peerTurns: 0 };
  for (const { what, ours, shell } of TASKS) {
    const [root, other] = [makeProject(), makeProject()];
    const state = mkdtempSync(join(tmpdir(), 'synapse-tasks-state-'));
    try {
      await using hands = await createHands({ workspace: root, stateFolder: state, allow: ['write', 'exec'] });
      const [own, peer] = [await ownTokens(hands, ours), shellTokens(other, shell)];
      total.own += own;
      total.peer += peer;
      total.turns += ours.length;
      total.peerTurns += shell.length;
      rows.push({
        group: GROUP,
        what,
        ours: `${own} / ${ours.length}`,
        peer: `${peer} / ${shell.length} (a shell alone)`,
        compared: `${(own / peer).toFixed(2)}x`,
        target: '',
        met: true,
      });
    } finally {
      for (const folder of [root, other, state]) rmSync(folder, { recursive: true, force: true });
    }
  }
  const met = total.own <= total.peer;
  const ours = `${total.own.toLocaleString('en')} / ${total.turns}`;
  const peer = `${total.peer.toLocaleString('en')} / ${total.peerTurns}`;
  return [...rows, { group: GROUP, what: 'all twelve', ours, peer, compared: `${(total.own / total.peer).toFixed(2)}x`, target: '≤ 1x', met }];
}
