import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createHands, type Hands } from '@synapse/hands';
import { expect, it } from 'vitest';

/** A project that a person has built, and a command that makes its next build run something else. */
interface Poisoning {
  readonly files: Readonly<Record<string, string>>;
  readonly needs: string;
  /** The build of the person. */
  readonly build: string;
  /** The next build. Default: the same. */
  readonly again?: string;
  /** What a person changes before the next build. */
  readonly touch: string;
  /** Makes the next build create `../pwned`. */
  readonly poison: string;
  /** The same with a file tool. */
  readonly file?: { readonly path: string; readonly content: string };
  /** The modes to try, in which a person is asked about it. Default: both, without a question, as what is written is kept apart. */
  readonly asks?: readonly Mode[];
}

type Mode = 'ask' | 'auto-edit';
const BOTH: readonly Mode[] = ['ask', 'auto-edit'];
const PWNS = "require('fs').writeFileSync('../pwned', '')\n";

const ROWS: Readonly<Record<string, Poisoning>> = {
  'a build script of cargo, with its time kept': {
    needs: 'cargo',
    files: {
      'Cargo.toml': '[package]\nname = "w"\nversion = "0.1.0"\nedition = "2021"\n',
      'build.rs': 'fn main() {}\n',
      'src/main.rs': 'fn main() {}\n',
      '.gitignore': 'target/\nCargo.lock\n',
    },
    build: 'cargo build --offline -q',
    touch: 'src/main.rs',
    poison:
      'for f in target/debug/build/w-*/build-script-build target/debug/build/w-*/build_script_build-*[0-9a-f]; do touch -r $f t; rm $f; printf "#!/bin/sh\\ntouch $PWD/../pwned\\n" > $f; chmod +x $f; touch -r t $f; done; rm t',
  },
  'a rule of CMake': {
    needs: 'cmake',
    files: {
      'CMakeLists.txt': 'cmake_minimum_required(VERSION 3.10)\nproject(w C)\nadd_executable(w main.c)\n',
      'main.c': 'int main(void) { return 0; }\n',
      '.gitignore': 'build/\n',
    },
    build: 'cmake -S . -B build >/dev/null && cmake --build build >/dev/null',
    again: 'cmake --build build >/dev/null',
    touch: 'main.c',
    poison:
      'f=build/CMakeFiles/w.dir/build.make; touch -r $f t; printf "\\nCMakeFiles/w.dir/main.c.o: pwn\\n.PHONY: pwn\\npwn:\\n\\ttouch $PWD/../pwned\\n" >> $f; touch -r t $f; rm t',
  },
  'a program that a script runs from dist': {
    needs: 'node',
    files: { 'dist/tool.js': '', 'src.js': '', '.gitignore': 'dist/\n' },
    build: 'node dist/tool.js',
    touch: 'src.js',
    poison: "echo \"require('fs').writeFileSync('../pwned', '')\" > dist/tool.js",
  },
  'a cache of compiled code': {
    needs: 'node',
    files: { 'run.js': "require('./.turbo/cache.js');\n", '.turbo/cache.js': '', '.gitignore': '.turbo/\n' },
    build: 'node run.js',
    touch: 'run.js',
    poison: "echo \"require('fs').writeFileSync('../pwned', '')\" > .turbo/cache.js",
  },
  'a test among the reports on tests': {
    needs: 'node',
    files: { 'a.test.js': '', 'coverage/index.html': '', '.gitignore': 'coverage/\n' },
    build: 'node --test',
    touch: 'a.test.js',
    poison: "echo \"require('fs').writeFileSync('../pwned', '')\" > coverage/b.test.js",
    asks: ['ask'],
  },
  'an installed package': {
    needs: 'node',
    files: { 'run.js': "require('a');\n", 'node_modules/a/index.js': '', '.gitignore': 'node_modules/\n' },
    build: 'node run.js',
    touch: 'run.js',
    poison: `echo "${PWNS.trimEnd()}" > node_modules/a/index.js`,
    file: { path: 'node_modules/a/index.js', content: PWNS },
    asks: BOTH,
  },
  'a package in a folder that looks new': {
    needs: 'node',
    files: { 'run.js': "try { require('./app/node_modules/a'); } catch {}\n", '.gitignore': 'node_modules/\n' },
    build: 'node run.js',
    touch: 'run.js',
    poison: `mkdir -p app/node_modules/a; echo "${PWNS.trimEnd()}" > app/node_modules/a/index.js`,
    file: { path: 'app/node_modules/a/index.js', content: PWNS },
    asks: BOTH,
  },
  'an environment of Python': {
    needs: 'python3',
    files: { 'a.py': '', '.gitignore': '.venv/\n' },
    build: 'test -d .venv || python3 -m venv --without-pip .venv; .venv/bin/python a.py',
    touch: 'a.py',
    poison: `echo "import os; open('../pwned', 'w')" > $(echo .venv/lib/python3.*/site-packages)/x.pth`,
    asks: BOTH,
  },
  'an environment of Python under a name of its own': {
    needs: 'python3',
    files: { 'a.py': '', '.gitignore': 'env/\n' },
    build: 'test -d env || python3 -m venv --without-pip env; env/bin/python a.py',
    touch: 'a.py',
    poison: "rm env/bin/python; printf '#!/bin/sh\\ntouch ../pwned\\n' > env/bin/python; chmod +x env/bin/python",
    asks: BOTH,
  },
  'compiled code of Python': {
    needs: 'python3',
    files: { 'main.py': 'import m\n', 'm.py': '', '.gitignore': '__pycache__/\n' },
    build: 'python3 main.py',
    touch: 'main.py',
    poison: `echo "open('../pwned', 'w')" > e.py; python3 -c "import py_compile, importlib.util as u; py_compile.compile('e.py', u.cache_from_source('m.py'), invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)"; rm e.py`,
    asks: BOTH,
  },
  'a provider of Terraform': {
    needs: 'git',
    // What terraform does with its providers at each plan.
    files: { 'main.tf': '', '.terraform/providers/p': '', '.gitignore': '.terraform/\n' },
    build: 'sh .terraform/providers/p',
    touch: 'main.tf',
    poison: "echo 'touch ../pwned' > .terraform/providers/p",
    file: { path: '.terraform/providers/p', content: 'touch ../pwned\n' },
    asks: BOTH,
  },
};

