import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findProgram } from '../lsp/find-program.ts';
import { serverFor } from '../lsp/server-table.ts';
import { findBubblewrap } from '../sandbox/find-bubblewrap.ts';
import { temporaryHands } from '../testing/temporary-hands.ts';

/** A rename in a language, and what its files are afterwards. */
interface Row {
  readonly language: string;
  readonly files: Readonly<Record<string, string>>;
  readonly path: string;
  readonly symbol: string;
  /** The number of places, with the declaration. */
  readonly uses: number;
  /** A name that collides. */
  readonly taken: string;
}

const ROWS: readonly Row[] = [
  {
    language: 'Python',
    files: {
      'm.py': 'def total(x):\n    return x\n\ndef other():\n    return total(1)\n',
      'pkg/n.py': 'import sys\nsys.path.append("..")\n',
      'n.py': 'from m import total\nimport m\n\ndef go():\n    # total\n    return total(2) + m.total(3)\n',
    },
    path: 'm.py',
    symbol: 'total',
    uses: 5,
    taken: 'other',
  },
  {
    language: 'Go',
    files: {
      'go.mod': 'module example.com/x\n\ngo 1.19\n',
      'a.go': 'package x\n\nfunc total(x int) int { return x }\n\nfunc other() int { return total(1) }\n',
      'b.go': 'package x\n\n// total\nfunc Use() int { return total(2) + other() }\n',
      'a_test.go': 'package x\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif total(1) != 1 {\n\t\tt.Fatal("total")\n\t}\n}\n',
    },
    path: 'a.go',
    symbol: 'total',
    uses: 4,
    taken: 'other',
  },
  {
    language: 'Rust',
    files: {
      'Cargo.toml': '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n',
      'src/lib.rs': 'mod a;\n\npub fn go() -> i32 {\n    // total\n    a::total(1)\n}\n',
      'src/a.rs': 'pub fn total(x: i32) -> i32 {\n    x\n}\n\npub fn other() -> i32 {\n    total(2)\n}\n',
    },
    path: 'src/a.rs',
    symbol: 'total',
    uses: 3,
    taken: 'other',
  },
  {
    language: 'C and C++',
    files: {
      'total.c': 'int total(int x)\n{\n\treturn x;\n}\n\nint other(void)\n{\n\treturn total(1);\n}\n',
      'main.c': 'int total(int x);\n\nint main(void)\n{\n\t/* total */\n\treturn total(2);\n}\n',
    },
    path: 'total.c',
    symbol: 'total',
    uses: 4,
    taken: 'other',
  },
];

const confined = (await findBubblewrap())?.usable === true;

describe.each(ROWS)('code in $language', ({ files, path, symbol, uses, taken }) => {
  it('finds what is used, renames it everywhere, and nothing where the name is taken', { timeout: 120_000 }, async ({ skip }) => {
    const row = serverFor(path)?.row ?? expect.fail();
    const program = await findProgram(row, { root: '/nonexistent', trusted: false });
    // rustup has a program of that name also where the server is not installed.
    const works = program !== undefined && (row.name !== 'Rust' || spawnSync(program.argv[0], ['--version']).status === 0);
    skip(!confined || !works, `no sandbox, or no language server of ${row.name}`);
    await using place = await temporaryHands(files);
    const ask = (input: object) => place.hands.call('code', { path, symbol, ...input } as never);
    expect(await ask({ action: 'references' })).toMatchObject({ ok: true, data: { kind: 'server' } });
    expect(await ask({ action: 'rename', to: taken })).toMatchObject({ ok: false, error: { code: 'conflict' } });
    for (const [name, text] of Object.entries(files)) expect(readFileSync(place.at(name), 'utf8')).toBe(text);
    expect(await ask({ action: 'rename', to: 'amount' })).toMatchObject({ ok: true, data: { total: uses } });
    for (const [name, text] of Object.entries(files)) {
      const renamed = text.replaceAll(/(?<!["#/*] ?)\btotal\b(?!")/gu, 'amount');
      expect(readFileSync(place.at(name), 'utf8'), name).toBe(renamed);
    }
  });
});
