import { readFileSync } from 'node:fs';

const RECORDED = new URL('../../packages/hands/src/output/runners/recorded/', import.meta.url);
/** Where the recorded outputs were made. */
const RECORDED_ROOT = '/home/ada/project/js';

export type Call = readonly [tool: string, input: object];

/** A task: the calls of each turn, perhaps by programs, and the same work with a shell alone, a command for each turn. */
export interface Task {
  readonly what: string;
  readonly ours: ReadonlyArray<readonly Call[]>;
  /** The same with `run_program`, where it pays. */
  readonly programs?: ReadonlyArray<readonly Call[]>;
  readonly shell: readonly string[];
}

const recorded = (name: string, root: string): string => readFileSync(new URL(name, RECORDED), 'utf8').replaceAll(RECORDED_ROOT, root);
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
const program = (code: string): Call => ['run_program', { code }];
const run = (command: string, more: object = {}): Call => ['run_command', { command, ...more }];

/** The files of the made project in a folder. */
export function taskFiles(root: string): Record<string, string> {
  const use = (index: number): string =>
    `import { handleIt } from './handle';\n${numbered(30, (line) => `  const value${line} = parse(request, ${index});`)}export const done${index} = handleIt(${index});\n`;
  const problems = (index: number): string =>
    `src/gen/file-${index}.ts(${index + 3},9): error TS2322: Type 'string' is not assignable to type 'number'.\n`;
  const long = (line: number): string =>
    line === 3_000 ? 'export function wanted(): number {' : line === 3_059 ? '}' : `  const constant${line} = ${line * 7};`;
  return {
    'replay.mjs': REPLAY,
    'out/vitest.txt': recorded('vitest.txt', root),
    'out/vitest-ok.txt': recorded('vitest-ok.txt', root),
    'out/build.txt': `${numbered(2_000, (index) => `[${index + 1}/2000] compiling src/gen/file-${index}.ts`)}${Array.from({ length: 130 }, (_, index) => problems(index)).join('')}`,
    'out/none.txt': 'done\n',
    'src/sum.ts': 'export function sum(a: number, b: number): number {\n  return a - b; // WRONG\n}\n',
    'src/parse.ts': `${numbered(60, (line) => `export const rule${line} = /${line}/u;`)}export const kind: number = 'WRONG';\n`,
    'src/handle.ts': 'export function handleIt(value: number): number {\n  return value;\n}\n',
    'src/options.ts': numbered(40, (line) => `  option${line}: boolean;`),
    'src/cli.ts': numbered(80, (line) => `  .option('--o${line}', 'does ${line}')`),
    'src/help.ts': numbered(40, (line) => `  '--o${line}: does ${line}',`),
    'src/long.ts': numbered(4_883, long),
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

export const TASKS: readonly Task[] = [
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
    programs: [
      [
        program(
          "const { files } = await hands.search_text({ pattern: 'handleIt', files_only: true });\nfor (const path of files) await hands.edit_file({ path, edits: [{ old_text: 'handleIt', new_text: 'handleAll', replace_all: true }] });\nreturn files.length;",
        ),
      ],
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
    what: '5 a function in 4,883 lines',
    ours: [[['read_file', { path: 'src/long.ts', symbol: 'wanted' }]]],
    shell: ["grep -n 'function wanted' src/long.ts", "sed -n '3001,3060p' src/long.ts"],
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
            then: 'node -e "JSON.parse(1)"',
          },
        ],
      ],
    ],
    programs: [
      [
        program(
          `const { matches: [{ text }] } = await hands.search_text({ pattern: '"key4321"', path: 'data.json' });\nawait hands.edit_file({ path: 'data.json', edits: [{ old_text: text, new_text: text.replace('false', 'true') }], then: 'node -e "JSON.parse(1)"' });\nreturn text;`,
        ),
      ],
    ],
    shell: [
      `grep -n '"key4321"' data.json`,
      `${sed('data.json', '"name": "n4321", "on": false', '"name": "n4321", "on": true')} && node -e "JSON.parse(1)"`,
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
