import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHands } from '../create-hands.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';

/** A real program, and what it is to leave. */
interface Row {
  readonly name: string;
  /** Programs it needs; where one is not installed, the row is left out by name. */
  readonly needs: readonly string[];
  readonly files: Readonly<Record<string, string>>;
  /** What a person did before. */
  readonly before?: string;
  readonly command: string;
  /** It makes what a person is asked about, such as a repository. */
  readonly isProtected?: true;
  /** Paths whose content is random or tells times. */
  readonly random?: RegExp;
  /** Says the same after both runs: what content that is left out comes to. */
  readonly tells?: string;
  /** It writes to find that out, so that an undo finds something else. */
  readonly tellingWrites?: true;
}

const MODULES = fileURLToPath(new URL('../../../../node_modules', import.meta.url));
/** A command has folders of its own in these places, so a checkout there is not visible to it. */
const HIDDEN = /^\/(?:tmp|var\/tmp|home|root|run)\//u;
/** The names and times that git writes into its objects and logs. */
const WHEN = 'export GIT_AUTHOR_DATE=@1700000000 GIT_COMMITTER_DATE=@1700000000 GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c; ';
const COMMITTED = `${WHEN} git init -q -b main . && git config user.name a && git config user.email a@b.c && git add -A && git commit -qm first`;
const GIT = {
  needs: ['git'],
  files: { 'a.txt': 'one\n', 'd/b.txt': 'two\n' },
  before: COMMITTED,
  // The index has the times and inodes of files.
  random: /(?:^|\/)index$/u,
  tells: 'git status --porcelain=v2 --branch; git ls-files -s; git log --all --format=%H; git stash list; git fsck 2>&1',
} as const;
const BRANCHES = `${COMMITTED} && git switch -qc other && echo o > o && git add o && git commit -qm other && git switch -q main && echo m > m && git add m && git commit -qm main`;

