import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createHands } from '@synapse/hands';
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
  /** The modes in which a person is asked about it. Default: none, as what is written is kept apart. */
  readonly asks?: readonly ['ask'];
}

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

for (const [name, row] of Object.entries(ROWS)) {
  for (const mode of row.asks ?? (['ask', 'auto-edit'] as const)) {
    it.skipIf(missing(row.needs))(
      `a command in mode ${mode} does not make the next build of a person run something else: ${name}`,
      { timeout: 120_000 },
      async () => {
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
          expect(await hands.call('run_command', { command: row.poison })).toMatchObject({ ok: true, data: { exit_code: 0 }, meta: { ran: 'copy' } });
        });
        expect([isPwned, asked]).toEqual([false, row.asks === undefined ? 0 : 1]);
      },
    );
  }

  it.skipIf(missing(row.needs))(`the control, a plain command, does: ${name}`, { timeout: 120_000 }, async () => {
    const attack = (workspace: string): Promise<void> => Promise.resolve(void execFileSync('sh', ['-c', row.poison], { cwd: workspace }));
    expect(await attacked(row, attack)).toBe(true);
  });
}
