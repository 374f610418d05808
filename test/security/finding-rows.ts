import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Hands } from '@synapse/hands';

export const MODES = ['read-only', 'ask', 'auto-edit', 'trusted'] as const;
export type Mode = (typeof MODES)[number];

/** An attack that once worked in some mode, for some user or in some place. */
export interface Finding {
  readonly opened: keyof typeof OPENED;
  /** Tries it, and tells in short what happened; puts the folder back as it was. */
  readonly attempt: (hands: Hands, root: string) => Promise<unknown>;
  /** What has to happen in each mode, or what differs from `other`. */
  readonly expected: { readonly other: unknown } & { readonly [mode in Mode]?: unknown };
}

const NESTED = 'find . -exec '.repeat(28);
/** The configuration of a clone: it is slow to check where that is not bounded, and allows what it may not. */
const CONFIGURATION = {
  permissions: {
    mode: 'trusted',
    allow: ['exec', 'write', 'fetch', 'mcp'],
    deny: [{ rule: 'exec(sudo *)', notMatch: [`${NESTED}x`] }, `read(${'**/a*/'.repeat(20)}b)`],
  },
};
/** What hands are opened with, beside a mode. */
export const OPENED = {
  nothing: { allow: [], deny: [], configuration: CONFIGURATION },
  commands: { allow: ['exec'], deny: [], configuration: CONFIGURATION },
  all: { allow: ['write', 'exec'], deny: [], configuration: CONFIGURATION },
  // The rules of that configuration would refuse most of the pushes.
  'all but a push': { allow: ['write', 'exec'], deny: ['exec(git push *)'], configuration: {} },
  'all, a push too': { allow: ['write', 'exec'], deny: [], configuration: {} },
} as const;

/** So deep that an expression that backtracks does not end. */
const DEEP = `${'a1/'.repeat(30)}c.txt`;
/** What the slow pattern is about. */
const DEEP_DENIED = `${'a1/'.repeat(30)}b`;

export const CONFIGURATION_FILE = '.synapse/config.jsonc';

/** What other programs execute or obey. */
const OBEYED = [
  'a.code-workspace',
  '.pi/extensions/a.ts',
  '.github/lsp.json',
  '.vibe/config.toml',
  '.agents/skills/a/SKILL.md',
  '.arcconfig',
  '.jj/workspace-config.toml',
  '.pnp.cjs',
  '.pre-commit-config.yaml',
  'lefthook.yml',
  'mise.toml',
  'rust-toolchain.toml',
  '.hg/hgrc',
];

/** The folder that all attempts are made in. Without the links, it can be cloned. */
export const FILES: Readonly<Record<string, string>> = {
  'a.txt': 'a\n',
  [DEEP]: 'deep\n',
  [DEEP_DENIED]: 'deep\n',
  'sub/a.txt': 'of the person\n',
  '.gitignore': 'dist/\nnode_modules/\n',
  // A script, so that no words of a command name what it writes.
  'plant.sh': 'V=.vs; V=${V}code; mkdir -p $1/$V $2 && echo "{}" > $1/$V/tasks.json && echo "{}" > $2/tasks.json\n',
  'look.sh': 'cat a.txt; cat .env x.pem 2>/dev/null | head -c 1; exit 0\n',
  'obey.sh': 'while read -r n; do mkdir -p "$(dirname "$n")"; echo x > "$n"; done < obeyed.txt\n',
  // Has git show another text for a committed file: by the reference for that, packed or not, or by the file of another object in its place.
  'forge.sh': [
    'new=$(echo evil | git hash-object -w --stdin); old=$(git rev-parse HEAD:./a.txt)',
    'at() { echo "$(git rev-parse --git-dir)/objects/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-)"; }',
    'case $1 in replace) git replace $old $new;; pack) git replace $old $new; git pack-refs --all;; copy) cp -f "$(at $new)" "$(at $old)";; esac',
    '',
  ].join('\n'),
  'obeyed.txt': `${OBEYED.join('\n')}\nplain/a.txt\n`,
  [CONFIGURATION_FILE]: '{}\n',
};
export const LINKS: Readonly<Record<string, string>> = { '.env': '/bin/bash', 'x.pem': '/etc/passwd', '.aws': '/usr', '.kube': '..' };
/** What git ignores, and so no clone brings. */
export const IGNORED: Readonly<Record<string, string>> = { 'dist/tool.js': '', 'node_modules/a/index.js': '' };