const ROWS: readonly Row[] = [
  { ...GIT, name: 'git init', before: 'true', isProtected: true, command: 'git init -q -b main . && git add -A' },
  { ...GIT, name: 'git add', command: 'echo x > new; echo y >> a.txt; rm d/b.txt; git add -A' },
  { ...GIT, name: 'git commit', command: `${WHEN} echo y >> a.txt; git commit -qam second` },
  { ...GIT, name: 'git checkout', before: BRANCHES, command: `${WHEN} git checkout -q other` },
  {
    ...GIT,
    name: 'git switch -c with tracking',
    before: `${BRANCHES} && git config remote.origin.url /nowhere && git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*' && git update-ref refs/remotes/origin/far other`,
    command: `${WHEN} git switch -qc far --track origin/far`,
  },
  { ...GIT, name: 'git rebase', before: BRANCHES, command: `${WHEN} git rebase -q other` },
  { ...GIT, name: 'git merge', before: BRANCHES, command: `${WHEN} git merge -q -m merged other` },
  { ...GIT, name: 'git stash', before: `${COMMITTED} && echo changed >> a.txt`, command: `${WHEN} git stash -q && git stash apply -q` },
  { ...GIT, name: 'git worktree', command: `${WHEN} git worktree add -q -b side tree && cd tree && echo s > s && git add s && git commit -qm side` },
  {
    ...GIT,
    name: 'git submodule',
    before: `${COMMITTED} && git clone -q --bare . ../origin-of-sub 2> /dev/null; mkdir vendor && mv ../origin-of-sub vendor/sub.git`,
    // By a URL: git clones a path with hard links, and refuses one to a file whose inode is another once it is copied up.
    command: `${WHEN} git -c protocol.file.allow=always submodule --quiet add file://$PWD/vendor/sub.git sub 2> /dev/null`,
  },
  {
    name: 'npm install of a folder',
    needs: ['npm'],
    files: {
      'package.json': '{"name":"app","version":"1.0.0"}',
      'lib/package.json': '{"name":"lib","version":"1.0.0","bin":{"lib":"run.js"}}',
      'lib/run.js': '#!/usr/bin/env node\nconsole.log(1)\n',
    },
    command: 'npm install --offline --no-audit --no-fund --loglevel=error ./lib',
  },
  {
    name: 'tsc -b',
    needs: [join(MODULES, '.bin/tsc')],
    files: {
      'tsconfig.json': '{"files":[],"references":[{"path":"lib"},{"path":"app"}]}',
      'lib/tsconfig.json': '{"compilerOptions":{"composite":true,"outDir":"../out/lib","rootDir":".","types":[]}}',
      'lib/lib.ts': 'export const one = 1;\n',
      'app/tsconfig.json': '{"compilerOptions":{"composite":true,"outDir":"../out/app","rootDir":".","types":[]},"references":[{"path":"../lib"}]}',
      'app/app.ts': 'import { one } from "../lib/lib.js";\nexport const two = one + 1;\n',
    },
    command: `${join(MODULES, '.bin/tsc')} -b`,
    // What was built is up to date by its times.
    tells: `${join(MODULES, '.bin/tsc')} -b --dry | grep -o 'up to date'`,
  },
  {
    name: 'node --test',
    needs: ['node'],
    files: { 'a.test.mjs': 'import test from "node:test"; import { writeFileSync } from "node:fs"; test("a", () => writeFileSync("ran", "1"));' },
    command: 'node --test > /dev/null',
  },
  {
    name: 'prettier --write',
    needs: [join(MODULES, '.bin/prettier')],
    files: { 'a.js': 'let a   =  1' },
    command: `${join(MODULES, '.bin/prettier')} --write a.js`,
  },
  {
    name: 'make',
    needs: ['make'],
    files: { Makefile: 'all: b.out\nb.out: a.out\n\tcp a.out b.out\na.out: a.in\n\tcat a.in a.in > a.out; chmod 755 a.out\n', 'a.in': 'in\n' },
    command: 'make -s',
    tells: 'make',
  },
  {
    name: 'cmake',
    needs: ['cmake', 'make', 'cc'],
    files: {
      'CMakeLists.txt': 'cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_executable(p main.c)\n',
      'main.c': 'int main(void){return 0;}\n',
    },
    command: 'cmake -S . -B build > /dev/null && cmake --build build > /dev/null',
    random: /\.(?:log|yaml|bin)$|CMakeScratch|TryCompile|cmTC_|a\.out$/u,
    tells: 'make -C build | grep -c Building',
    tellingWrites: true,
  },
  {
    name: 'cargo build',
    needs: ['cargo', 'cc'],
    files: { 'Cargo.toml': '[package]\nname = "p"\nversion = "0.1.0"\nedition = "2021"\n', 'src/main.rs': 'fn main() {}\n' },
    command: 'CARGO_INCREMENTAL=0 cargo build --offline -q',
    random: /^target\/(?!.*\.d$)/u,
    tellingWrites: true,
    tells: 'CARGO_INCREMENTAL=0 cargo build --offline 2>&1 | grep -c Compiling',
  },
  {
    name: 'go build',
    needs: ['go'],
    files: { 'go.mod': 'module p\n\ngo 1.20\n', 'main.go': 'package main\n\nfunc main() {}\n' },
    command: 'GOFLAGS=-mod=mod GOCACHE=$PWD/cache go build -o p .',
    random: /^cache\//u,
  },
  {
    name: 'pytest',
    needs: ['pytest'],
    files: { 'test_a.py': 'def test_a():\n    open("ran", "w").write("1")\n' },
    command: 'pytest -q > /dev/null',
    random: /\.pyc$/u,
  },
];

const START = 1_600_000_000;

/** As text, or where it is none as a sum: a difference is read by a person. */
function contentOf(path: string): string {
  const bytes = readFileSync(path);
  return bytes.includes(0) ? createHash('sha256').update(bytes).digest('hex') : bytes.toString('latin1');
}