async function attacked(row: Poisoning, attack: (workspace: string, base: string) => Promise<void>): Promise<boolean> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'synapse-outputs-')));
  try {
    const workspace = join(base, 'w');
    for (const [path, text] of Object.entries(row.files)) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), text);
    }
    const shell = (command: string): void => void execFileSync('sh', ['-c', command], { cwd: workspace, stdio: 'pipe' });
    shell('git init -q && git add -A && git -c user.name=a -c user.email=a@b commit -qm a');
    shell(row.build);
    await attack(workspace, base);
    shell(`touch -d '+2 seconds' ${row.touch}`);
    shell(row.again ?? row.build);
    return existsSync(join(base, 'pwned'));
  } finally {
    rmSync(base, { recursive: true });
  }
}

const missing = (program: string): boolean => spawnSync(program, ['--version']).status !== 0;

/** Whether the next build of a person ran what a call wrote in a mode, and how often a person was asked, who says no. */
async function afterCall(row: Poisoning, mode: Mode, attack: (hands: Hands) => Promise<void>): Promise<readonly [isPwned: boolean, asked: number]> {
  let asked = 0;
  const isPwned = await attacked(row, async (workspace, base) => {
    await using hands = await createHands({
      workspace,
      stateFolder: join(base, 'state'),
      configFolder: join(base, 'config'),
      environment: { HOME: homedir() },
      policy: { mode },
      approver: { name: 'person', ask: () => ((asked += 1), Promise.resolve({ verdict: 'deny' as const })) },
    });
    await attack(hands);
  });
  return [isPwned, asked];
}

for (const [name, row] of Object.entries(ROWS)) {
  for (const mode of row.asks ?? BOTH) {
    it.skipIf(missing(row.needs))(
      `a command in mode ${mode} does not make the next build of a person run something else: ${name}`,
      { timeout: 120_000 },
      async () => {
        const after = await afterCall(row, mode, async (hands) => {
          expect(await hands.call('run_command', { command: row.poison })).toMatchObject({ ok: true, data: { exit_code: 0 }, meta: { ran: 'copy' } });
        });
        expect(after).toEqual([false, row.asks === undefined ? 0 : 1]);
      },
    );

    const { file } = row;
    if (file === undefined) continue;
    it.skipIf(missing(row.needs))(`nor does write_file in mode ${mode}: ${name}`, { timeout: 120_000 }, async () => {
      const after = await afterCall(row, mode, async (hands) => {
        expect(await hands.call('write_file', file)).toMatchObject({ ok: false, error: { code: 'denied' } });
      });
      expect(after).toEqual([false, 1]);
    });
  }

  it.skipIf(missing(row.needs))(`the control, a plain command, does: ${name}`, { timeout: 120_000 }, async () => {
    const attack = (workspace: string): Promise<void> => Promise.resolve(void execFileSync('sh', ['-c', row.poison], { cwd: workspace }));
    expect(await attacked(row, attack)).toBe(true);
  });
}