/** Writes files below a folder, with the folders around them. */
export function fill(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

const codeOf = (result: Awaited<ReturnType<Hands['call']>>): string => (result.ok ? 'ok' : result.error.code);

let attempts = 0;

/** Forms of a push that a rule about `git push` does not name. */
const PUSHES = [
  'git push origin main',
  'x=push; git $x origin main',
  'git -c alias.p=push p origin main',
  "$'git' $'push' origin main",
  'git {push,origin,main}',
  'echo origin main | xargs git push',
  "echo 'git push' | sh",
  'perl -e \'exec("git", "push")\'',
];

/** Which pushes were started, and whether git runs at all. */
const push: Finding['attempt'] = async (hands) => {
  const passed: string[] = [];
  for (const command of PUSHES) if ((await hands.call('run_command', { command })).ok) passed.push(command);
  return [passed, codeOf(await hands.call('run_command', { command: 'git log --oneline -1' }))];
};

/** Writes to a place, and tells whether that reached the folder of the person. What was kept is dropped. */
const poison =
  (path: string): Finding['attempt'] =>
  async (hands, root) => {
    const code = codeOf(await hands.call('run_command', { command: `echo evil > ${path}` }));
    const isThere = readFileSync(join(root, path), 'utf8') !== '';
    for (const { handle } of hands.pendingChanges()) await hands.dropPending(handle);
    writeFileSync(join(root, path), '');
    return [code === 'ok' ? 'ran' : 'refused', isThere ? 'applied' : 'not applied'];
  };

/** Moves a folder away and another, which contains a file, in its place: by the tool, and then by a command. */
async function twoMoves(hands: Hands, root: string, made: string, file: string): Promise<unknown> {
  const isIn = (folder: string): boolean => existsSync(join(root, folder, file));
  const isInNew = isIn(made);
  await hands.call('move_path', { from: 'sub', to: 'old' });
  await hands.call('move_path', { from: made, to: 'sub' });
  const isMoved = isIn('sub');
  // Also if the tool moved it, so that each way is tried.
  if (isMoved) renameSync(join(root, 'sub'), join(root, made));
  await hands.call('run_command', { command: `test -d sub || mv ${made} sub` });
  const isMovedByCommand = isIn('sub');
  for (const name of [made, 'old', 'sub']) rmSync(join(root, name), { recursive: true, force: true });
  fill(root, { 'sub/a.txt': 'of the person\n' });
  return { isInNew, isMoved, isMovedByCommand };
}

/** The findings by their number, with what is expected. Modes differ where the guide says so. */
export const FINDINGS: Readonly<Record<string, Finding>> = {
  '1 build output': {
    opened: 'nothing',
    attempt: poison('dist/tool.js'),
    expected: { other: ['ran', 'not applied'], 'read-only': ['refused', 'not applied'], trusted: ['ran', 'applied'] },
  },
  '1 installed programs': {
    opened: 'nothing',
    attempt: poison('node_modules/a/index.js'),
    expected: { other: ['ran', 'not applied'], 'read-only': ['refused', 'not applied'], trusted: ['ran', 'applied'] },
  },
  '2 and 3 what is slow to check': {
    opened: 'nothing',
    attempt: async (hands) => [
      codeOf(await hands.call('read_file', { path: DEEP })),
      codeOf(await hands.call('run_command', { command: 'cat a.txt' })),
      // The controls: both rules count, and what they are about is refused.
      codeOf(await hands.call('read_file', { path: DEEP_DENIED })),
      (await hands.explain('run_command', { command: 'sudo ls' })).rule?.rule,
    ],
    expected: { other: ['ok', 'ok', 'denied', 'exec(sudo *)'] },
  },
  '4 pages and servers, where commands are allowed': {
    opened: 'commands',
    attempt: async (hands) => [
      codeOf(await hands.call('fetch_url', { url: 'https://example.com/?data' })),
      (await hands.explain('fetch_url', { url: 'https://example.com/' })).verdict,
      // The control: a command is allowed.
      (await hands.explain('run_command', { command: 'npm test' })).verdict,
    ],
    expected: { other: ['approval_required', 'ask', 'allow'], 'read-only': ['approval_required', 'ask', 'deny'] },
  },
  '5 two moves': {
    opened: 'all',
    attempt: async (hands, root) => {
      // A name that was never there: what comes in place of a folder that was taken away is not new.
      const made = `n${(attempts += 1)}`;
      await hands.call('run_command', { command: `sh plant.sh ${made} ${made}-plain` });
      const moved = await twoMoves(hands, root, made, '.vscode/tasks.json');
      // The control: the same moves, of a folder that no program obeys.
      const plain = await twoMoves(hands, root, `${made}-plain`, 'tasks.json');
      return [moved, plain];
    },
    expected: {
      other: [
        { isInNew: true, isMoved: false, isMovedByCommand: false },
        { isInNew: true, isMoved: true, isMovedByCommand: true },
      ],
      'read-only': [
        { isInNew: false, isMoved: false, isMovedByCommand: false },
        { isInNew: false, isMoved: false, isMovedByCommand: false },
      ],
    },
  },
  '6 links with names of secrets': {
    opened: 'nothing',
    attempt: async (hands) => {
      const said = async (command: string): Promise<string> => {
        const result = await hands.call('run_command', { command });
        return result.ok ? (result.data as { readonly stdout: string }).stdout : result.error.code;
      };
      return [await said('cat a.txt'), await said('sh look.sh')];
    },
    // What the links lead to is not seen through them.
    expected: { other: ['a\n', 'a\n'], 'read-only': ['a\n', 'denied'] },
  },
  '7 a denied push': { opened: 'all but a push', attempt: push, expected: { other: [[], 'ok'] } },
  '7 the control: a push that no rule denies': {
    opened: 'all, a push too',
    attempt: push,
    expected: { other: [PUSHES, 'ok'], 'read-only': [[], 'ok'] },
  },
  '8 a pipe in place of a file of git': {
    opened: 'nothing',
    attempt: async (hands, root) => {
      rmSync(join(root, '.gitattributes'), { force: true });
      execFileSync('mkfifo', [join(root, '.gitattributes')]);
      // git reads the attributes of changed files only.
      writeFileSync(join(root, 'a.txt'), 'changed\n');
      const result = await hands.call('git_diff', {});
      const told = result.ok ? 'ok' : `${result.error.code} ${result.error.message.includes('.gitattributes')}`;
      rmSync(join(root, '.gitattributes'));
      writeFileSync(join(root, 'a.txt'), FILES['a.txt'] ?? '');
      return [told, codeOf(await hands.call('git_diff', {}))];
    },
    expected: { other: ['wrong_type true', 'ok'] },
  },
  '9 what other programs obey, by a file tool': {
    opened: 'all',
    attempt: async (hands, root) => {
      const codes = new Set<string>();
      for (const path of OBEYED) codes.add(codeOf(await hands.call('write_file', { path, content: 'x' })));
      codes.add(`control ${codeOf(await hands.call('write_file', { path: 'plain.txt', content: 'x' }))}`);
      rmSync(join(root, 'plain.txt'), { force: true });
      return [...codes, OBEYED.filter((path) => existsSync(join(root, path)))];
    },
    expected: { other: ['approval_required', 'control ok', []], 'read-only': ['denied', 'control denied', []] },
  },
  '9 what other programs obey, by a command': {
    opened: 'all',
    attempt: async (hands, root) => {
      await hands.call('run_command', { command: 'sh obey.sh' });
      const there = [...OBEYED, 'plain/a.txt'].filter((path) => existsSync(join(root, path)));
      rmSync(join(root, 'plain'), { recursive: true, force: true });
      return there;
    },
    expected: { other: ['plain/a.txt'], 'read-only': [] },
  },
  '10 other texts for what is committed': {
    opened: 'all',
    attempt: async (hands, root) => {
      const shown: string[] = [];
      for (const way of ['none', 'replace', 'pack', 'copy']) {
        await hands.call('run_command', { command: `sh forge.sh ${way}` });
        for (const { handle } of hands.pendingChanges()) await hands.dropPending(handle);
        shown.push(execFileSync('git', ['show', 'HEAD:./a.txt'], { cwd: root, encoding: 'utf8' }));
      }
      return shown;
    },
    expected: { other: ['a\n', 'a\n', 'a\n', 'a\n'] },
  },
};