/** Everything below a folder: kinds, modes, links, contents, and of the times of files whether the run changed them. */
function treeOf(folder: string, random: RegExp | undefined, below = ''): Record<string, string> {
  const entries: Record<string, string> = {};
  for (const name of readdirSync(join(folder, below))) {
    const path = join(below, name);
    const stat = lstatSync(join(folder, path), { bigint: true });
    const mode = (stat.mode & 0o7777n).toString(8);
    const time = stat.mtimeNs < BigInt(START + 1000) * 1_000_000_000n ? `at ${stat.mtimeNs}` : 'new';
    if (stat.isDirectory()) Object.assign(entries, { [path]: `folder ${mode}` }, treeOf(folder, random, path));
    else if (stat.isSymbolicLink()) entries[path] = `link ${readlinkSync(join(folder, path))}`;
    else entries[path] = `file ${mode} ${time} ${stat.nlink} ${random?.test(path) === true ? '' : contentOf(join(folder, path))}`;
  }
  return entries;
}

/** Without what only this machine has set. */
const { PYTHONDONTWRITEBYTECODE: _, ...environment } = process.env;
const isThere = (program: string): boolean => !HIDDEN.test(program) && spawnSync('/bin/sh', ['-c', `command -v "${program}"`]).status === 0;

describe.skipIf((await findBubblewrap()) === undefined)('the tree after a transaction is the one after a plain run', () => {
  for (const row of ROWS) {
    const missing = row.needs.find((program) => !isThere(program));
    it.skipIf(missing !== undefined)(`${row.name}${missing === undefined ? '' : ` (no ${missing} here)`}`, { timeout: 120_000 }, async () => {
      const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-matrix-')));
      onTestFinished(() => rmSync(base, { recursive: true, force: true }));
      const [workspace, kept] = [join(base, 'workspace'), join(base, 'kept')];
      const sh = (command: string): string =>
        spawnSync('/bin/sh', ['-c', `umask 022; ${command}`], {
          cwd: workspace,
          encoding: 'utf8',
          env: { ...environment, GIT_CONFIG_GLOBAL: '/dev/null', GIT_OPTIONAL_LOCKS: '0' },
        }).stdout;
      for (const [path, content] of Object.entries(row.files)) {
        mkdirSync(dirname(join(workspace, path)), { recursive: true });
        writeFileSync(join(workspace, path), content);
      }
      if (row.before !== undefined) sh(row.before);
      sh(`find . -exec touch -h -d @${START}.123456789 {} +; git update-index -q --refresh 2> /dev/null`);
      sh(`find . -exec touch -h -d @${START}.123456789 {} +`);
      execFileSync('cp', ['-a', workspace, kept]);
      const ran = spawnSync('/bin/sh', ['-c', `umask 022; ${row.command}`], { cwd: workspace, encoding: 'utf8', env: environment });
      expect(ran, ran.stderr).toMatchObject({ status: 0 });
      const plain = treeOf(workspace, row.random);
      const tells = row.tells === undefined ? '' : sh(row.tells);
      rmSync(workspace, { recursive: true });
      execFileSync('cp', ['-a', kept, workspace]);
      const places = { workspace, stateFolder: join(base, 'state'), configFolder: join(base, 'config'), readable: [MODULES] };
      await using hands = await createHands({
        ...places,
        allow: ['write', 'exec', ...(row.isProtected === true ? (['protected'] as const) : [])],
        sandbox: 'required',
      });
      const result = await hands.call('run_command', { command: `umask 022; ${row.command}` });
      expect(result).toMatchObject({ ok: true, data: { exit_code: 0, stderr: '' }, meta: { ran: 'copy' } });
      expect(treeOf(workspace, row.random), result.ok ? result.output : '').toEqual(plain);
      if (row.tells !== undefined) expect(sh(row.tells)).toBe(tells);
      if (row.tellingWrites === true) return;
      // Undo changes .git as well, so it is a person who does it.
      await using person = await createHands({ ...places, allow: ['write', 'exec', 'protected'], sandbox: 'required' });
      const undone = await person.undo();
      expect(undone, undone.ok ? '' : undone.error.message).toMatchObject({ ok: true });
      expect(treeOf(workspace, undefined)).toEqual(treeOf(kept, undefined));
    });
  }
});
